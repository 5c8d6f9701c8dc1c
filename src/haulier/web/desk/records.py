"""Page of a record: facts, actions, related lists and history."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.orders.delivery_orders.operations.query import get_order_detail
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.resources import Resource
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.act_keys import act_keys
from haulier.web.desk.customers import load_customer
from haulier.web.desk.day_routes import offer_day_route
from haulier.web.desk.fleet import load_driver
from haulier.web.desk.fleet_records import load_user, load_vehicle
from haulier.web.desk.forms import form_of
from haulier.web.desk.own_fields import with_own_labels
from haulier.web.desk.pages import DeskRequest, not_found, plain_answer, tables_in
from haulier.web.desk.payouts import load_payout
from haulier.web.desk.pickers import load_names
from haulier.web.desk.places import acts_on, address_of, declarations, record_kind
from haulier.web.desk.reader import facts_of, id_of, record_in
from haulier.web.desk.received_payments import load_received_payment
from haulier.web.desk.record_map import map_of_record
from haulier.web.desk.undo import undo_in_address

Op = Operation[Any, Any]
ROWS_SOUGHT = 200
HISTORY_SHOWN = 10
ENDING_VERBS = ("abort_", "cancel_", "reverse_")
"""Actions that end or revert work are offered, but never highlighted."""
RECORD_DETAILS: dict[str, Callable[[DeskRequest, Mapping[str, Any]], Awaitable[dict[str, Any]]]] = {
    "customers": load_customer,
    "drivers": load_driver,
    "vehicles": load_vehicle,
    "users": load_user,
    "payouts": load_payout,
    "received-payments": load_received_payment,
}
"""Reads of designed record pages besides the record itself."""


class HistoryPart(Struct, frozen=True):
    """History of a record."""

    entries: list[dict[str, Any]]
    """The newest first."""
    rest: str | None
    """Where all of it is listed; None where this is all."""


async def record_page(desk: DeskRequest) -> Response:
    """One record: what it holds, what can be done with it, and what was done."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    ids = desk.request.path_params["ids"].split("/")
    if noun is None or len(ids) != len(noun.ids) or not desk.may(noun.record or noun.listing):
        return not_found(desk)
    found, result = await find_record(desk, noun)
    if found is None:
        return not_found(desk, result)
    shown, values = noun.record or noun.listing, found.pop("values")
    part = record_part(desk, noun, found)
    return desk.page(
        "desk_record.html",
        noun=noun,
        part=desk.with_own_tokens(part),
        live=desk.live_address(shown, part),
        named=found["named"],
        title=found["title"],
        has_map=bool(found["map"]),
        being_made=bool(found["download"]) and found["record"].get("state") == "queued",
        done=desk.places.registry.get(desk.request.query_params.get("done", "")),
        undo=undo_in_address(desk),
        call=shown,
        values=values if noun.record else {},
    )


def record_part(desk: DeskRequest, noun: Resource, found: dict[str, Any]) -> str:
    """Render the part of a record's page that updates by itself."""
    template = declarations().record_parts.get(noun.key, "desk_facts.html")
    return desk.part(template, **found)


async def find_record(desk: DeskRequest, noun: Resource) -> tuple[dict[str, Any] | None, OperationResult | None]:
    """Find the facts of a record, or the reason why it is not shown."""
    ids = desk.request.path_params["ids"].split("/")
    named = dict(zip(noun.ids, ids, strict=True))
    form = form_of((noun.record or noun.listing).request)
    values = form.values({name: [text] for name, text in named.items()}, desk.session.time_zone)
    answer, result = await _record_answer(desk, noun, values)
    if answer is None:
        return None, result
    record = await with_own_labels(desk, record_in(answer))
    tables = tables_in(desk, record, noun)
    await load_names(desk, [record], record)
    for table in tables.values():
        await load_names(desk, table.rows, table.columns)
    within = [inner for inner in desk.places.nouns if inner.parents == noun.ids and desk.may(inner.listing)]
    made_within = [make for inner in within for make in inner.makes if desk.may(make)]
    return {
        "values": values,
        "noun": noun,
        "named": named,
        "record": record,
        "map": await map_of_record(desk, noun, record),
        "facts": facts_of(record),
        "title": desk.reader.record_title(noun, ids, record),
        "tables": tables,
        "acts": (acts := foremost_first(noun, [*_allowed_acts(noun, desk, record), *made_within])),
        "primary": primary_act(noun, acts),
        "keys": act_keys(desk.places, noun),
        "download": desk.places.registry.get(declarations().downloads.get(noun.key, "")),
        "within": within,
        "inner": await _inner_rows(desk, noun, within, values),
        "looks": [look for look in noun.looks if desk.may(look)],
        "day_route": await offer_day_route(desk, record) if noun.record is get_order_detail else None,
        "led_to": desk.places.led_to(noun, ids[-1], desk.session),
        "history": await _history(desk, noun, ids[-1]),
        **(await RECORD_DETAILS[noun.key](desk, record) if noun.key in RECORD_DETAILS else {}),
    }, result


async def _inner_rows(
    desk: DeskRequest, noun: Resource, within: Iterable[Resource], values: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the lists that a record's page shows, by noun."""
    shown = declarations().shown_within.get(noun.key, [])
    answers = {inner: await desk.read(inner.listing, values) for inner in within if inner.key in shown}
    return {inner.key: (answer or {}).get(inner.rows) or [] for inner, answer in answers.items()}


async def _record_answer(
    desk: DeskRequest, noun: Resource, values: dict[str, Any]
) -> tuple[dict[str, Any] | None, OperationResult | None]:
    """Return the answer with one record, from its list if no read shows it."""
    if noun.record and desk.may(noun.record):
        result = await desk.call(noun.record, values)
        return (plain_answer(result) if result.error is None else None), result
    within = {name: values[name] for name in noun.parents if name in values}
    fields = noun.listing.request.model_fields
    listed = await desk.read(noun.listing, {**within, **({"per_page": ROWS_SOUGHT} if "per_page" in fields else {})})
    wanted = desk.request.path_params["ids"].split("/")[-1]
    rows = (listed or {}).get(noun.rows) or []
    return next((row for row in rows if id_of(noun, row) == wanted), None), None


async def _history(desk: DeskRequest, noun: Resource, id: str) -> HistoryPart | None:
    """Return the history of a record, newest first, or None if empty or not permitted."""
    history = desk.places.registry.get(declarations().parts["history"])
    if history is None or not desk.may(history) or not id.isdecimal():
        return None
    about = {"subject_kind": record_kind(noun), "subject_id": int(id)}
    answer = await desk.read(history, {**about, "per_page": HISTORY_SHOWN}) or {}
    entries = answer.get("entries") or []
    more = answer.get("total", 0) > len(entries) or bool(answer.get("next_cursor"))
    listed = desk.places.nouns.of_operation.get(history.name)
    return (
        HistoryPart(entries, f"{address_of(listed)}?{urlencode(about)}" if listed and more else None)
        if entries
        else None
    )


def _allowed_acts(noun: Resource, desk: DeskRequest, record: Mapping[str, Any]) -> list[Op]:
    """Return the actions allowed for the caller in the record's current status."""
    return [act for act in acts_on(noun, desk.session) if act.is_allowed_by(record)]


def foremost_first(noun: Resource, acts: Iterable[Op]) -> list[Op]:
    """Acts of a record: first those that people come for."""
    foremost = declarations().foremost.get(noun.key, [])
    return sorted(acts, key=lambda act: foremost.index(act.name) if act.name in foremost else len(foremost))


def primary_act(noun: Resource, acts: list[Op]) -> str | None:
    """Return the highlighted action: the first, unless it ends or reverts work."""
    first = acts[0].name if acts else ""
    is_primary = first in declarations().foremost.get(noun.key, []) and not first.startswith(ENDING_VERBS)
    return first if is_primary else None
