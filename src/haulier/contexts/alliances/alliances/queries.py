"""Lookups of alliances for operations."""

from collections.abc import Collection, Iterable

from haulier.contexts.alliances.alliances import store
from haulier.contexts.alliances.alliances.rules import ALLIANCE_FOUNDER_ONLY, ALLIANCE_NOT_A_MEMBER, AllianceMemberState
from haulier.contexts.alliances.alliances.store import AllianceMemberRow, AllianceRow, TrackingGrantRow
from haulier.contexts.identity.public import find_lapses
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.pipeline.reach import SetUpLapse

READ_BY = "otep_client_tracking"
"""Operation that reads what a grant shares."""
GRANTED_BY, LISTED_BY = "grant_tracking", "update_shared_numbers"
"""Operations that share a grant and its numbers."""


async def find_grant_lapses(giver: Call, rows: Iterable[TrackingGrantRow]) -> dict[int, SetUpLapse]:
    """Return by grant why its giver could not give it now; at most two statements.

    `giver` acts for the giver.
    """
    who = {row.id: (row.set_up_by, row.set_up_with) for row in rows if row.set_up_by is not None}
    lapses = await find_lapses(giver, set(who.values()), READ_BY, GRANTED_BY)
    return {id: lapses[each] for id, each in who.items() if each in lapses}


async def find_keys_shared_now(giver: Call, grant_id: int, keys: Collection[str]) -> set[str]:
    """Return listed keys of users or tokens that could still share them now."""
    rows = await store.find_shared_keys(giver.work, grant_id, keys)
    who = {(row.set_up_by, row.set_up_with) for row in rows if row.set_up_by is not None}
    lapses = await find_lapses(giver, who, READ_BY, LISTED_BY)
    return {row.number_key for row in rows if (row.set_up_by, row.set_up_with) not in lapses}


async def get_own_alliance(call: Call, alliance_id: int, *, lock: bool = False) -> AllianceRow:
    """Return an alliance with a current or former membership. Raises `NOT_FOUND`."""
    row = await store.get_alliance(call.work, alliance_id, call.client_id, lock=lock)
    if row is None:
        raise record_not_found(alliance_id=alliance_id)
    return row


async def get_active_alliance(call: Call, alliance_id: int, *, lock: bool) -> AllianceRow:
    """Return an alliance of an active membership.

    Raises `NOT_FOUND`, `ALLIANCE_NOT_A_MEMBER`.
    """
    row = await get_own_alliance(call, alliance_id, lock=lock)
    if row.state != AllianceMemberState.ACTIVE:
        raise ALLIANCE_NOT_A_MEMBER(state=row.state)
    return row


async def get_founded_alliance(call: Call, alliance_id: int) -> AllianceRow:
    """Lock and return an alliance that the caller's business founded.

    Raises as above, and `ALLIANCE_FOUNDER_ONLY`.
    """
    row = await get_active_alliance(call, alliance_id, lock=True)
    if row.client_id != call.client_id:
        raise ALLIANCE_FOUNDER_ONLY(founder=row.founder_code)
    return row


async def find_active_member(call: Call, alliance_id: int, business: str) -> AllianceMemberRow | None:
    """Return the active member with a business code, or None."""
    row = await store.find_present_member(call.work, alliance_id, business)
    return row if row and row.state == AllianceMemberState.ACTIVE else None


async def get_own_grant(call: Call, grant_id: int) -> TrackingGrantRow:
    """Return a grant given or received by the caller's business. Raises `NOT_FOUND`."""
    row = await store.get_grant(call.work, grant_id, call.client_id)
    if row is None:
        raise record_not_found(grant_id=grant_id)
    return row
