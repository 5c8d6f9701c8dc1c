"""Writes of customer pickups."""

from typing import Any

from haulier.contexts.orders.delivery_orders.actions.pickups import NOT_READY, update_pickups
from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.queries.pickups import get_pickup_depots, get_pickup_orders
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    LOCATED_STATUSES,
    ORDER_STEP_REFUSED,
    PICKUP_FULFILMENT,
    TO_DELIVERY,
    TO_PICKUP,
    OrderStatus,
    OrderStep,
    order_step_error,
)
from haulier.contexts.orders.delivery_orders.rules.pickups import (
    PICKUP_CODE_BLOCKED,
    PICKUP_CODE_WRONG,
    PICKUP_NOT_READY,
    check_for_pickup,
    last_day,
)
from haulier.contexts.orders.delivery_pins.actions import count_wrong_pin, delete_delivery_pin, ensure_delivery_pins
from haulier.contexts.orders.delivery_pins.queries import check_delivery_pin
from haulier.contexts.orders.delivery_pins.rules import PIN_WRONG
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.fulfilments.queries import check_not_carried
from haulier.contexts.orders.pickups.contract import HandOverPickup, MarkReadyForPickup, SwitchToPickup
from haulier.contexts.orders.ports import DepotPlaces, OrderRoutes, PickupDepot
from haulier.contexts.tracking.public import Location, ProofOfDelivery
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, record_not_found
from haulier.kernel.request_context import RequestContext

OWN_FULFILMENT = "self_delivery"


async def switch_to_pickup(call: Call, request: SwitchToPickup) -> None:
    """Let the customer collect an order at a depot.

    Raises `NOT_FOUND`, `INVALID_REQUEST`, `ORDER_STEP_REFUSED`, and the error of an order that is with a driver, carrier or
    other holder.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    if row.fulfilment == PICKUP_FULFILMENT and row.pickup_depot_id == request.depot_id:
        return
    if row.type != "D":
        raise INVALID_REQUEST.for_fields(FieldError("order_id", "field.pickup_needs_delivery"))
    if error := await check_not_carried(call, row):
        raise error
    _require_waiting(row, TO_PICKUP)
    depot = (await call.adapter(DepotPlaces).get_depots(call, [request.depot_id])).get(request.depot_id)
    if depot is None or depot.closed:
        raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))
    await _update(call, row, fulfilment=PICKUP_FULFILMENT, pickup_depot_id=depot.id, **NOT_READY)


async def switch_to_delivery(call: Call, order_id: int) -> None:
    """Deliver an order that the customer was to collect.

    Its pickup code becomes invalid. Raises `NOT_FOUND`, `ORDER_NOT_FOR_PICKUP` and `ORDER_STEP_REFUSED`.
    """
    row = await get_visible_order(call, order_id, lock=True)
    if error := check_for_pickup(row.id, row.fulfilment):
        raise error
    _require_waiting(row, TO_DELIVERY)
    await _update(call, row, fulfilment=OWN_FULFILMENT, pickup_depot_id=None, **NOT_READY)
    if not row.pin_required:
        await delete_delivery_pin(call, row.id)


def _require_waiting(row: Any, step: str) -> None:
    status = OrderStatus(row.status)
    if status not in LOCATED_STATUSES or row.goods_at:
        raise ORDER_STEP_REFUSED(step=step, status=status.name)


async def _update(call: Call, row: Any, **values: Any) -> None:
    await update_pickups(call, [row.id], **values)
    await call.publish(OrderChanged(order_id=row.id))


async def mark_ready(call: Call, request: MarkReadyForPickup) -> dict[int, OperationError]:
    """Mark orders as ready for pickup, and return the errors of the others.

    An order that is ready already gets the new last day. Raises `INVALID_REQUEST` for a day in the past.
    """
    until = last_day(request.held_until, call.today)
    if until < call.today:
        raise INVALID_REQUEST.for_fields(FieldError("held_until", "field.day_past"))
    ids = list(dict.fromkeys(request.order_ids))
    rows = await get_pickup_orders(call, ids, lock=True)
    errors: dict[int, OperationError] = {id: record_not_found(order_id=id) for id in ids if id not in rows}
    for row in rows.values():
        if error := check_for_pickup(row.id, row.fulfilment):
            errors[row.id] = error
        elif row.pickup_ready_at is not None and row.status != OrderStatus.NEW_ORDER:
            errors[row.id] = order_step_error(OrderStep.READY_FOR_PICKUP, OrderStatus(row.status))
    new = [row for row in rows.values() if row.id not in errors and row.pickup_ready_at is None]
    depots = await get_pickup_depots(call, new)
    for depot_id, depot in depots.items():
        of_depot = [row.id for row in new if row.pickup_depot_id == depot_id]
        errors |= await apply_order_transition(call, OrderStep.READY_FOR_PICKUP, of_depot, location=_location(depot))
    made = [row.id for row in new if row.id not in errors]
    await update_pickups(call, made, pickup_ready_at=call.now)
    await ensure_delivery_pins(call, made)
    await update_pickups(call, [id for id in rows if id not in errors], pickup_until=until)
    return errors


async def count_wrong_code_first(context: RequestContext, request: HandOverPickup) -> None:
    """Refuse a wrong pickup code before the hand-over begins.

    It is counted in a separate transaction. A dry run compares no code, because it would allow uncounted guesses.
    Raises `PICKUP_CODE_WRONG` or `PICKUP_CODE_BLOCKED`.
    """
    if request.pickup_code is None or context.dry_run:
        return
    async with context.app.database.write(context.principal.client_id) as work:
        error = await _count_if_wrong(call_as(context.app, context.principal, work), request)
    if error:
        raise error


async def _count_if_wrong(call: Call, request: HandOverPickup) -> OperationError | None:
    row = (await get_pickup_orders(call, [request.order_id])).get(request.order_id)
    if request.pickup_code is None or row is None or _why_not_collectable(row):
        return None
    error = await _check_code(call, request.order_id, request.pickup_code)
    if error and error.error_type is PICKUP_CODE_WRONG:
        await count_wrong_pin(call, request.order_id)
    return error


async def _check_code(call: Call, order_id: int, said: str) -> OperationError | None:
    """Return the error for a wrong pickup code, which is the order's PIN, or None."""
    error = await check_delivery_pin(call, order_id, said)
    if error is None:
        return None
    return PICKUP_CODE_WRONG() if error.error_type is PIN_WRONG else PICKUP_CODE_BLOCKED()


async def hand_over(call: Call, request: HandOverPickup) -> None:
    """Deliver a ready order to the customer at the depot.

    Raises `NOT_FOUND`, `INVALID_REQUEST`, `ORDER_NOT_FOR_PICKUP`, `ORDER_STEP_REFUSED`, `PICKUP_NOT_READY`,
    `PICKUP_CODE_WRONG` and `PICKUP_CODE_BLOCKED`.
    """
    if request.pickup_code is None and request.recipient is None:
        raise INVALID_REQUEST.for_fields(FieldError("pickup_code", "field.code_or_recipient"))
    row = await get_visible_order(call, request.order_id, lock=True)
    if error := _why_not_collectable(row):
        raise error
    if (
        request.pickup_code is not None
        and not call.dry_run
        and (error := await _check_code(call, row.id, request.pickup_code))
    ):
        raise error
    (depot,) = (await get_pickup_depots(call, [row])).values()
    errors = await apply_order_transition(
        call,
        OrderStep.COLLECT,
        [row.id],
        pod=ProofOfDelivery(recipient=request.recipient) if request.recipient else None,
        location=_location(depot),
        note=request.recipient,
    )
    for error in errors.values():
        raise error


def _why_not_collectable(row: Any) -> OperationError | None:
    """Return the error of an order that the customer cannot collect now, or None."""
    if error := check_for_pickup(row.id, row.fulfilment):
        return error
    if row.status != OrderStatus.NEW_ORDER:
        return order_step_error(OrderStep.COLLECT, OrderStatus(row.status))
    return PICKUP_NOT_READY(order_id=row.id) if row.pickup_ready_at is None else None


def _location(depot: PickupDepot) -> Location:
    return Location(address=depot.address, lat=depot.lat, lng=depot.lng)
