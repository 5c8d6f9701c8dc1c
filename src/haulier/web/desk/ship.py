"""The ship page: orders that wait for labels, batches, end of day and scans."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.shipping.labels.operations.purchase import get_shipping_methods
from haulier.contexts.shipping.labels.operations.shipments import (
    end_of_day,
    list_shipments,
    list_shipping_manifests,
)
from haulier.contexts.shipping.order_shipments.operations import list_ship_queue
from haulier.contexts.shipping.package_presets.operations import list_package_presets
from haulier.contexts.shipping.ship_jobs.contract import MAX_ORDERS
from haulier.contexts.shipping.ship_jobs.operations import ship_orders
from haulier.kernel.application import Application
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, parse_number, plain_answer
from haulier.web.desk.ship_batch import BATCHES, batch_page, print_batch
from haulier.web.desk.ship_order import ship_one_order, ship_order_page
from haulier.web.operations_client import read_form_fields

SHIP = "/desk/ship"
PER_PAGE = 100
MANIFESTS_SHOWN = 8
SCANS_KEPT = 500
MAX_FIELDS = MAX_ORDERS + 20
FILTERS = ("search", "due_by", "country", "failed")
TERMS = ("deliver_by", "package_preset_id", "ship_date")


def module_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of the ship pages."""
    shown_by = partial(make_endpoint, app)
    return [
        Route(SHIP, shown_by(queue_page), methods=["GET"]),
        Route(SHIP, shown_by(buy_labels), methods=["POST"]),
        Route(f"{SHIP}/review", shown_by(review_page), methods=["POST"]),
        Route(f"{BATCHES}/{{job_id:int}}", shown_by(batch_page), methods=["GET"]),
        Route(f"{BATCHES}/{{job_id:int}}", shown_by(print_batch), methods=["POST"]),
        Route(f"{SHIP}/orders/{{order_id:int}}", shown_by(ship_order_page), methods=["GET"]),
        Route(f"{SHIP}/orders/{{order_id:int}}", shown_by(ship_one_order), methods=["POST"]),
        Route(f"{SHIP}/end-of-day", shown_by(end_of_day_page), methods=["GET"]),
        Route(f"{SHIP}/end-of-day", shown_by(close_day), methods=["POST"]),
        Route(f"{SHIP}/scan", shown_by(scan_page), methods=["GET"]),
    ]


async def queue_page(desk: DeskRequest) -> Response:
    """Show the orders that wait for a label."""
    if not desk.may(list_ship_queue):
        return not_found(desk)
    asked = _filters({name: texts[-1] for name, texts in desk.texts.items()})
    result = await desk.call(list_ship_queue, {**asked, "page": desk.page_number, "per_page": PER_PAGE})
    found: dict[str, Any] = plain_answer(result) if result.error is None else {"orders": [], "total": 0}
    failed = await desk.read_if_allowed(list_ship_queue, failed=True, per_page=1)
    open_labels = await desk.read_if_allowed(list_shipments, open_manifest=True, ship_to=str(desk.today), per_page=1)
    rows: list[dict[str, Any]] = found["orders"]
    opened = desk.texts.get("drawer", [""])[-1]
    return desk.page(
        "desk_ship.html",
        status_code=result.status,
        problem=result.error["message"] if result.error else None,
        found=found,
        rows=rows,
        asked=asked,
        kept={name: "true" if text is True else text for name, text in asked.items() if name != "search"},
        chips=_chips(desk, asked, failed.get("total", 0)),
        countries=sorted(
            {each["country"] for each in rows if each["country"]} | {*filter(None, [asked.get("country")])}
        ),
        with_shelf=any(each["shelf"] for each in rows),
        presets=(await desk.read_if_allowed(list_package_presets)).get("package_presets") or [],
        has_carriers=bool((await desk.read_if_allowed(get_shipping_methods)).get("methods")),
        open_labels=open_labels.get("total", 0),
        may_ship=desk.may(ship_orders),
        drawer=next((each for each in rows if str(each["order_id"]) == opened), None),
        per_page=PER_PAGE,
        most=MAX_ORDERS,
        call=list_ship_queue,
        values=asked,
    )


def _chips(desk: DeskRequest, asked: Mapping[str, Any], failed: int) -> list[tuple[str, str, bool]]:
    """Return the filters of one click: text, address, and True for the current one."""
    today, tomorrow = str(desk.today), str(desk.today + timedelta(days=1))
    kept = {name: asked[name] for name in ("search", "country") if name in asked}
    chips = [("all", {}), ("due_today", {"due_by": today}), ("due_tomorrow", {"due_by": tomorrow})]
    if failed or asked.get("failed"):
        chips.append(("failed", {"failed": "true"}))
    current = {name: str(asked[name]).lower() for name in ("due_by", "failed") if name in asked}
    return [
        (desk.say(f"ship_page.{name}", n=failed), f"{SHIP}?{urlencode({**kept, **query})}", current == query)
        for name, query in chips
    ]


def _filters(texts: Mapping[str, str]) -> dict[str, Any]:
    return {name: texts[name] == "true" if name == "failed" else texts[name] for name in FILTERS if texts.get(name)}


async def review_page(desk: DeskRequest) -> Response:
    """Show what buying the labels of the selection would do."""
    return await _review(desk, await _posted(desk))


async def buy_labels(desk: DeskRequest) -> Response:
    """Start buying the labels of the form, and lead to their progress."""
    form = await _posted(desk)
    own = {name: texts[-1] for name, texts in form.items()}
    if not desk.session.is_genuine_form(desk.request, own):
        return await _review(desk, form, problem=desk.say("sign_in.again"), status_code=403)
    account, _, service = own.get("carrier", "").partition(":")
    values = {
        "order_ids": [number for each in form.get("pick", []) if (number := parse_number(each))],
        **{name: parse_number(own[name]) or own[name] for name in TERMS if own.get(name)},
        **({"account_id": parse_number(account) or account} if account else {}),
        **({"service": service} if service else {}),
    }
    result = await desk.call(ship_orders, values, idempotency_key=own.get("once"))
    if result.error is not None:
        return await _review(desk, form, problem=" ".join(list_problems(result)), status_code=result.status)
    return RedirectResponse(f"{BATCHES}/{plain_answer(result)['ship_job_id']}", 303)


async def _posted(desk: DeskRequest) -> dict[str, list[str]]:
    form: dict[str, list[str]] = {}
    for name, text in await read_form_fields(desk.request, max_fields=MAX_FIELDS):
        form.setdefault(name, []).append(text)
    return form


async def _review(
    desk: DeskRequest, form: Mapping[str, Sequence[str]], *, problem: str | None = None, status_code: int = 200
) -> Response:
    if not desk.may(ship_orders):
        return not_found(desk)
    own = {name: texts[-1] for name, texts in form.items()}
    ids = await _selected(desk, form)
    if not ids:
        return RedirectResponse(SHIP, 303)
    return desk.page(
        "desk_ship_review.html",
        status_code=status_code,
        ids=ids,
        given=own,
        problem=problem,
        methods=(await desk.read_if_allowed(get_shipping_methods)).get("methods") or [],
        presets=(await desk.read_if_allowed(list_package_presets)).get("package_presets") or [],
        once=own.get("once") or secrets.token_urlsafe(16),
        call=ship_orders,
        values={"order_ids": [int(id) for id in ids[:2]], **{name: own[name] for name in TERMS if own.get(name)}},
    )


async def _selected(desk: DeskRequest, form: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the ids of the ticked orders, or of all that match the filters."""
    if "all" not in form:
        return list(dict.fromkeys(each for each in form.get("pick", []) if parse_number(each)))[:MAX_ORDERS]
    asked = _filters({name: texts[-1] for name, texts in form.items() if name in FILTERS})
    ids: list[str] = []
    for page in range(1, MAX_ORDERS // PER_PAGE + 1):
        answer = await desk.read(list_ship_queue, {**asked, "page": page, "per_page": PER_PAGE}) or {}
        ids += [str(each["order_id"]) for each in answer.get("orders") or []]
        if len(ids) >= answer.get("total", 0):
            break
    return ids


async def end_of_day_page(desk: DeskRequest) -> Response:
    """Show the labels that would be handed over, by carrier account."""
    return await _end_of_day(desk)


async def close_day(desk: DeskRequest) -> Response:
    """Close the day with the carriers and show what each accepted."""
    form = {name: texts[-1] for name, texts in (await _posted(desk)).items()}
    if not desk.session.is_genuine_form(desk.request, form):
        return await _end_of_day(desk, problem=desk.say("sign_in.again"), status_code=403)
    result = await desk.call(end_of_day, {}, idempotency_key=form.get("once"))
    if result.error is not None:
        return await _end_of_day(desk, problem=result.error["message"], status_code=result.status)
    return await _end_of_day(desk, closed=plain_answer(result))


async def _end_of_day(
    desk: DeskRequest,
    *,
    closed: Mapping[str, Any] | None = None,
    problem: str | None = None,
    status_code: int = 200,
) -> Response:
    if not desk.may(end_of_day):
        return not_found(desk)
    methods = (await desk.read_if_allowed(get_shipping_methods)).get("methods") or []
    manifests = (await desk.read_if_allowed(list_shipping_manifests, per_page=MANIFESTS_SHOWN)).get("manifests") or []
    waiting = [
        (each, found["total"])
        for each in methods
        if (found := await _open_labels(desk, each["account_id"])) and found["total"]
    ]
    return desk.page(
        "desk_ship_close.html",
        status_code=status_code,
        waiting=waiting,
        labels=sum(count for _, count in waiting),
        accounts={each["account_id"]: each["account"] for each in methods},
        manifests=manifests,
        closed=closed,
        problem=problem,
        once=secrets.token_urlsafe(16),
        call=end_of_day,
        values={},
    )


async def _open_labels(desk: DeskRequest, account_id: int) -> dict[str, Any]:
    asked = {"open_manifest": True, "ship_to": str(desk.today), "account_id": account_id, "per_page": 1}
    return await desk.read_if_allowed(list_shipments, **asked)


async def scan_page(desk: DeskRequest) -> Response:
    """Show the label of a scanned number, and whether it can leave."""
    if not desk.may(list_shipments):
        return not_found(desk)
    code = desk.texts.get("code", [""])[-1].strip()
    found = await _find_scanned(desk, code) if code else []
    checked = [each for each in desk.texts.get("checked", [""])[-1].split() if parse_number(each)][-SCANS_KEPT:]
    good = bool(found) and found[0]["state"] == "purchased"
    if good and str(found[0]["id"]) not in checked:
        checked.append(str(found[0]["id"]))
    return desk.page(
        "desk_ship_scan.html",
        code=code,
        shipment=found[0] if found else None,
        good=good,
        checked=checked,
        call=list_shipments,
        values={"tracking_number": code or "HC0123456789ABCDEFX"},
    )


async def _find_scanned(desk: DeskRequest, code: str) -> list[dict[str, Any]]:
    """Return the newest shipment with a tracking number or order reference."""
    for name in ("tracking_number", "order_ref"):
        answer = await desk.read(list_shipments, {name: code, "per_page": 1})
        if answer and answer["shipments"]:
            return answer["shipments"]
    return []
