"""Orders that follow their dropped-off parcels: released or collected."""

from collections.abc import Sequence

from haulier.contexts.lockers.drop_offs.actions.plans import follow_courier, go_home
from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LockerStatus, ParcelKind
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

ENDS = frozenset({LockerStatus.CANCELLED, LockerStatus.REMOVED})


@before_commit(LockerParcelChanged)
async def follow_drop_offs(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update orders from their parcels.

    A released order is picked up at its sender's address again; a collected one counts as picked up.
    """
    for event in events:
        if isinstance(event, LockerParcelChanged) and event.order_id is not None and event.status in ENDS:
            row = await get_parcel(call, event.parcel_id)
            if row.kind != ParcelKind.DROP_OFF:
                continue
            if event.status == LockerStatus.CANCELLED:
                await go_home(call, row)
            else:
                await follow_courier(call, event.order_id)
