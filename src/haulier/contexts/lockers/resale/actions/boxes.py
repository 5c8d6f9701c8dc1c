"""Compartments of rentals: allotted, exchanged when faulty, or refunded."""

from collections.abc import Sequence

from haulier.contexts.lockers.events import LockerBoxChanged
from haulier.contexts.lockers.resale.actions.money import give_lost_days_back
from haulier.contexts.lockers.resale.actions.work import (
    BOX_OUT,
    BOX_REPLACED,
    LEASE_LETTER_JOB,
    LEASED_BOX_JOB,
    ChangedBox,
    LeaseLetter,
)
from haulier.contexts.lockers.resale.queries import get_lease
from haulier.contexts.lockers.resale.rules import lost_days
from haulier.contexts.lockers.resale.store import allotments as store
from haulier.contexts.lockers.resale.store.tables import AllotmentRow, LockerLeaseRow
from haulier.contexts.lockers.sites.queries import get_box
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

ATTEMPTS = 5
"""Retries for compartments that were taken before they were locked."""


async def take_boxes(call: Call, site_id: int, size: str, wanted: int) -> list[int]:
    """Lock free compartments of exactly one size, at most as many as wanted."""
    taken: list[int] = []
    for _ in range(ATTEMPTS):
        taken = await store.lock_free_boxes(call.work, site_id, size, wanted)
        # Check again: a concurrent deposit holds the same lock, but the statement read the row before.
        filled = await store.list_filled(call.work, taken)
        if not filled:
            return taken
        taken = [box_id for box_id in taken if box_id not in filled]
    return taken


@before_commit(LockerBoxChanged)
async def notice_changed_boxes(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue a job for each rented compartment whose usability changed.

    A job is needed: the caller has locked the compartment, and rentals are locked before compartments.
    """
    for event in events:
        if isinstance(event, LockerBoxChanged) and await store.find_allotment_of_box(call.work, event.box_id):
            await call.enqueue(LEASED_BOX_JOB, ChangedBox(event.box_id))


async def follow_box(call: Call, box_id: int) -> None:
    """Exchange an unusable rented compartment, or refund its outage.

    Idempotent.
    """
    found = await store.find_allotment_of_box(call.work, box_id)
    if found is None:
        return
    lease = await get_lease(call, found.lease_id, lock=True)
    allotment = await store.find_allotment_of_box(call.work, box_id)
    if allotment is None or allotment.lease_id != lease.id:
        return
    box = await get_box(call, box_id, lock=True)
    if box.state == BoxState.READY:
        await _settle(call, lease, allotment)
    elif allotment.out_since is None:
        await _replace(call, lease, allotment)


async def _replace(call: Call, lease: LockerLeaseRow, allotment: AllotmentRow) -> None:
    other = await take_boxes(call, lease.site_id, lease.size, 1)
    if other:
        await store.release_box(call.work, allotment, call.now)
        await store.allot_boxes(call.work, lease.id, other, call.now)
    else:
        await store.note_out_since(call.work, allotment.id, call.now)
    call.add_audit_subjects("locker_lease", lease.id)
    await call.enqueue(LEASE_LETTER_JOB, LeaseLetter(lease.id, BOX_REPLACED if other else BOX_OUT))


async def settle_outages(call: Call, lease: LockerLeaseRow) -> None:
    """Refund the outage days of unusable compartments before their rental ends.

    The rental must be locked.
    """
    for allotment in await store.list_allotments(call.work, lease.id):
        await _settle(call, lease, allotment)


async def _settle(call: Call, lease: LockerLeaseRow, allotment: AllotmentRow) -> None:
    if allotment.out_since is None:
        return
    await store.note_out_since(call.work, allotment.id, None)
    if lease.paid_at is not None and lease.ends_at is not None:
        since, until = max(allotment.out_since, lease.paid_at), min(call.now, lease.ends_at)
        if until > since:
            await give_lost_days_back(call, lease, since, lost_days(since, until))
