"""Answers about delivery orders from rows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import asdict

from haulier.contexts.custom_fields.public import ResourceKind, show_custom_fields
from haulier.contexts.orders.delivery_orders.contract.corrections import OrderException, OrderProblem
from haulier.contexts.orders.delivery_orders.contract.items import GoodsPlace, OrderItemRecord
from haulier.contexts.orders.delivery_orders.contract.orders import (
    CreateOrder,
    OrderAddressRecord,
    OrderDetail,
    OrderPackageRecord,
    OrderPriceLine,
    OrderRecord,
    OrderStepRecord,
    OrderWarning,
    PriceChange,
)
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids, sees_ratings
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DATED_BY_STEP,
    DATED_BY_WINDOW,
    PICKUP_FULFILMENT,
    PIECE_PROBLEMS,
    PLANNING_STEPS,
    OrderProblemKind,
    OrderState,
    OrderStatus,
    may_see_people,
    offered_order_actions,
    was_picked_up,
)
from haulier.contexts.orders.delivery_orders.rules.warnings import OrderOddity, WarningFacts, find_oddities
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows
from haulier.contexts.orders.delivery_orders.store.lists import OrderDetailRow, OrderExceptionRow
from haulier.contexts.orders.delivery_orders.store.piece_exceptions import (
    PieceExceptionRow,
    list_open_piece_exceptions,
)
from haulier.contexts.orders.ports import (
    DepotPlaces,
    OpenShortage,
    OrderPlacement,
    OrderRoutes,
    OrderShortages,
    SkillCatalogue,
)
from haulier.contexts.places.public import get_zone_index
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.records import record


async def order_exceptions(call: Call, rows: Sequence[OrderExceptionRow]) -> list[OrderException]:
    """Orders with their problems; three statements for any number of orders."""
    ids = [row.id for row in rows]
    placements = await call.adapter(OrderRoutes).get_placements(call, ids)
    last_steps = await orders_store.get_last_changes(call.work, ids)
    with_pieces = [row.id for row in rows if any(getattr(row, kind.value) for kind in PIECE_PROBLEMS)]
    pieces = await list_open_piece_exceptions(call.work, with_pieces)
    by_order: dict[int, list[PieceExceptionRow]] = {}
    for piece in pieces:
        by_order.setdefault(piece.order_id, []).append(piece)
    shortages = await _list_shortages(call, [row.id for row in rows if getattr(row, OrderProblemKind.STOCK_SHORT)])
    return [
        _order_exception(
            call,
            row,
            placements.get(row.id),
            last_steps.get(row.id),
            by_order.get(row.id, ()),
            shortages.get(row.id, ()),
        )
        for row in rows
    ]


async def _list_shortages(call: Call, order_ids: Sequence[int]) -> dict[int, list[OpenShortage]]:
    """Return the open stock shortages of orders for staff, by order."""
    stock = call.app.find_adapter(OrderShortages) if call.principal.account in OFFICE else None
    found: dict[int, list[OpenShortage]] = {}
    for each in await stock.list_open(call, order_ids) if stock and order_ids else ():
        found.setdefault(each.order_id, []).append(each)
    return found


def _order_exception(
    call: Call,
    row: OrderExceptionRow,
    placement: OrderPlacement | None,
    last_step: orders_store.ChangeRow | None,
    pieces: Sequence[PieceExceptionRow],
    shortages: Sequence[OpenShortage],
) -> OrderException:
    return record(
        OrderException,
        row,
        route_id=placement and placement.route_id,
        driver_id=placement and placement.driver_id,
        driver_name=placement and placement.driver_name,
        stop_number=placement and placement.stop_number,
        planned_arrival_at=call.local_time(placement.planned_arrival_at) if placement else None,
        order_id=row.id,
        status=OrderStatus(row.status).name,
        name=row.stop_name,
        address=row.stop_address,
        window_start=call.local_time(row.window_start),
        window_end=call.local_time(row.window_end),
        problems=[
            *_problems(call, row, last_step, shortages),
            *_piece_problems(call, pieces),
        ],
    )


def _problems(
    call: Call, row: OrderExceptionRow, last_step: orders_store.ChangeRow | None, shortages: Sequence[OpenShortage]
) -> Iterator[OrderProblem]:
    for kind in OrderProblemKind:
        if kind in PIECE_PROBLEMS or not getattr(row, kind.value):
            continue
        if kind is OrderProblemKind.STOCK_SHORT and shortages:
            yield from (_stock_problem(call, each) for each in shortages)
            continue
        step = last_step if kind in DATED_BY_STEP else None
        since = row.window_end if kind in DATED_BY_WINDOW else step and step.at
        yield OrderProblem(
            kind=kind,
            since=call.local_time(since),
            reason=step and step.reason,
            message=call.translate(f"order_problem_{kind.value}"),
        )


def _stock_problem(call: Call, shortage: OpenShortage) -> OrderProblem:
    return OrderProblem(
        kind=OrderProblemKind.STOCK_SHORT,
        since=call.local_time(shortage.created_at),
        reason=shortage.note,
        message=call.translate("order_problem_stock_short"),
        shortage_id=shortage.id,
        sku=shortage.sku,
        quantity=shortage.quantity,
        owner_id=shortage.owner_id,
    )


def _piece_problems(call: Call, pieces: Sequence[PieceExceptionRow]) -> Iterator[OrderProblem]:
    for piece in pieces:
        yield OrderProblem(
            kind=OrderProblemKind(piece.kind),
            since=call.local_time(piece.created_at),
            reason=piece.note,
            message=call.translate(f"order_problem_{piece.kind}"),
            exception_id=piece.id,
            piece=piece.piece,
            owner_id=piece.owner_id,
        )


STOP_COLUMNS = {
    "name": "stop_name",
    "address": "stop_address",
    "city": "stop_city",
    "postal_code": "stop_postal_code",
    "lat": "lat",
    "lng": "lng",
}
"""Fields of an order's stop, and the columns that they come from."""
_stop_values = attrgetter(*STOP_COLUMNS.values())
_NO_STOP = dict.fromkeys(STOP_COLUMNS)
_NO_PLACEMENT = dict.fromkeys(OrderPlacement.__struct_fields__)
StepsByOrder = Mapping[int, Collection[str]]
STEPPING_ACCOUNTS = OFFICE | {Account.CUSTOMER}
"""Accounts with actions that end when the goods are picked up."""


def order_state(row: orders_store.OrderSummaryRow, *, collected: bool, on_route: bool = False) -> OrderState:
    """The facts that decide the caller's rights."""
    return OrderState(
        status=OrderStatus(row.status),
        type=row.type,
        self_delivery=row.fulfilment == "self_delivery",
        third_party_held=bool(row.third_party_held),
        contractor_id=row.contractor_id,
        collected=collected,
        on_route=on_route,
        attempts=row.attempts,
        of_partner=row.partner_offer_id is not None,
        for_pickup=row.fulfilment == PICKUP_FULFILMENT,
        is_ready=row.pickup_ready_at is not None,
    )


def _computed_fields(
    call: Call,
    row: orders_store.OrderSummaryRow,
    state: OrderState,
    placement: OrderPlacement | None,
    custom_fields: dict[str, Any],
) -> dict[str, Any]:
    price = row.price or {}
    return {
        "custom_fields": custom_fields,
        **(dict(zip(STOP_COLUMNS, _stop_values(row), strict=True)) if _sees_people(call, row) else _NO_STOP),
        **(asdict(placement) if placement else _NO_PLACEMENT),
        "status": state.status.name,
        "order_status_id": row.status,
        "driver_user_id": row.driver_id if _is_not_customer(call) else None,
        "rating": row.rating if sees_ratings(call) else None,
        "allowed_actions": [*offered_order_actions(state, call.principal.account, call.actor)],
        "shipping_price": price.get("total", UNSET),
        "currency": price.get("currency", UNSET),
    }


async def order_records(
    call: Call,
    rows: Sequence[orders_store.OrderSummaryRow],
    *,
    steps: StepsByOrder | None = None,
    with_items: bool = False,
) -> list[OrderRecord]:
    """Return orders of a list, each with the caller's available actions.

    `steps` are the steps of the orders, if they were read. With their items, one statement more.
    """
    computed = await _computed_fields_for_caller(call, rows, steps)
    if with_items:
        items = await list_order_item_rows(call.work, [row.id for row in rows])
        for row, fields in zip(rows, computed, strict=True):
            fields["items"] = [record(OrderItemRecord, item) for item in items.get(row.id, ())]
    return [record(OrderRecord, row, **fields) for row, fields in zip(rows, computed, strict=True)]


async def new_order_record(call: Call, row: orders_store.OrderRow) -> OrderRecord:
    """Return the record of an order created in this call.

    It is on no route and its goods have not moved, so nothing is read.
    """
    (custom_fields,) = await show_custom_fields(call, ResourceKind.ORDER, [row.custom_fields])
    return record(OrderRecord, row, **_fields_for_caller(call, row, None, custom_fields, collected=False))


async def order_record(call: Call, row: orders_store.OrderRow) -> OrderRecord:
    """An order in an answer of its own."""
    return (await order_records(call, [row]))[0]


async def _computed_fields_for_caller(
    call: Call,
    rows: Sequence[orders_store.OrderSummaryRow],
    steps: StepsByOrder | None,
    placements: Mapping[int, OrderPlacement] | None = None,
) -> list[dict[str, Any]]:
    """`placements` say where the orders stand, where that was read with the rows."""
    account = call.principal.account
    if not _is_not_customer(call):
        placements = {}
    elif placements is None:
        placements = await call.adapter(OrderRoutes).get_placements(call, [row.id for row in rows])
    picked_up = await _picked_up_ids(call, rows, steps) if account in STEPPING_ACCOUNTS and rows else set[int]()
    shown = await show_custom_fields(call, ResourceKind.ORDER, [row.custom_fields for row in rows])
    return [
        _fields_for_caller(call, row, placements.get(row.id), custom_fields, collected=row.id in picked_up)
        for row, custom_fields in zip(rows, shown, strict=True)
    ]


def _fields_for_caller(
    call: Call,
    row: orders_store.OrderSummaryRow,
    placement: OrderPlacement | None,
    custom_fields: dict[str, Any],
    *,
    collected: bool,
) -> dict[str, Any]:
    state = order_state(row, collected=collected, on_route=placement is not None)
    return _computed_fields(call, row, state, placement, custom_fields)


async def _picked_up_ids(
    call: Call, rows: Sequence[orders_store.OrderSummaryRow], steps: StepsByOrder | None
) -> set[int]:
    if steps is None:
        return await find_picked_up_order_ids(call, rows)
    return {row.id for row in rows if was_picked_up(row.type, steps[row.id])}


class OrderStepDocument(Struct, frozen=True):
    """A step in the JSON list of an order's steps."""

    step: str
    status: int
    at: datetime
    recorded_at: datetime
    by_user_id: int | None
    reason: str | None


def is_shown_step(call: Call, step: str) -> bool:
    """Return True if the caller may read a step. Customers do not see planning."""
    return _is_not_customer(call) or step not in PLANNING_STEPS


def order_step_record(call: Call, row: orders_store.ChangeRow | OrderStepDocument) -> OrderStepRecord:
    """Return the record of a step.

    Customers read the author and reason of their own steps only.
    """
    is_shown = _is_not_customer(call) or row.by_user_id == call.actor
    return record(
        OrderStepRecord,
        row,
        status=OrderStatus(row.status).name,
        at=call.local_time(row.at),
        recorded_at=call.local_time(row.recorded_at),
        by_user_id=row.by_user_id if is_shown else None,
        reason=row.reason if is_shown else None,
    )


def _end_record(call: Call, end: Mapping[str, Any] | None) -> OrderAddressRecord | None:
    """Return a party of an order.

    Drivers do not see the email address, which proves a recipient (see delivery PINs).
    """
    shown = msgspec.convert(end, OrderAddressRecord | None)
    if shown is not None and call.principal.account is Account.DRIVER:
        shown.email = None
    return shown


def _sees_people(call: Call, row: orders_store.OrderSummaryRow) -> bool:
    account = call.principal.account
    return account is not Account.DRIVER or may_see_people(OrderStatus(row.status), row.updated_at, account, call.now)


def _is_not_customer(call: Call) -> bool:
    return call.principal.account is not Account.CUSTOMER


async def _package_records(call: Call, row: OrderDetailRow) -> list[OrderPackageRecord]:
    pieces = sorted(row.packages, key=itemgetter("id"))
    shown = await show_custom_fields(call, ResourceKind.PACKAGE, [piece["custom_fields"] for piece in pieces])
    documents = [{**piece, "custom_fields": values} for piece, values in zip(pieces, shown, strict=True)]
    return msgspec.convert(documents, list[OrderPackageRecord])


async def order_detail(call: Call, row: OrderDetailRow) -> OrderDetail:
    """Return an order in full.

    Without the note for customers, and without contacts for drivers after the access period.
    """
    price, people = row.price or {}, _sees_people(call, row)
    steps = msgspec.convert(sorted(row.steps, key=itemgetter("id")), list[OrderStepDocument])
    taken = {row.id: [step.step for step in steps]}
    placement = call.adapter(OrderRoutes).read_placement(row.places) if row.places else None
    placements = {row.id: placement} if placement else {}
    (computed,) = await _computed_fields_for_caller(call, [row], taken, placements)
    return record(
        OrderDetail,
        row,
        **computed,
        shipper=_end_record(call, row.shipper) if people else None,
        consignee=_end_record(call, row.consignee) if people else None,
        goods_at=msgspec.convert(row.goods_at, GoodsPlace | None) if _is_not_customer(call) and people else None,
        packages=await _package_records(call, row),
        items=msgspec.convert(sorted(row.items, key=itemgetter("id")), list[OrderItemRecord]),
        note=row.note if _is_not_customer(call) and people else None,
        delivery_instruction=row.delivery_instruction if people else None,
        rating_comment=row.rating_comment if sees_ratings(call) else None,
        rated_at=call.local_time(row.rated_at) if sees_ratings(call) else None,
        pickup_ready_at=call.local_time(row.pickup_ready_at),
        signature_required=bool(price.get("signature_required")),
        steps=[order_step_record(call, step) for step in steps if is_shown_step(call, step.step)],
        tax=price.get("tax", UNSET),
        price_details=[OrderPriceLine(code=line["code"], amount=line["amount"]) for line in price.get("lines", ())]
        or UNSET,
    )


def price_change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> PriceChange:
    """The totals of two prices, and their difference where both are known."""
    old, new = ((price or {}).get("total", UNSET) for price in (before, after))
    difference = UNSET if old is UNSET or new is UNSET else new - old
    return PriceChange(before=old, after=new, difference=difference)


async def load_warning_facts(call: Call, requests: Collection[CreateOrder]) -> WarningFacts:
    """Return the facts for the warnings of some orders. At most three statements."""
    codes = {skill for request in requests for skill in request.skills}
    unknown = await call.adapter(SkillCatalogue).find_unknown_skills(call, codes) if codes else ()
    located = any(end.place for request in requests for end in request.visited_ends.values())
    depots = await call.adapter(DepotPlaces).list_depot_places(call) if located else ()
    return WarningFacts(unknown, await get_zone_index(call), depots)


def order_warnings(call: Call, request: CreateOrder, facts: WarningFacts) -> list[OrderWarning]:
    """The warnings beside an order that was created or corrected."""
    return [warning_record(call, oddity) for oddity in find_oddities(request, call.local_time(call.now), facts)]


def warning_record(call: Call, oddity: OrderOddity) -> OrderWarning:
    """Return a warning in the caller's language."""
    message = call.translate(oddity.message, **oddity.params)
    return OrderWarning(field=oddity.field, code=oddity.code.upper(), message=message)
