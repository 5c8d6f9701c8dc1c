"""Writes of delivery orders for other families: corrections."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.actions.create import order_price, order_row_values, package_row_values
from haulier.contexts.orders.delivery_orders.actions.custom_fields import replaced_package_documents
from haulier.contexts.orders.delivery_orders.actions.order_items import (
    fill_corrected_items,
    replace_order_items,
    require_unpicked,
)
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.actions.transitions import (
    apply_order_transition,
    find_collected_order_ids,
    load_tracked_packages,
    reset_piece_outcomes,
)
from haulier.contexts.orders.delivery_orders.contract.corrections import (
    CorrectAddress,
    CorrectedPlace,
    CorrectOrder,
    GoodsAt,
    UpdateGoodsAt,
)
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.visible_orders import (
    find_picked_up_order_ids,
    get_visible_order,
    order_as_request,
)
from haulier.contexts.orders.delivery_orders.rules.corrections import (
    FIXED_ONCE_COLLECTED,
    PRICED_FIELDS,
    apply_corrections,
    find_address_faults,
    with_place,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    CORRECT_ADDRESS,
    CORRECTABLE_STATUSES,
    ORDER_IS_OVER,
    ORDER_STEP_REFUSED,
    TERMINAL_STATUSES,
    UPDATE_GOODS_AT,
    OrderStatus,
    OrderStep,
    may_correct_address,
    may_undo_delivery,
    may_update_goods_at,
    order_step_error,
    rescheduled_status_code,
)
from haulier.contexts.orders.delivery_orders.rules.whereabouts import GOODS_ON_ROUTE
from haulier.contexts.orders.delivery_orders.serializers import order_state
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows
from haulier.contexts.orders.delivery_orders.store.orders import delete_order_packages
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.orders.quotes.queries import get_rate_cards
from haulier.contexts.orders.quotes.rules import find_closed_ends, require_open, tax_on
from haulier.contexts.places.public import AddressText, get_zone_index
from haulier.contexts.tracking.public import IncidentReason, NewEvent, record_events, void_events
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found


async def set_order_charge(call: Call, order_id: int, code: str, amount: int | None) -> None:
    """Set or remove a charge line of an order's price.

    `amount` is in minor units before tax; None removes the line. The line keeps its own tax, so that removing it
    restores the earlier price. Orders without a price, and prices agreed between two businesses, are unchanged.
    """
    (row,) = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    price = row.price or {}
    known = next((line for line in price.get("lines", ()) if line["code"] == code), None)
    if "total" not in price or row.partner_offer_id is not None or (known or {}).get("amount") == (amount or None):
        return
    price = _without(price, known) if known else price
    if amount:
        card = (await get_rate_cards(call, quoted=False)).current
        price = _with(price, {"code": code, "amount": amount, "tax": tax_on(card, amount)})
    await change_orders(call, [order_id], price=price, updated_at=call.now)
    call.add_audit_subjects("order", order_id)


def preserve_charges(price: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """Return a new rate card price with the extra charges of the earlier price."""
    for line in (before or {}).get("lines", ()):
        if "tax" in line:
            price = _with(price, line)
    return price


def _with(price: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    added = {"tax": price["tax"] + line["tax"], "total": price["total"] + line["amount"] + line["tax"]}
    return {**price, **added, "lines": [*price["lines"], line]}


def _without(price: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    left = {"tax": price["tax"] - line["tax"], "total": price["total"] - line["amount"] - line["tax"]}
    return {**price, **left, "lines": [each for each in price["lines"] if each != line]}


async def write_order_step(call: Call, rows: Sequence[orders_store.OrderRow], step: str, note: str | None) -> None:
    """Write that the caller took a step with orders, whose status stays as it is."""
    changes = [
        {
            "order_id": row.id,
            "step": step,
            "status": row.status,
            "at": call.now,
            "recorded_at": call.now,
            "by_user_id": call.actor,
            "reason": note,
        }
        for row in rows
    ]
    await orders_store.insert_order_changes(call.work, changes)


async def record_order_step(call: Call, order_id: int, step: str, note: str | None) -> None:
    """Record an external event, such as a return of goods, in an order's history."""
    rows = await orders_store.list_order_rows(call.work, [order_id])
    await write_order_step(call, rows, step, note)
    for row in rows:
        await call.publish(OrderChanged(order_id=row.id))


REPORTED_WRONGLY = IncidentReason(code="other")
"""The reason of the delay of an order whose delivery was reported wrongly, and whose route is over."""


async def correct_order(call: Call, request: CorrectOrder) -> tuple[orders_store.OrderRow, CreateOrder]:
    """Correct an order that has not left the depot.

    Returns its earlier row and the corrected order. Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`, `SERVICE_UNKNOWN`,
    `RATE_NOT_AVAILABLE` or `INVALID_REQUEST`.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    collected = bool(await find_picked_up_order_ids(call, [row]))
    fields = request.given_fields
    if OrderStatus(row.status) not in CORRECTABLE_STATUSES or (collected and fields & FIXED_ONCE_COLLECTED):
        raise ORDER_STEP_REFUSED(step="correct", status=OrderStatus(row.status).name)
    if "items" in fields:
        await require_unpicked(call, row)
    packages = await orders_store.list_order_package_rows(call.work, [row.id])
    items = (await list_order_item_rows(call.work, [row.id])).get(row.id, [])
    before = order_as_request(row, packages, items)
    corrected = apply_corrections(before, request)
    if "items" in fields:
        corrected = await fill_corrected_items(call, corrected)
    fields |= {"packages"} if corrected.packages != before.packages else set()
    price = row.price
    if fields & PRICED_FIELDS and row.partner_offer_id is None:  # no rate card: agreed price
        priced = order_price(call, corrected, await get_rate_cards(call, quoted=False))
        price = preserve_charges(priced, row.price)
    await change_orders(call, [row.id], **order_row_values(corrected), price=price, updated_at=call.now)
    if "packages" in fields:
        await replace_packages(call, row, packages, corrected)
    if "items" in fields:
        await replace_order_items(call, row.id, corrected)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id, items_changed="items" in fields))
    return row, corrected


async def correct_address(call: Call, request: CorrectAddress) -> CreateOrder:
    """Correct the address of an order after a failed attempt.

    Number, label and price are unchanged. Returns the corrected order. Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`,
    `ADDRESS_ELSEWHERE`, `INVALID_REQUEST`, or a zone error.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    if not may_correct_address(order_state(row, collected=False)):
        raise ORDER_STEP_REFUSED(step=CORRECT_ADDRESS, status=OrderStatus(row.status).name)
    order = order_as_request(row, await orders_store.list_order_package_rows(call.work, [row.id]))
    if error := find_address_faults(order, request, anywhere=call.principal.account in OFFICE):
        raise error
    corrected = with_place(order, request)
    require_open(find_closed_ends(await get_zone_index(call), corrected.zoned_places))
    await change_orders(call, [row.id], **order_row_values(corrected), updated_at=call.now)
    await write_order_step(call, [row], CORRECT_ADDRESS, request.reason)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id, moved=True))
    return corrected


async def replace_packages(
    call: Call, row: orders_store.OrderRow, before: Sequence[orders_store.PackageRow], corrected: CreateOrder
) -> None:
    """Replace the packages of an order.

    A package keeps the number of its position. Timelines record added and removed packages.
    """
    documents = await replaced_package_documents(call, before, corrected)
    values = package_row_values(corrected, row.id, row.tracking_number, documents)
    numbers = {package.tracking_number for package in before}
    wanted = {value["tracking_number"] for value in values}
    await delete_order_packages(call.work, [package.id for package in before])
    ids = await orders_store.insert_order_packages(call.work, values)
    new = {value["tracking_number"]: id for id, value in zip(ids, values, strict=True)}
    await void_events(call, sorted(wanted - numbers), "cancelled")
    await _record_corrections(call, row, "cancelled", dict.fromkeys(numbers - wanted))
    await _record_corrections(call, row, "information_submitted", {number: new[number] for number in wanted - numbers})


async def _record_corrections(
    call: Call, row: orders_store.OrderRow, code: str, packages: Mapping[str, int | None]
) -> None:
    await record_events(
        call,
        [
            NewEvent(
                tracking_number=number,
                status_code=code,
                occurred_at=call.now,
                order_id=row.id,
                package_id=package_id,
                order_ref=row.order_ref,
            )
            for number, package_id in sorted(packages.items())
        ],
    )


async def undo_delivery(call: Call, order_id: int, reason: str, goods_at: GoodsAt | None = None) -> None:
    """Undo a delivery that was reported by mistake.

    The order is out for delivery again, or waits to be planned. The undo does not count as an attempt.

    Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`, `GOODS_ON_ROUTE` or `INVALID_REQUEST`.
    """
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, [order_id])
    row = await get_visible_order(call, order_id, lock=True)
    steps = await orders_store.list_order_change_rows(call.work, row.id)
    if not may_undo_delivery(row.fulfilment, [OrderStatus(step.status) for step in steps]):
        raise order_step_error(OrderStep.UNDO_DELIVERY, OrderStatus(row.status))
    if await routes.reopen(call, row.id, reason):
        if goods_at is not None:
            raise GOODS_ON_ROUTE()
        await _require_steps(call, OrderStep.UNDO_DELIVERY, [row.id], note=reason)
    else:
        await _require_steps(call, OrderStep.WITHDRAW_DELIVERY, [row.id], note=reason, reason=REPORTED_WRONGLY)
        await write_goods_at(call, row, goods_at)
    await reset_piece_outcomes(call, row.id)


COPIED_OF_PLACE = ("name", "phone", "address", "unit", "city", "region", "postal_code", "country", "lat", "lng")


async def update_goods_at(call: Call, request: UpdateGoodsAt) -> None:
    """Record the location of the goods of a waiting order; None for the depot.

    Raises `NOT_FOUND`, `ORDER_STEP_REFUSED` or `INVALID_REQUEST`.
    """
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    collected = bool(await find_picked_up_order_ids(call, [row]))
    on_route = bool(await routes.get_placements(call, [row.id]))
    if not may_update_goods_at(order_state(row, collected=collected, on_route=on_route)):
        raise ORDER_STEP_REFUSED(step=UPDATE_GOODS_AT, status=OrderStatus(row.status).name)
    await write_goods_at(call, row, request.goods_at)
    await write_order_step(call, [row], UPDATE_GOODS_AT, request.reason)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id))


async def write_goods_at(call: Call, row: orders_store.OrderRow, goods_at: GoodsAt | None) -> None:
    """Write the location of the goods of a locked order.

    Raises `INVALID_REQUEST` for an unknown place.
    """
    place = await _load_place(call, row, goods_at) if goods_at else None
    await orders_store.update_orders(call.work, [row.id], goods_at=place, updated_at=call.now)


async def _load_place(call: Call, row: orders_store.OrderRow, goods_at: GoodsAt) -> dict[str, Any]:
    if goods_at.place is not None:
        name = goods_at.name or goods_at.place.address
        return {**dict.fromkeys(COPIED_OF_PLACE), **goods_at.place.model_dump(), "name": name, "order_id": None}
    others = await orders_store.list_order_rows(call.work, [goods_at.order_id or 0])
    end: dict[str, Any] = (others[0].consignee or {}) if others else {}
    if not others or others[0].id == row.id:
        raise INVALID_REQUEST.for_fields(FieldError("goods_at.order_id", "field.goods_order_unknown"))
    if end.get("lat") is None or end.get("lng") is None:
        raise INVALID_REQUEST.for_fields(FieldError("goods_at.order_id", "field.goods_order_without_place"))
    copied = {name: end.get(name) for name in COPIED_OF_PLACE}
    return {**copied, "name": goods_at.name or copied["name"], "order_id": others[0].id}


async def _require_steps(call: Call, step: OrderStep, order_ids: Collection[int], **words: Any) -> None:
    for error in (await apply_order_transition(call, step, order_ids, **words)).values():
        raise error


async def deliver_order_at(call: Call, order_id: int, place: CorrectedPlace, step: str, note: str | None) -> None:
    """Change the delivery location of an order of this client.

    Number, label, price and recipient are unchanged. The caller has checked that the change is allowed and has locked
    the order's route. `step` is the name of the change in the order's history. Raises `NOT_FOUND`.
    """
    await _move(call, order_id, place, step, note, "consignee")


async def fetch_order_at(call: Call, order_id: int, place: CorrectedPlace, step: str, note: str | None) -> None:
    """The same for the place at which an order's goods are fetched from its sender."""
    await _move(call, order_id, place, step, note, "shipper")


async def _move(
    call: Call,
    order_id: int,
    place: CorrectedPlace,
    step: str,
    note: str | None,
    end: Literal["consignee", "shipper"],
) -> None:
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    if not rows:
        raise record_not_found(order_id=order_id)
    (row,) = rows
    order = order_as_request(row, await orders_store.list_order_package_rows(call.work, [row.id]))
    there = getattr(order, end)
    assert there is not None  # lockers refuse an order that is not delivered, or not fetched
    moved = order.model_copy(update={end: there.model_copy(update=place.model_dump())})
    await change_orders(call, [row.id], **order_row_values(moved), updated_at=call.now)
    await write_order_step(call, rows, step, note)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id, moved=True))


async def change_delivery_instruction(call: Call, order_id: int, instruction: str | None) -> None:
    """Replace the delivery instruction of an order.

    The caller checks access. Raises `NOT_FOUND`, or `ORDER_IS_OVER` for a finished order.
    """
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    if not rows:
        raise record_not_found(order_id=order_id)
    if (status := OrderStatus(rows[0].status)) in TERMINAL_STATUSES:
        raise ORDER_IS_OVER(status=status.name)
    await orders_store.update_orders(call.work, [order_id], delivery_instruction=instruction, updated_at=call.now)
    call.add_audit_subjects("order", order_id)
    await call.publish(OrderChanged(order_id=order_id))


RESCHEDULE = "reschedule"
"""The name of the step in an order's history. It leads to no other status."""


async def set_order_promise(
    call: Call,
    order_ids: Collection[int],
    window: tuple[datetime, datetime] | None,
    day: date | None,
    note: str | None,
    limits: Mapping[int, int],
) -> None:
    """Set the day and window of orders, and the attempt limits of some of them.

    Timelines of failed orders record the new attempt.
    """
    if not order_ids:
        return
    opens, closes = window or (None, None)
    promise = {"scheduled_date": day, "window_start": opens, "window_end": closes}
    await change_orders(call, order_ids, **promise, updated_at=call.now)
    for order_id, limit in limits.items():
        await orders_store.update_orders(call.work, [order_id], attempt_limit=limit)
    rows = await orders_store.list_order_rows(call.work, order_ids)
    await write_order_step(call, rows, RESCHEDULE, note)
    await _record_promises(call, [row for row in rows if row.status == OrderStatus.FAILED])
    call.add_audit_subjects("order", *order_ids)
    for row in rows:
        await call.publish(OrderChanged(order_id=row.id))


async def _record_promises(call: Call, rows: Sequence[orders_store.OrderRow]) -> None:
    by_id, collected = {row.id: row for row in rows}, await find_collected_order_ids(call, rows)
    await record_events(
        call,
        [
            NewEvent(
                tracking_number=package.tracking_number,
                status_code=rescheduled_status_code(
                    by_id[package.order_id].type, collected=package.order_id in collected
                ),
                occurred_at=call.now,
                order_id=package.order_id,
                package_id=package.id,
                order_ref=by_id[package.order_id].order_ref,
            )
            for package in await load_tracked_packages(call, rows)
        ],
    )


ENDS = ("shipper", "consignee")


class UnlocatedEnd(Struct, frozen=True):
    """One end of an order without coordinates, with its owner and address as read."""

    order_id: int
    end: str
    address: AddressText


def stop_end(type: str) -> str:
    """Return the end that a driver visits first.

    The shipper of a pickup, the consignee of any other order.
    """
    return "shipper" if type == "P" else "consignee"


def address_text(end: Mapping[str, Any]) -> AddressText:
    """An end of an order, as geocoding takes it."""
    return AddressText(
        country=end["country"],
        address=end["address"],
        city=end["city"],
        region=end.get("region"),
        postal_code=end.get("postal_code"),
    )


async def list_unlocated_ends(call: Call, order_ids: Collection[int], *, lock: bool = False) -> list[UnlocatedEnd]:
    """Return the ends of open orders that need a visit and lack coordinates.

    One statement.
    """
    return _unlocated_ends(await orders_store.list_order_rows(call.work, order_ids, lock=lock))


def _unlocated_ends(rows: Iterable[orders_store.OrderRow]) -> list[UnlocatedEnd]:
    return [
        UnlocatedEnd(row.id, name, address_text(end))
        for row in rows
        if row.status not in TERMINAL_STATUSES
        for name in ENDS
        if _is_visited(row.type, name) and (end := getattr(row, name)) and end.get("lat") is None
    ]


def _is_visited(type: str, end: str) -> bool:
    return type == "P2P" or end == stop_end(type)


async def write_order_places(call: Call, places: Mapping[tuple[int, str], tuple[float, float]]) -> None:
    """Write the coordinates of order ends.

    Nothing else of the orders changes, including their prices.
    """
    rows = await orders_store.list_order_rows(call.work, {order_id for order_id, _ in places}, lock=True)
    for row in rows:
        values: dict[str, Any] = {}
        for end in ENDS:
            if (row.id, end) in places:
                lat, lng = places[row.id, end]
                values |= {end: {**(getattr(row, end) or {}), "lat": lat, "lng": lng}}
                values |= {"lat": lat, "lng": lng} if end == stop_end(row.type) else {}
        await orders_store.update_orders(call.work, [row.id], **values, updated_at=call.now)
        await call.publish(OrderChanged(order_id=row.id))
