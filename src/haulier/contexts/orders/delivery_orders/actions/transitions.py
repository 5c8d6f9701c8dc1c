"""Writes of delivery orders for other families: transitions."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec.structs import replace

from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders, count_failures, count_moved_orders
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids, get_visible_order
from haulier.contexts.orders.delivery_orders.rules import lifecycle
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DELIVERY_UNDONE,
    PROBLEM_OF_OUTCOME,
    OrderState,
    OrderStatus,
    OrderStep,
    may_customer_cancel,
    order_step_error,
)
from haulier.contexts.orders.delivery_orders.rules.packages import (
    GOING_BACK,
    PIECE_TRACKING,
    PieceLeft,
    PieceOutcome,
    TrackedPackage,
    pieces_extension,
    tracked_packages,
    with_pieces,
)
from haulier.contexts.orders.delivery_orders.rules.whereabouts import POINT_TO_POINT, get_movement
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.orders import set_piece_outcome
from haulier.contexts.orders.delivery_orders.store.piece_exceptions import close_piece_exceptions, open_piece_exceptions
from haulier.contexts.orders.events import (
    OrderCancelled,
    OrderChanged,
    OrderHeld,
    OrderReleased,
    OrderStatusChanged,
    PartnerOrderMoved,
)
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.otep.public import DeliveryOutcome
from haulier.contexts.tracking.public import (
    EventActor,
    IncidentReason,
    Location,
    NewEvent,
    ProofOfDelivery,
    Source,
    record_events,
    set_tracking_viewers,
    void_events,
)
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import OperationError, record_not_found


async def assign_orders_to_contractor(call: Call, order_ids: Collection[int], contractor_id: int | None) -> None:
    """Assign orders to a contractor; None takes them back."""
    if order_ids:
        await change_orders(call, order_ids, contractor_id=contractor_id, updated_at=call.now)
        await set_tracking_viewers(call, order_ids, contractor_id=contractor_id)


async def assign_orders_to_driver(
    call: Call, order_ids: Collection[int], user_id: int | None, driver_id: int | None
) -> None:
    """Assign orders to a route's driver and to the account that may see them.

    None removes either.
    """
    if order_ids:
        await change_orders(call, order_ids, driver_id=user_id, route_driver_id=driver_id, updated_at=call.now)
        await set_tracking_viewers(call, order_ids, driver_id=user_id)


async def count_orders_for_driver(call: Call, order_ids: Collection[int], driver_id: int | None) -> None:
    """Count orders for a driver who may not see them.

    The driver has no account, or the route is not published.
    """
    if order_ids:
        await change_orders(call, order_ids, route_driver_id=driver_id, updated_at=call.now)


async def assign_orders_to_third_party(call: Call, order_ids: Collection[int], *, held: bool, fulfilment: str) -> None:
    """Assign orders to another business, or take them back, and set the fulfilment."""
    if order_ids:
        await orders_store.update_orders(
            call.work, order_ids, third_party_held=held, fulfilment=fulfilment, updated_at=call.now
        )


async def set_order_window(
    call: Call, order_ids: Collection[int], start: datetime | None, end: datetime | None, day: date | None
) -> None:
    """Set or remove the promised window and day of orders. Notifies their followers."""
    if order_ids:
        await change_orders(
            call, order_ids, window_start=start, window_end=end, scheduled_date=day, updated_at=call.now
        )
        call.add_audit_subjects("order", *order_ids)
        for order_id in order_ids:
            await call.publish(OrderChanged(order_id=order_id))


SELF_DELIVERY_SOURCE = Source(type="self_delivery")
_EVENT_BY_STEP: dict[OrderStep, type[DomainEvent]] = {
    OrderStep.HOLD: OrderHeld,
    OrderStep.RELEASE: OrderReleased,
    OrderStep.CANCEL: OrderCancelled,
}


async def apply_order_transition(
    call: Call,
    step: OrderStep,
    order_ids: Collection[int],
    *,
    at: datetime | None = None,
    reason: IncidentReason | None = None,
    pod: ProofOfDelivery | None = None,
    location: Location | None = None,
    note: str | None = None,
    extensions: Mapping[str, Any] | None = None,
    source: Source = SELF_DELIVERY_SOURCE,
    left: Sequence[PieceLeft] = (),
    outcome: DeliveryOutcome | None = None,
) -> dict[int, OperationError]:
    """Apply a step to every order that allows it, and return the errors of the others.

    A constant number of statements. `at` is the time by the driver's clock; `recorded_at` is the time of the call.
    `extensions` are copied into the tracking events; `source` names the reporter of the step, if not the client itself.
    `left` are the packages that were not handed over in a partial delivery; `outcome` is the recipient of the others.
    """
    rows = {row.id: row for row in await orders_store.list_order_rows(call.work, order_ids, lock=True)}
    errors: dict[int, OperationError] = {id: record_not_found(order_id=id) for id in order_ids if id not in rows}
    moving: list[orders_store.OrderRow] = []
    for row in rows.values():
        try:
            lifecycle.next_order_status(step, OrderStatus(row.status))
            moving.append(row)
        except OperationError as error:
            errors[row.id] = error
    if moving:
        await _write_transition(call, step, moving, at or call.now, reason, note)
        await _publish_transition(
            call, step, moving, at or call.now, reason, pod, location, extensions, source, left, outcome
        )
    return errors


async def _write_transition(
    call: Call,
    step: OrderStep,
    rows: Sequence[orders_store.OrderRow],
    at: datetime,
    reason: IncidentReason | None,
    note: str | None,
) -> None:
    end = lifecycle.ORDER_TRANSITIONS[step].end
    await orders_store.update_order_status(
        call.work, [row.id for row in rows], end, call.now, moved=end in lifecycle.MOVED_STATUSES
    )
    await count_moved_orders(call, rows, end, {row.id: at for row in rows})
    failure: dict[str, Any] = {}
    if step is OrderStep.FAIL:
        await orders_store.count_attempt(call.work, [row.id for row in rows])
        failure = count_failures(call, rows, at, reason.code if reason else None)
    changes = [
        {
            "order_id": row.id,
            "step": step.value,
            "status": end.value,
            "at": at,
            "recorded_at": call.now,
            "by_user_id": call.actor,
            "reason": (note or (reason.code if reason else None)),
            **(failure and {**failure, "driver_id": row.route_driver_id, "contractor_id": row.contractor_id}),
        }
        for row in rows
    ]
    await orders_store.insert_order_changes(call.work, changes)
    call.add_audit_subjects("order", *(row.id for row in rows))


STEPS_AT_STOP = {OrderStep.DELIVER, OrderStep.FAIL, OrderStep.REJECT, OrderStep.CONFIRM_DELIVERY}


async def _publish_transition(
    call: Call,
    step: OrderStep,
    rows: Sequence[orders_store.OrderRow],
    at: datetime,
    reason: IncidentReason | None,
    pod: ProofOfDelivery | None,
    location: Location | None,
    extensions: Mapping[str, Any] | None,
    source: Source,
    left: Sequence[PieceLeft],
    outcome: DeliveryOutcome | None,
) -> None:
    by_id = {row.id: row for row in rows}
    packages = await load_tracked_packages(call, rows)
    collected = await find_collected_order_ids(call, rows)
    left_behind = {piece.tracking_number: piece for piece in left}
    events = [
        NewEvent(
            tracking_number=package.tracking_number,
            status_code=code,
            occurred_at=at,
            order_id=row.id,
            package_id=package.id,
            order_ref=row.order_ref,
            incident_reason=reason,
            pod=pod,
            outcome=outcome,
            location=location or _stop_location(step, row),
            actor=_tracking_actor(call) if source is SELF_DELIVERY_SOURCE else None,
            source=source,
            extensions=extensions,
        )
        for package in packages
        for row in [by_id[package.order_id]]
        if (code := _tracking_code(step, row, collected)) is not None
    ]
    await record_events(call, [_event_of_piece(event, left_behind, len(packages)) for event in events])
    if voided := lifecycle.ORDER_TRANSITIONS[step].voids:
        await void_events(call, [package.tracking_number for package in packages], voided, corrected_by=events)
    for row in rows:
        status = lifecycle.ORDER_TRANSITIONS[step].end.name
        await call.publish(OrderStatusChanged(order_id=row.id, step=step.value, status=status))
        if row.partner_offer_id is not None:
            await call.publish(PartnerOrderMoved(order_id=row.id, partner_offer_id=row.partner_offer_id))
        if news := _EVENT_BY_STEP.get(step):
            await call.publish(news(order_id=row.id))  # type: ignore[call-arg]


def _tracking_code(step: OrderStep, row: orders_store.OrderRow, collected: Collection[int]) -> str | None:
    movement = get_movement(row.type, row.goods_at)
    return lifecycle.tracking_status_code(step, movement, OrderStatus(row.status), collected=row.id in collected)


def _event_of_piece(event: NewEvent, left: Mapping[str, PieceLeft], total: int) -> NewEvent:
    """Return the event of one package of a partial delivery.

    The order's own event names the packages left. The first package has the number of the order, whose journey ends
    with the packages handed over.
    """
    if not left:
        return event
    if event.package_id is None:
        return replace(
            event,
            extensions={**(event.extensions or {}), **pieces_extension(left, total)},
            outcome=with_pieces(event.outcome, left, total),
        )
    piece = left.get(event.tracking_number)
    if piece is None:
        return event
    shown = PIECE_TRACKING[piece.outcome]
    return replace(
        event, status_code=shown.status_code, incident_reason=IncidentReason(code=shown.reason), pod=None, outcome=None
    )


def _stop_location(step: OrderStep, row: orders_store.OrderRow) -> Location | None:
    """The address of the stop, for a step that happens there; None for other steps."""
    if step not in STEPS_AT_STOP or row.goods_at:  # never publish another recipient's address
        return None
    address = (row.shipper if row.type == "P" else row.consignee) or {}
    values = {name: address.get(name) for name in ("address", "city", "region", "country", "postal_code", "lat", "lng")}
    return Location(**{name: value for name, value in values.items() if value is not None})


async def load_tracked_packages(call: Call, rows: Sequence[orders_store.OrderRow]) -> list[TrackedPackage]:
    """Return every number of the orders that has a timeline.

    One statement, and none if every order has a single package.
    """
    several = [row.id for row in rows if row.package_count > 1]
    packages = await orders_store.list_order_package_rows(call.work, several) if several else []
    pieces = [TrackedPackage(package.id, package.order_id, package.tracking_number) for package in packages]
    return tracked_packages({row.id: row for row in rows}, pieces)


async def find_collected_order_ids(call: Call, rows: Sequence[orders_store.OrderRow]) -> set[int]:
    """Return the point-to-point orders among these whose goods were picked up.

    One statement, and none without such orders.
    """
    from_door_to_door = [row.id for row in rows if row.type == POINT_TO_POINT and not row.goods_at]
    steps = await orders_store.list_order_step_names(call.work, from_door_to_door) if from_door_to_door else {}
    return {id for id in from_door_to_door if lifecycle.was_picked_up(POINT_TO_POINT, steps.get(id, ()))}


def _tracking_actor(call: Call) -> EventActor:
    kind = "driver" if call.principal.account is Account.DRIVER else "user" if call.actor else "system"
    return EventActor(type=kind, id=str(call.actor)) if call.actor else EventActor(type=kind)


RETURNED_CODE = "returned"
"""Tracking code that ends the journey of a package that was not accepted."""


async def record_piece_outcomes(call: Call, order_id: int, left: Sequence[PieceLeft]) -> None:
    """Write the outcome of each package of a delivered order.

    Missing and damaged packages in `left` become exceptions.
    """
    packages = await orders_store.list_order_package_rows(call.work, [order_id])
    outcomes = {piece.id: piece.outcome for piece in left}
    for outcome in PieceOutcome:
        ids = [row.id for row in packages if outcomes.get(row.id, PieceOutcome.DELIVERED) is outcome]
        if ids:
            await set_piece_outcome(call.work, ids, outcome.value)
    await open_piece_exceptions(
        call.work,
        [
            {
                "order_id": order_id,
                "package_id": piece.id,
                "piece": piece.tracking_number,
                "kind": PROBLEM_OF_OUTCOME[piece.outcome].value,
                "resolution": None,
                "note": None,
                "created_at": call.now,
                "resolved_at": None,
                "resolved_by": None,
            }
            for piece in left
            if piece.outcome in PROBLEM_OF_OUTCOME
        ],
    )


async def reset_piece_outcomes(call: Call, order_id: int) -> None:
    """Reset the package outcomes of an undone delivery and close their exceptions."""
    pieces = await orders_store.list_order_package_rows(call.work, [order_id])
    await set_piece_outcome(call.work, [piece.id for piece in pieces], None)
    await close_piece_exceptions(call.work, order_id, DELIVERY_UNDONE, call.now, call.actor)


async def return_left_pieces(call: Call, order_ids: Sequence[int], at: datetime) -> None:
    """Record that packages left over from deliveries are back at the depot.

    Running it again changes nothing.
    """
    rows = {row.id: row for row in await orders_store.list_order_rows(call.work, order_ids)}
    packages = await orders_store.list_order_package_rows(call.work, order_ids) if order_ids else []
    back = [row for row in packages if row.outcome in GOING_BACK]
    if not back:
        return
    await set_piece_outcome(call.work, [row.id for row in back], PieceOutcome.RETURNED.value)
    events = [
        NewEvent(
            tracking_number=row.tracking_number,
            status_code=RETURNED_CODE,
            occurred_at=at,
            order_id=row.order_id,
            package_id=row.id,
            order_ref=rows[row.order_id].order_ref,
            source=SELF_DELIVERY_SOURCE,
        )
        for row in back
        if row.tracking_number != rows[row.order_id].tracking_number
    ]
    await record_events(call, events)


async def hold_orders(call: Call, order_ids: Collection[int], note: str | None) -> dict[int, OperationError]:
    """Put orders on hold and remove them from their routes.

    Returns the error of each order that cannot be held.
    """
    return await _withdraw_orders(call, OrderStep.HOLD, order_ids, note)


async def cancel_orders(call: Call, order_ids: Collection[int], note: str | None) -> dict[int, OperationError]:
    """Cancel orders and remove them from their routes and contractors.

    Returns the error of each order that cannot be cancelled.
    """
    errors = await _withdraw_orders(call, OrderStep.CANCEL, order_ids, note)
    await call.adapter(OrderRoutes).end_assignments(call, [id for id in order_ids if id not in errors])
    return errors


async def cancel_visible_order(call: Call, order_id: int, note: str | None) -> None:
    """Cancel an order that the caller can see.

    Customers can cancel their own orders until pickup. Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`.
    """
    if call.principal.account is Account.CUSTOMER:
        await call.adapter(OrderRoutes).lock(call, [order_id])
        row = await get_visible_order(call, order_id, lock=True)
        collected = bool(await find_picked_up_order_ids(call, [row]))
        if not may_customer_cancel(OrderState(status=OrderStatus(row.status), collected=collected)):
            raise order_step_error(OrderStep.CANCEL, OrderStatus(row.status))
    await get_visible_order(call, order_id)
    if error := (await cancel_orders(call, [order_id], note)).get(order_id):
        raise error


async def release_orders(call: Call, order_ids: Collection[int], note: str | None) -> dict[int, OperationError]:
    """Release every held order. Returns the error of each other one."""
    return await apply_order_transition(call, OrderStep.RELEASE, order_ids, note=note)


async def leave_route(call: Call, order_id: int) -> None:
    """Take a planned order off its route.

    Applies if the route has not started or the order is not loaded. Other orders are unchanged.
    """
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, [order_id])
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    await routes.remove(call, [row.id for row in rows if row.status == OrderStatus.PLANNED])


async def _withdraw_orders(
    call: Call, step: OrderStep, order_ids: Collection[int], note: str | None
) -> dict[int, OperationError]:
    routes = call.adapter(OrderRoutes)
    # Routes are locked before their orders everywhere, so that two calls never wait for each other.
    await routes.lock(call, order_ids)
    errors = await apply_order_transition(call, step, order_ids, note=note)
    await routes.remove(call, [id for id in order_ids if id not in errors])
    return errors
