"""Deliveries that follow their parcels: deposited, collected or taken back."""

from collections.abc import Sequence

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.actions.plans import end_delivery, move_home
from haulier.contexts.lockers.deliveries.rules import (
    LOCKER_DELIVERY_LIFE,
    LockerDeliveryStatus,
    LockerDeliveryStep,
)
from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.orders.public import OrderStep, apply_order_transition
from haulier.contexts.tracking.public import IncidentReason
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

STEPS = {
    LockerStatus.DEPOSITED: LockerDeliveryStep.DEPOSIT,
    LockerStatus.COLLECTED: LockerDeliveryStep.COLLECT,
    LockerStatus.REMOVED: LockerDeliveryStep.TAKE_BACK,
}
NOT_FETCHED = IncidentReason(code="recipient_absent")


@before_commit(LockerParcelChanged)
async def follow_parcels(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update deliveries from their parcels.

    A parcel taken back by a courier counts as a failed attempt.
    """
    for event in events:
        if isinstance(event, LockerParcelChanged) and event.order_id is not None:
            step = STEPS.get(LockerStatus(event.status))
            row = await store.lock_delivery_of_order(call.work, event.order_id) if step else None
            if step and row and row.parcel_id == event.parcel_id:
                await _follow(call, row, step)


async def _follow(call: Call, row: store.LockerDeliveryRow, step: LockerDeliveryStep) -> None:
    reached = LOCKER_DELIVERY_LIFE.next_status(step, LockerDeliveryStatus(row.status))
    if reached is None:  # late deposits and extensions repeat the event
        return
    if step is LockerDeliveryStep.DEPOSIT:
        await store.update_delivery(call.work, row.id, {"status": reached.value})
        return
    await end_delivery(call, row, step)
    if step is LockerDeliveryStep.TAKE_BACK:
        # Refusals are ignored: the order may have been cancelled, and the parcel is out in any case.
        await apply_order_transition(call, OrderStep.FAIL, [row.order_id], reason=NOT_FETCHED)
        await move_home(call, row)
