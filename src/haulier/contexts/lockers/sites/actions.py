"""Boxes are taken, and become faulty or usable. Each call happens within the caller's transaction."""

from collections.abc import Mapping

from haulier.contexts.lockers.events import LockerBoxChanged
from haulier.contexts.lockers.sites.rules import BoxState, rank_of
from haulier.contexts.lockers.sites.store import boxes as store
from haulier.contexts.lockers.sites.store.tables import LockerBoxRow
from haulier.kernel.call import Call


async def lock_free_box(call: Call, site_id: int, size: str, *, low: bool) -> LockerBoxRow | None:
    """The smallest free box of a site that is large enough, or None."""
    return await store.lock_free_box(call.work, site_id, rank_of(size), low=low)


async def set_box_state(call: Call, box: LockerBoxRow, state: BoxState, fault: str | None) -> None:
    """Take a box out of use, or into use again."""
    await store.update_box(call.work, box.id, {"state": state.value, "fault": fault})
    await store.settle_usable(call.work, box.site_id)
    if state != box.state:
        await call.publish(LockerBoxChanged(box_id=box.id, site_id=box.site_id, state=state.value))


async def note_doors(call: Call, cabinet_id: int, doors: Mapping[int, bool]) -> None:
    """Note what the sensors of a cabinet's doors say, by the number of the box."""
    for is_open in (True, False):
        numbers = [number for number, said in doors.items() if said is is_open]
        await store.set_doors(call.work, cabinet_id, numbers, is_open=is_open)
