"""What was said wrongly of an order is corrected: contacts, pieces and terms before it leaves, a delivery that never was."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.actions.charges import keep_charges
from haulier.contexts.orders.delivery_orders.actions.create import order_price, order_row_values
from haulier.contexts.orders.delivery_orders.actions.custom_fields import replaced_package_documents
from haulier.contexts.orders.delivery_orders.actions.history import write_order_step
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.actions.package_rows import package_row_values
from haulier.contexts.orders.delivery_orders.actions.pieces import reset_piece_outcomes
from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.contract.corrections import CorrectAddress, CorrectOrder
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.order_requests import order_as_request
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids, get_visible_order
from haulier.contexts.orders.delivery_orders.rules.corrections import (
    CORRECTABLE_STATUSES,
    PRICED_FIELDS,
    apply_corrections,
    find_address_faults,
    may_undo_delivery,
    with_place,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    ORDER_STEP_REFUSED,
    OrderStatus,
    OrderStep,
    order_step_error,
)
from haulier.contexts.orders.delivery_orders.rules.permissions import CORRECT_ADDRESS, may_correct_address
from haulier.contexts.orders.delivery_orders.serializers.orders import order_state
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.numbers import delete_order_packages
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.orders.quotes.queries import get_rate_cards
from haulier.contexts.orders.quotes.rules.served_places import find_closed_ends, require_open
from haulier.contexts.places.public import get_zone_index
from haulier.contexts.tracking.public import IncidentReason, NewEvent, record_events, void_events
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE

REPORTED_WRONGLY = IncidentReason(code="other")
"""The reason of the delay of an order whose delivery was reported wrongly, and whose route is over."""


async def correct_order(call: Call, request: CorrectOrder) -> tuple[store.OrderRow, CreateOrder]:
    """Correct an order that has not left. Returns its row as it was, and the order as it is asked for now.

    Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`, `SERVICE_UNKNOWN`, `RATE_NOT_AVAILABLE` or `INVALID_REQUEST`.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    collected = bool(await find_picked_up_order_ids(call, [row]))
    fields = request.given_fields
    if OrderStatus(row.status) not in CORRECTABLE_STATUSES or (collected and fields & PRICED_FIELDS):
        raise ORDER_STEP_REFUSED(step="correct", status=OrderStatus(row.status).name)
    packages = await store.list_order_package_rows(call.work, [row.id])
    corrected = apply_corrections(order_as_request(row, packages), request)
    price = row.price
    if fields & PRICED_FIELDS and row.partner_offer_id is None:  # Why: what two businesses agreed on is no rate card's
        priced = order_price(call, corrected, await get_rate_cards(call, quoted=False))
        price = keep_charges(priced, row.price)
    await change_orders(call, [row.id], **order_row_values(corrected), price=price, updated_at=call.now)
    if "packages" in fields:
        await _replace_packages(call, row, packages, corrected)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id))
    return row, corrected


async def correct_address(call: Call, request: CorrectAddress) -> CreateOrder:
    """Correct the place where an order was tried without success; its number, label and price stay. Returns the order now.

    Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`, `ADDRESS_ELSEWHERE`, `INVALID_REQUEST`, or what zones refuse.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    if not may_correct_address(order_state(row, collected=False)):
        raise ORDER_STEP_REFUSED(step=CORRECT_ADDRESS, status=OrderStatus(row.status).name)
    order = order_as_request(row, await store.list_order_package_rows(call.work, [row.id]))
    if error := find_address_faults(order, request, anywhere=call.principal.account in OFFICE):
        raise error
    corrected = with_place(order, request)
    require_open(find_closed_ends(await get_zone_index(call), corrected.zoned_places))
    await change_orders(call, [row.id], **order_row_values(corrected), updated_at=call.now)
    await write_order_step(call, [row], CORRECT_ADDRESS, request.reason)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id, moved=True))
    return corrected


async def _replace_packages(
    call: Call, row: store.OrderRow, before: Sequence[store.PackageRow], corrected: CreateOrder
) -> None:
    """Write the pieces anew. A piece keeps the number of its place; timelines say which came and which will not."""
    documents = await replaced_package_documents(call, before, corrected)
    values = package_row_values(corrected, row.id, row.tracking_number, documents)
    numbers = {package.tracking_number for package in before}
    wanted = {value["tracking_number"] for value in values}
    await delete_order_packages(call.work, [package.id for package in before])
    ids = await store.insert_order_packages(call.work, values)
    new = {value["tracking_number"]: id for id, value in zip(ids, values, strict=True)}
    await void_events(call, sorted(wanted - numbers), "cancelled")
    await _tell_timelines(call, row, "cancelled", dict.fromkeys(numbers - wanted))
    await _tell_timelines(call, row, "information_submitted", {number: new[number] for number in wanted - numbers})


async def _tell_timelines(call: Call, row: store.OrderRow, code: str, packages: Mapping[str, int | None]) -> None:
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


async def undo_delivery(call: Call, order_id: int, reason: str) -> None:
    """Undo a delivery that was reported wrongly: the order is out for delivery again, or waits to be planned.

    It is no attempt of its own: attempts and failures are counted where a driver was at the stop.

    Raises `NOT_FOUND` or `ORDER_STEP_REFUSED`.
    """
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, [order_id])
    row = await get_visible_order(call, order_id, lock=True)
    steps = await store.list_order_change_rows(call.work, row.id)
    if not may_undo_delivery(row.fulfilment, [OrderStatus(step.status) for step in steps]):
        raise order_step_error(OrderStep.UNDO_DELIVERY, OrderStatus(row.status))
    if await routes.reopen(call, row.id, reason):
        await _require_steps(call, OrderStep.UNDO_DELIVERY, [row.id], note=reason)
    else:
        await _require_steps(call, OrderStep.WITHDRAW_DELIVERY, [row.id], note=reason, reason=REPORTED_WRONGLY)
    await reset_piece_outcomes(call, row.id)


async def _require_steps(call: Call, step: OrderStep, order_ids: Collection[int], **words: Any) -> None:
    for error in (await apply_order_transition(call, step, order_ids, **words)).values():
        raise error
