"""Bags and bookings that follow their compartments."""

from collections.abc import Sequence

from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.luggage.actions.boxes import MARK
from haulier.contexts.lockers.luggage.actions.custody import DOOR, Handing, is_live, pass_on, settle
from haulier.contexts.lockers.luggage.actions.work import BOXES_JOB, DueLuggage
from haulier.contexts.lockers.luggage.rules import BAG_LIFE, BagStatus, BagStep
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.contexts.lockers.luggage.store.tables import LuggageBagRow, LuggageRow
from haulier.contexts.lockers.parcels.actions.outcomes import DOOR_STUCK
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

AT_ORIGIN = {LockerStatus.DEPOSITED: BagStep.RECEIVE, LockerStatus.REMOVED: BagStep.LOAD}
AT_DESTINATION = {LockerStatus.DEPOSITED: BagStep.UNLOAD, LockerStatus.COLLECTED: BagStep.HAND_OUT}


@before_commit(LockerParcelChanged)
async def follow_bags_in_boxes(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update bags from changes of their compartments, within the same transaction."""
    for event in events:
        if isinstance(event, LockerParcelChanged) and (event.reference or "").startswith(MARK):
            await _follow(call, event.parcel_id, LockerStatus(event.status))


async def _follow(call: Call, parcel_id: int, status: LockerStatus) -> None:
    found = await store.find_bag_of_parcel(call.work, parcel_id)
    row = await LuggageRow.lock(call.work, found.booking_id) if found else None
    # Read again: a parallel call may have changed the bag during the wait for its booking.
    bag = await store.find_bag_of_parcel(call.work, parcel_id) if row else None
    if row is None or bag is None:
        return
    at_origin = bag.drop_parcel_id == parcel_id
    if status is LockerStatus.CANCELLED:
        await _box_given_up(call, row, bag, parcel_id, at_origin=at_origin)
        return
    step = (AT_ORIGIN if at_origin else AT_DESTINATION).get(status)
    if step is not None and BAG_LIFE.next_status(step, BagStatus(bag.status)) is not None:
        by = bag.scanned_by if step in (BagStep.LOAD, BagStep.UNLOAD) else None
        await pass_on(call, row, bag, step, Handing(proof=DOOR, user_id=by))
        await settle(call, row.id)
    elif status is LockerStatus.EXPIRED and not at_origin:
        await settle(call, row.id)


async def _box_given_up(call: Call, row: LuggageRow, bag: LuggageBagRow, parcel_id: int, *, at_origin: bool) -> None:
    """Handle an empty compartment that was released.

    A job finds another one, or the price is refunded.
    """
    if not at_origin:
        await store.update_bag(call.work, bag.id, {"pick_parcel_id": None})
    elif bag.status == BagStatus.EXPECTED and is_live(row.status) and call.now < row.drop_until:
        await store.update_bag(call.work, bag.id, {"drop_parcel_id": None})
        if (await get_parcel(call, parcel_id)).end_reason == DOOR_STUCK:
            await store.update_booking(call.work, row.id, {"door_stuck": True})
        await call.enqueue(BOXES_JOB, DueLuggage(row.id))
