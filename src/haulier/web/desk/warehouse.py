"""Warehouse: what needs doing now, stock search, and moves of found units."""

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.warehouse.counts.operations import create_stock_count, list_stock_counts
from haulier.contexts.warehouse.packages.operations import get_package
from haulier.contexts.warehouse.picking.operations import (
    create_pick_wave,
    list_pick_waves,
    list_stock_reservations,
    pack_stock,
    ship_stock,
)
from haulier.contexts.warehouse.receiving.operations import (
    create_stock_advice,
    get_stock_advice,
    list_stock_advices,
    put_stock_away,
    receive_stock_advice,
)
from haulier.contexts.warehouse.shortages.operations import list_stock_shortages
from haulier.contexts.warehouse.stock.operations import (
    get_inventory,
    list_stock_levels,
    list_stock_movements,
    move_stock,
)
from haulier.contexts.warehouse.stock_search.operations import find_stock
from haulier.contexts.warehouse.transfers.operations import (
    create_transfer,
    get_transfer,
    list_transfers,
    roll_back_transfer,
)
from haulier.contexts.warehouse.warehouses.operations import get_warehouses, list_locations
from haulier.kernel.application import Application
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.live import LIVE_PARTS
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, parse_number, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.operations_client import read_form_fields

WAREHOUSE = "/desk/warehouse"
JOBS_SHOWN, STOCK_SHOWN, WAREHOUSES_MAX, LOCATIONS_OFFERED, WAVE_MAX = 5, 50, 100, 100, 50
TRANSFERS_UNDER_WAY = ("draft", "in_transit", "received")
PIECES = ("sku", "lot", "serial", "condition")
QUERY_MAX = 100


def module_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of the page, and let its part update by itself."""
    LIVE_PARTS[WAREHOUSE_PART.name] = WAREHOUSE_PART
    shown_by = partial(make_endpoint, app)
    return [
        Route(WAREHOUSE, shown_by(warehouse_page), methods=["GET"]),
        Route(WAREHOUSE, shown_by(submit_warehouse), methods=["POST"]),
    ]


async def warehouse_page(desk: DeskRequest) -> Response:
    """Show what needs doing, or the stock that a search finds."""
    if not desk.may(find_stock):
        return not_found(desk)
    return await _page(desk)


def _asked(desk: DeskRequest) -> dict[str, int]:
    """Return the warehouse of the address, if it names one."""
    number = desk.number("warehouse")
    return {} if number is None else {"warehouse_id": number}


def _query(desk: DeskRequest) -> str:
    return desk.texts.get("q", [""])[-1].strip()[:QUERY_MAX]


def _by(desk: DeskRequest) -> str:
    return "location" if desk.texts.get("by", [""])[-1] == "location" else "product"


async def _page(desk: DeskRequest, *, problem: str = "", form_at: str = "", status_code: int = 200) -> Response:
    warehouses = await load_warehouses(desk)
    query = _query(desk)
    found = await load_found(desk, query) if query else await load_jobs(desk)
    shown = {"warehouses": warehouses, **found}
    return desk.page(
        "desk_warehouse.html",
        status_code=status_code,
        query=query,
        chosen=_asked(desk).get("warehouse_id"),
        **shown,
        **({} if query else WAREHOUSE_PART.shown(desk, shown)),
        done=desk.find(desk.request.query_params.get("done", "")),
        moved=await _moved(desk) if query else None,
        at=desk.request.query_params.get("at", ""),
        problem=problem,
        form_at=form_at,
        once=secrets.token_urlsafe(16),
        new=[each for each in (create_stock_advice, create_stock_count, create_transfer) if desk.may(each)],
        call=find_stock if query else None,
        values={"search": query, **_asked(desk)},
    )


async def load_warehouses(desk: DeskRequest) -> dict[int, str]:
    """Return the names of warehouses by id."""
    found = await desk.read_if_allowed(get_warehouses, per_page=WAREHOUSES_MAX)
    return {each["id"]: each["name"] for each in found.get("warehouses") or []}


async def load_part(desk: DeskRequest) -> dict[str, Any] | None:
    """Return what the live part shows."""
    return {"warehouses": await load_warehouses(desk), **await load_jobs(desk)} if desk.may(find_stock) else None


async def load_jobs(desk: DeskRequest) -> dict[str, Any]:
    """Return what waits, and a page of stock, in a constant number of reads."""
    where = _asked(desk)
    asked, many = {**where, "per_page": JOBS_SHOWN}, {**where, "per_page": WAVE_MAX}
    advices = await desk.read_if_allowed(list_stock_advices, open=True, **asked)
    arrived = await desk.read_if_allowed(list_stock_levels, location_kind="receiving", **many)
    waiting = await desk.read_if_allowed(list_stock_reservations, picked=False, in_wave=False, **many)
    counts = [await desk.read_if_allowed(list_stock_counts, state=state, **asked) for state in ("counted", "open")]
    short = await desk.read_if_allowed(get_inventory, short=True, **many)
    return {
        "advices": advices,
        "arrived": arrived.get("levels") or [],
        "waiting": waiting,
        "waves": await desk.read_if_allowed(list_pick_waves, open=True, **asked),
        "picked": await desk.read_if_allowed(list_stock_reservations, picked=True, **asked),
        "counted": counts[0],
        "counting": counts[1],
        "short": short,
        "shortages": await desk.read_if_allowed(list_stock_shortages, **asked),
        "transfers": await _transfers(desk),
        "wave_of": _wave_of,
        "lines_of": _lines_of,
        "advise": create_stock_advice,
        "pack": pack_stock,
        "ship": ship_stock,
        "json": lambda value: msgspec.json.encode(value).decode(),
        "shown_most": JOBS_SHOWN,
        "address": WAREHOUSE + (f"?{urlencode({'warehouse': where['warehouse_id']})}" if where else ""),
        **await _stock(desk),
    }


async def _transfers(desk: DeskRequest) -> dict[str, Any]:
    """Return transfers that are under way, newest first, and their number."""
    found = [
        await desk.read_if_allowed(list_transfers, status=status, per_page=JOBS_SHOWN) for status in TRANSFERS_UNDER_WAY
    ]
    rows = [each for page in found for each in page.get("transfers") or []]
    rows.sort(key=lambda each: -each["id"])
    return {"transfers": rows[:JOBS_SHOWN], "total": sum(page.get("total", 0) for page in found)}


def _lines_of(levels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines that put away the free pieces of levels."""
    return [
        {
            **{name: each[name] for name in PIECES if each[name] is not None},
            "quantity": each["on_hand"] - each["reserved"],
            "from_location_id": each["location_id"],
        }
        for each in levels
        if each["on_hand"] > each["reserved"]
    ]


def _wave_of(reservations: list[dict[str, Any]]) -> dict[int, list[str]]:
    """Return the references that wait, by warehouse, as many as a wave takes."""
    waves: dict[int, list[str]] = {}
    for each in reservations:
        waves.setdefault(each["warehouse_id"], []).append(each["reference"])
    return {warehouse: references[:WAVE_MAX] for warehouse, references in waves.items()}


async def _stock(desk: DeskRequest) -> dict[str, Any]:
    """Return a page of stock by product or by location."""
    by, cursor = _by(desk), desk.texts.get("cursor", [""])[-1]
    asked = {**_asked(desk), "per_page": STOCK_SHOWN, **({"cursor": cursor} if cursor else {})}
    read, rows = (get_inventory, "inventory") if by == "product" else (list_stock_levels, "levels")
    found = await desk.read_if_allowed(read, **asked)
    return {"by": by, "stock": found.get(rows) or [], "next_cursor": found.get("next_cursor")}


async def load_found(desk: DeskRequest, query: str) -> dict[str, Any]:
    """Return the products, locations, package and stock that a search finds."""
    found = await desk.read_if_allowed(find_stock, search=query, **_asked(desk))
    package = await _package(desk, found)
    ids = list(dict.fromkeys(each["warehouse_id"] for each in found.get("levels") or []))[:2]
    offered = {
        id: (await desk.read_if_allowed(list_locations, warehouse_id=id, per_page=LOCATIONS_OFFERED)).get("locations")
        or []
        for id in ids
    }
    return {"found": found, "offered": offered, "movable": desk.may(move_stock), **package}


async def _package(desk: DeskRequest, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the moves, last transfer and possible actions of a found package."""
    if not found.get("packages"):
        return {"package": None}
    number = found["packages"][0]["number"]
    read = await desk.read_if_allowed(get_package, number=number)
    package, moves = read.get("package") or found["packages"][0], read.get("moves") or []
    last = package["transfer_id"] or next(
        (each["transfer_id"] for each in reversed(moves) if each["transfer_id"]), None
    )
    transfer = (await desk.read_if_allowed(get_transfer, transfer_id=last)).get("transfer") if last else None
    back = f"{WAREHOUSE}?{urlencode({'q': number})}"
    ways: dict[str, str] = {}
    if transfer and "roll_back" in transfer["allowed_actions"] and desk.may(roll_back_transfer):
        ways["roll_back"] = act_address(roll_back_transfer, transfer_id=last, back=back)
    if package["transfer_id"] is None and package["warehouse_id"] and desk.may(create_transfer):
        ways["transfer"] = act_address(
            create_transfer, from_warehouse_id=package["warehouse_id"], numbers=number, back=back
        )
    return {"package": package, "moves": moves, "transfer": transfer, "ways": ways}


async def _moved(desk: DeskRequest) -> dict[str, Any] | None:
    """Return the move that was just made, so that it can be undone."""
    id, sku = desk.request.query_params.get("moved", ""), desk.request.query_params.get("sku", "")
    if not (id.isdecimal() and sku):
        return None
    listed = await desk.read_if_allowed(list_stock_movements, sku=sku, per_page=JOBS_SHOWN)
    for each in listed.get("movements") or []:
        if str(each["id"]) == id and each["from_location_id"] and each["to_location_id"]:
            line = {name: each[name] for name in (*PIECES, "quantity") if each[name] is not None}
            return {**line, "from_location_id": each["to_location_id"], "to_location_id": each["from_location_id"]}
    return None


async def submit_warehouse(desk: DeskRequest) -> Response:
    """Run a one-step job of the page: receive, put away, create a wave or move."""
    form = dict(await read_form_fields(desk.request))
    do = HANDLERS.get(form.get("do", "").partition(" ")[0])
    if do is None or not desk.may(find_stock):
        return not_found(desk)
    if not desk.session.is_genuine_form(desk.request, form):
        return await _page(desk, problem=desk.say("sign_in.again"), status_code=403)
    # Buttons of a row carry their values, because their form stands outside the part that updates by itself.
    try:
        given = msgspec.json.decode(form["do"].partition(" ")[2] or "{}", type=dict[str, Any])
    except msgspec.DecodeError:
        return not_found(desk)
    outcome = await do(desk, {**given, **{name: text for name, text in form.items() if name not in {"do", "csrf"}}})
    return RedirectResponse(outcome, 303) if isinstance(outcome, str) else await _page(desk, **outcome)


def _once(form: Mapping[str, Any]) -> str:
    """Return the idempotency key of a button: one form serves several."""
    return hashlib.blake2s(msgspec.json.encode(sorted(form.items())), digest_size=16).hexdigest()


def _refused(result: OperationResult, form_at: str = "") -> dict[str, Any]:
    return {"problem": list_problems(result)[0], "form_at": form_at, "status_code": result.status}


def _address(desk: DeskRequest, **values: Any) -> str:
    kept = {name: desk.texts[name][-1] for name in ("q", "warehouse") if name in desk.texts}
    return f"{WAREHOUSE}?{urlencode({**kept, **values})}"


async def _first_location(desk: DeskRequest, warehouse_id: Any, kind: str) -> int | None:
    asked = {"warehouse_id": warehouse_id, "kind": kind, "per_page": 1}
    rows = (await desk.read_if_allowed(list_locations, **asked)).get("locations") or []
    return rows[0]["id"] if rows else None


JobOutcome = str | dict[str, Any]
"""The address to show next, or what the page says of a refusal."""


async def _receive(desk: DeskRequest, form: dict[str, Any]) -> JobOutcome:
    """Receive what is missing of an advice on the first receiving location."""
    advice = (await desk.read_if_allowed(get_stock_advice, advice_id=form.get("advice_id"))).get("advice") or {}
    dock = await _first_location(desk, advice.get("warehouse_id"), "receiving") if advice else None
    if dock is None:
        return {"problem": desk.say("warehouse_page.no_dock"), "status_code": 409}
    lines = [
        {"sku": each["sku"], "quantity": each["missing"], "location_id": dock}
        for each in advice["lines"]
        if each["missing"]
    ]
    values = {"advice_id": advice["id"], "lines": lines}
    result = await desk.call(receive_stock_advice, values, idempotency_key=_once(form))
    if result.error is not None:
        return _refused(result, act_address(receive_stock_advice, advice_id=advice["id"], back=WAREHOUSE))
    return _address(desk, done=receive_stock_advice.name)


async def _put_away(desk: DeskRequest, form: dict[str, Any]) -> JobOutcome:
    """Put pieces away on suggested locations, and show where they are."""
    values = {name: form.get(name) for name in ("warehouse_id", "lines")}
    result = await desk.call(put_stock_away, values, idempotency_key=_once(form))
    if result.error is not None:
        return _refused(result)
    movements = plain_answer(result)["movements"]
    one = {each["sku"] for each in movements}
    shown = {"q": movements[0]["sku"], "at": movements[0]["to_location_id"]} if len(one) == 1 else {}
    return _address(desk, done=put_stock_away.name, **shown)


async def _wave(desk: DeskRequest, form: dict[str, Any]) -> JobOutcome:
    """Create a wave of the references that wait, and show its pick list."""
    staging = await _first_location(desk, form.get("warehouse_id"), "packing")
    if staging is None:
        return {"problem": desk.say("warehouse_page.no_staging"), "status_code": 409}
    values = {name: form.get(name) for name in ("warehouse_id", "references")}
    result = await desk.call(create_pick_wave, {**values, "staging_location_id": staging}, idempotency_key=_once(form))
    if result.error is not None:
        return _refused(result)
    return f"/desk/pick-waves/{plain_answer(result)['wave']['id']}?done={create_pick_wave.name}"


async def _move(desk: DeskRequest, form: dict[str, Any]) -> JobOutcome:
    """Move pieces to the location whose code was typed or scanned."""
    line = {name: form[name] for name in PIECES if form.get(name)}
    to = form.get("to_location_id") or await _location_named(desk, form)
    if isinstance(to, dict):
        return to
    line |= {"quantity": _number(form.get("quantity")), "from_location_id": _number(form.get("from_location_id"))}
    values = {"lines": [{**line, "to_location_id": _number(to)}]}
    result = await desk.call(move_stock, values, idempotency_key=_once(form))
    if result.error is not None:
        return _refused(result)
    moved = plain_answer(result)["movements"]
    shown = {"moved": moved[0]["id"], "sku": line.get("sku", ""), "at": to} if moved and "undo" not in form else {}
    return _address(desk, done=move_stock.name, **shown)


def _number(text: Any) -> Any:
    """Return a typed number; the operation names what is none."""
    typed = str(text or "").strip()
    number = parse_number(typed)
    return typed if number is None else number


async def _location_named(desk: DeskRequest, form: Mapping[str, Any]) -> int | dict[str, Any]:
    """Return the location of a code, first of the same warehouse."""
    code = str(form.get("to", "")).strip()[:QUERY_MAX]
    found = await desk.read_if_allowed(find_stock, search=code) if code else {}
    rows = (found.get("locations") or []) if found.get("exact") else []
    near = [each for each in rows if str(each["warehouse_id"]) == form.get("warehouse_id")]
    chosen = near or rows
    if len(chosen) == 1:
        return int(chosen[0]["id"])
    problem = "several_locations" if chosen else "unknown_location"
    return {"problem": desk.say(f"warehouse_page.{problem}", code=code), "status_code": 422}


HANDLERS: Mapping[str, Callable[[DeskRequest, dict[str, Any]], Awaitable[JobOutcome]]] = {
    "receive": _receive,
    "put-away": _put_away,
    "wave": _wave,
    "move": _move,
}

WAREHOUSE_PART = LivePart(
    name="warehouse",
    template="desk_warehouse_live.html",
    load=load_part,
    reads=(find_stock, get_inventory),
    about=("warehouse", "product", "stock_advice", "pick_wave", "pick_package", "stock_count", "warehouse_transfer"),
    pause_s=5.0,
)
