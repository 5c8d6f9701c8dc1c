"""Outcomes of doors for their parcels."""

from collections.abc import Sequence

from haulier.contexts.lockers.devices.rules import CommandState, DoorPurpose
from haulier.contexts.lockers.events import DeviceCommandEnded
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.steps import take_step, track
from haulier.contexts.lockers.parcels.rules import LOCKER_LIFE, LockerStatus, LockerStep
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.actions import lock_free_box, set_box_state
from haulier.contexts.lockers.sites.queries import get_box
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

STEPS = {
    DoorPurpose.DEPOSIT: LockerStep.DEPOSIT,
    DoorPurpose.COLLECT: LockerStep.COLLECT,
    DoorPurpose.RETRIEVE: LockerStep.REMOVE,
}
DOOR_STUCK = "door_stuck"


@before_commit(DeviceCommandEnded)
async def follow_doors(call: Call, events: Sequence[DomainEvent]) -> None:
    """Take the step of an opened door, or mark a stuck compartment as faulty."""
    for event in events:
        if isinstance(event, DeviceCommandEnded) and event.box_id is not None:
            if event.status == CommandState.FAILED:
                await _door_failed(call, event)
            elif event.status == CommandState.DONE:
                await _door_opened(call, event)


async def _door_opened(call: Call, event: DeviceCommandEnded) -> None:
    step = STEPS.get(DoorPurpose(event.purpose or DoorPurpose.INSPECT))
    row = await _lock(call, event)
    # Late reports are accepted: they only state what the door did.
    if row is None or step is None or LOCKER_LIFE.next_status(step, LockerStatus(row.status)) is None:
        return
    if row.box_id != event.box_id:  # it has moved to another compartment
        return
    await take_step(call, row, step, at=event.happened_at)


async def _door_failed(call: Call, event: DeviceCommandEnded) -> None:
    box = await get_box(call, event.box_id or 0, lock=True)
    await set_box_state(call, box, BoxState.FAULTY, DOOR_STUCK)
    row = await _lock(call, event)
    if row is None or event.purpose != DoorPurpose.DEPOSIT or row.status != LockerStatus.RESERVED:
        return
    if row.box_id != box.id:  # it has moved to another compartment
        return
    await track(call, row, "deposit_failed")
    other = await lock_free_box(call, row.site_id, box.size, low=box.low, lease_id=row.lease_id)
    if other is None:
        await take_step(call, row, LockerStep.CANCEL, reason=DOOR_STUCK)
    else:
        await store.update_parcel(call.work, row.id, {"box_id": other.id})


async def _lock(call: Call, event: DeviceCommandEnded) -> LockerParcelRow | None:
    return await store.get_parcel_row(call.work, event.parcel_id, lock=True) if event.parcel_id else None
