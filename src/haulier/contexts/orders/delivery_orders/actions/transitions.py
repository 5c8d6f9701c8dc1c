"""Steps of the life cycle: the change is written, the status is set, and tracking events are recorded."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from haulier.contexts.orders.delivery_orders.actions.order_sums import count_failures, count_moved_orders
from haulier.contexts.orders.delivery_orders.rules import lifecycle
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, OrderStep
from haulier.contexts.orders.delivery_orders.rules.packages import TrackedPackage, tracked_packages
from haulier.contexts.orders.delivery_orders.rules.pieces import (
    PIECE_TRACKING,
    PieceLeft,
    pieces_extension,
    with_pieces,
)
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import (
    OrderCancelled,
    OrderHeld,
    OrderReleased,
    OrderStatusChanged,
    PartnerOrderMoved,
)
from haulier.contexts.otep.public import DeliveryOutcome
from haulier.contexts.tracking.public import (
    EventActor,
    IncidentReason,
    Location,
    NewEvent,
    ProofOfDelivery,
    Source,
    record_events,
    void_events,
)
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import OperationError, record_not_found

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
    """Take a step with every order that can; returns the error of each that cannot. A constant number of statements.

    `at` is when it happened, by a driver's clock; `recorded_at` is the call's time. `extensions` are copied into the
    tracking events; `source` names there who reported the step, when not the client itself. `left` are the pieces that were
    not handed over when one order was delivered in part; `outcome` is who received the others.
    """
    rows = {row.id: row for row in await store.list_order_rows(call.work, order_ids, lock=True)}
    errors: dict[int, OperationError] = {id: record_not_found(order_id=id) for id in order_ids if id not in rows}
    moving: list[store.OrderRow] = []
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
    rows: Sequence[store.OrderRow],
    at: datetime,
    reason: IncidentReason | None,
    note: str | None,
) -> None:
    end = lifecycle.ORDER_TRANSITIONS[step].end
    await store.update_order_status(call.work, [row.id for row in rows], end, call.now)
    await count_moved_orders(call, rows, end, {row.id: at for row in rows})
    failure: dict[str, Any] = {}
    if step is OrderStep.FAIL:
        await store.count_attempt(call.work, [row.id for row in rows])
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
    await store.insert_order_changes(call.work, changes)
    call.add_audit_subjects("order", *(row.id for row in rows))


STEPS_AT_STOP = {OrderStep.DELIVER, OrderStep.FAIL, OrderStep.REJECT, OrderStep.CONFIRM_DELIVERY}


async def _publish_transition(
    call: Call,
    step: OrderStep,
    rows: Sequence[store.OrderRow],
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
        for code in [
            lifecycle.tracking_status_code(step, row.type, OrderStatus(row.status), collected=row.id in collected)
        ]
        if code is not None
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


def _event_of_piece(event: NewEvent, left: Mapping[str, PieceLeft], total: int) -> NewEvent:
    """Return the event of a piece of an order that is delivered in part. The order's own event names the pieces left.

    # Why: the first piece has the number of the order, whose journey ends with what was handed over.
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


def _stop_location(step: OrderStep, row: store.OrderRow) -> Location | None:
    """The address of the stop, for a step that happens there; None for other steps."""
    if step not in STEPS_AT_STOP:
        return None
    address = (row.shipper if row.type == "P" else row.consignee) or {}
    values = {name: address.get(name) for name in ("address", "city", "region", "country", "postal_code", "lat", "lng")}
    return Location(**{name: value for name, value in values.items() if value is not None})


async def load_tracked_packages(call: Call, rows: Sequence[store.OrderRow]) -> list[TrackedPackage]:
    """Every number of some orders that has a timeline; one statement, and none where no order has several pieces."""
    several = [row.id for row in rows if row.package_count > 1]
    packages = await store.list_order_package_rows(call.work, several) if several else []
    pieces = [TrackedPackage(package.id, package.order_id, package.tracking_number) for package in packages]
    return tracked_packages({row.id: row for row in rows}, pieces)


async def find_collected_order_ids(call: Call, rows: Sequence[store.OrderRow]) -> set[int]:
    """Those of some orders from door to door whose goods were picked up; a statement only where there are such orders."""
    from_door_to_door = [row.id for row in rows if row.type == "P2P"]
    steps = await store.list_order_step_names(call.work, from_door_to_door) if from_door_to_door else {}
    return {id for id in from_door_to_door if lifecycle.was_picked_up("P2P", steps.get(id, ()))}


def _tracking_actor(call: Call) -> EventActor:
    kind = "driver" if call.principal.account is Account.DRIVER else "user" if call.actor else "system"
    return EventActor(type=kind, id=str(call.actor)) if call.actor else EventActor(type=kind)
