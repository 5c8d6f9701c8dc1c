"""Jobs that reserve compartments and follow up missed deadlines."""

from haulier.contexts.lockers.luggage import store
from haulier.contexts.lockers.luggage.actions.bookings import (
    BOXES_JOB,
    DUE_JOB,
    DueLuggage,
    cancel_luggage,
    publish_booking_changed,
)
from haulier.contexts.lockers.luggage.actions.custody import apply_outcome, drop_missing_bags, is_live, reserve_boxes
from haulier.contexts.lockers.luggage.queries import lock_luggage
from haulier.contexts.lockers.luggage.rules import BagStatus, LuggageEnd
from haulier.contexts.lockers.luggage.store import LuggageRow
from haulier.contexts.lockers.parcels.actions.codes import find_pending_door
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


@job(BOXES_JOB, DueLuggage)
async def reserve_boxes_for_luggage(run: JobRun, args: DueLuggage) -> None:
    """Reserve compartments for bags that arrive soon.

    Running it twice reserves them once.
    """
    async with run.call() as call:
        await reserve_boxes(call, args.booking_id)


@job(DUE_JOB, DueLuggage)
async def end_times_of_luggage(run: JobRun, args: DueLuggage) -> None:
    """Handle missed deadlines for payment, drop-off, arrival and collection.

    Idempotent.
    """
    async with run.call() as call:
        row, _ = await lock_luggage(call, args.booking_id)
        if not is_live(row.status):
            return
        if row.paid_at is None:
            await _end_unpaid(call, row)
            return
        await _end_drop_off(call, row)
        await _record_delay(call, row.id)
        await apply_outcome(call, row.id)


async def _end_unpaid(call: Call, row: LuggageRow) -> None:
    if row.pay_until <= call.now:
        _, bags = await lock_luggage(call, row.id)
        await cancel_luggage(call, row, bags, LuggageEnd.NOT_PAID, give_back_minor=0)


async def _end_drop_off(call: Call, row: LuggageRow) -> None:
    """Continue without missing bags, and refund those without a free compartment."""
    if row.drop_until > call.now:
        return
    _, bags = await lock_luggage(call, row.id)
    missing = [bag for bag in bags if bag.status == BagStatus.EXPECTED]
    for bag in missing:
        if bag.drop_parcel_id and (door := await find_pending_door(call, bag.drop_parcel_id)):
            await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=door.expires_at)
            return
    boxless = [bag for bag in missing if row.from_site_id is not None and bag.drop_parcel_id is None]
    if boxless:
        await drop_missing_bags(call, row.id, boxless, LuggageEnd.DOOR_STUCK if row.door_stuck else LuggageEnd.NO_BOX)
    if len(missing) > len(boxless):
        kept = [bag for bag in missing if bag not in boxless]
        await drop_missing_bags(call, row.id, kept, LuggageEnd.NOT_BROUGHT)


async def _record_delay(call: Call, booking_id: int) -> None:
    row = await LuggageRow.get(call.work, booking_id)
    if row and is_live(row.status) and not row.late and row.arrived_at is None and row.pick_from <= call.now:
        await store.update_booking(call.work, row.id, {"late": True})
        await publish_booking_changed(call, row.id, tracked=False)
