"""Verification of the audit trail against changes by SQL.

It reads in batches and can run next to a live server.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, func, select

from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.pipeline.audit import audit_entries, list_entry_subjects
from haulier.kernel.pipeline.audit_digests import has_digest
from haulier.kernel.pipeline.audit_erasure import ERASED_ENTRIES, REMOVED_ENTRIES
from haulier.kernel.pipeline.audit_seals import NO_CLIENT, SealedEntry, SealRow, audit_seals, is_authentic

BATCH = 1000


class AuditFault(Struct, frozen=True):
    """An entry or seal that differs from what the server wrote."""

    entry_id: int
    text: str


class AuditVerification(Struct):
    """Result for one client: counts, the newest seal, and faults in entry order."""

    owner: int
    entries: int = 0
    erased: int = 0
    removed: int = 0
    """Number of entries that retention deleted and that seals still list."""
    unsealed: int = 0
    seals: int = 0
    newest_seal: str = ""
    faults: list[AuditFault] = []


class _Erasures(Struct):
    """Erasures found in authentic entries: new digests and the end of retention."""

    digests: dict[int, str]
    before_s: int


_owner = func.coalesce(audit_entries.c.owner_client_id, NO_CLIENT)
_owners = select(_owner).union(select(audit_seals.c.owner_client_id))
_page = (
    select(audit_entries)
    .where(_owner == bindparam("owner"), audit_entries.c.id > bindparam("after"))
    .order_by(audit_entries.c.id)
    .limit(BATCH)
)
_of_erasures = _page.where(audit_entries.c.operation.in_([ERASED_ENTRIES, REMOVED_ENTRIES]))
_repeated = (
    select(func.max(audit_entries.c.id))
    .where(_owner == bindparam("owner"), audit_entries.c.digest.is_not(None))
    .group_by(audit_entries.c.digest)
    .having(func.count() > 1)
)
_next_seals = (
    select(audit_seals)
    .where(audit_seals.c.owner_client_id == bindparam("owner"), audit_seals.c.number > bindparam("after"))
    .order_by(audit_seals.c.number)
    .limit(10)
)
_these = select(audit_entries).where(in_param(audit_entries.c.id, "ids"))


async def list_owners(work: UnitOfWork) -> list[int]:
    """Return the clients with entries or seals, and 0 for entries without a client."""
    return sorted(row[0] for row in await work.all(_owners))


async def verify_audit_trail(work: UnitOfWork, owner: int) -> AuditVerification:
    """Verify all entries and seals of one client."""
    result = AuditVerification(owner)
    erasures = await _read_erasures(work, owner)
    undigested = await _verify_entries(work, result, erasures)
    sealed = await _verify_seals(work, result, erasures)
    for entry_id in undigested - sealed if result.seals else ():
        result.faults.append(AuditFault(entry_id, "was inserted: it has no digest and no seal names it"))
    result.unsealed = max(0, result.entries - len(sealed))  # entries may have been added since
    result.faults.sort(key=lambda fault: fault.entry_id)
    return result


async def _pages(
    work: UnitOfWork, statement: Any, owner: int
) -> AsyncIterator[tuple[Sequence[Any], Mapping[int, Any]]]:
    after = 0
    while rows := await work.all(statement, owner=owner, after=after):
        yield rows, await list_entry_subjects(work, [row.id for row in rows])
        after = rows[-1].id


async def _read_erasures(work: UnitOfWork, owner: int) -> _Erasures:
    digests: dict[int, str] = {}
    before_s = 0
    async for rows, subjects in _pages(work, _of_erasures, owner):
        for row in rows:
            if not row.digest or not has_digest(row._asdict(), subjects.get(row.id, ()), row.digest):
                continue
            if row.operation == ERASED_ENTRIES:
                digests |= {int(id): digest for id, digest in row.request["digests"].items()}
            else:
                before_s = max(before_s, row.request["before_s"])
    return _Erasures(digests, before_s)


async def _verify_entries(work: UnitOfWork, result: AuditVerification, erasures: _Erasures) -> set[int]:
    """Verify each entry and return the ids of those older than digests."""
    undigested: set[int] = set()
    async for rows, subjects in _pages(work, _page, result.owner):
        for row in rows:
            result.entries += 1
            digest = row.digest if row.salt else erasures.digests.get(row.id)
            if row.digest is None and digest is None:
                undigested.add(row.id)
            elif not digest or not has_digest(row._asdict(), subjects.get(row.id, ()), digest):
                result.faults.append(AuditFault(row.id, "was changed or inserted: its digest does not fit"))
            elif not row.salt:
                result.erased += 1
    repeated = await work.all(_repeated, owner=result.owner)
    result.faults += [AuditFault(row[0], "was inserted: it repeats another entry") for row in repeated]
    return undigested


async def _verify_seals(work: UnitOfWork, result: AuditVerification, erasures: _Erasures) -> set[int]:
    """Verify the chain of seals and return the ids of the sealed entries that exist."""
    sealed: set[int] = set()
    while seals := await work.all(_next_seals, SealRow, owner=result.owner, after=result.seals):
        for seal in seals:
            entries = [SealedEntry(*entry) for entry in seal.entries]
            if seal.number != result.seals + 1 or seal.previous != result.newest_seal or not is_authentic(seal):
                first = entries[0].id if entries else 0
                result.faults.append(AuditFault(first, f"is the first of seal {seal.number}, which breaks the chain"))
            result.seals, result.newest_seal = seal.number, seal.digest
            sealed |= await _verify_sealed_entries(work, result, entries, erasures)
    return sealed


async def _verify_sealed_entries(
    work: UnitOfWork, result: AuditVerification, entries: Sequence[SealedEntry], erasures: _Erasures
) -> set[int]:
    rows = {row.id: row for row in await work.all(_these, ids=[entry.id for entry in entries])}
    undigested = [row.id for row in rows.values() if row.digest is None and row.id not in erasures.digests]
    subjects = await list_entry_subjects(work, undigested) if undigested else {}
    for entry in entries:
        row = rows.get(entry.id)
        if row is None:
            if entry.at_s <= erasures.before_s:
                result.removed += 1
            else:
                result.faults.append(AuditFault(entry.id, "was removed"))
        elif row.digest is None and row.id in undigested:
            if not has_digest(row._asdict(), subjects.get(row.id, ()), entry.digest):
                result.faults.append(AuditFault(row.id, "was changed after it was sealed"))
        elif row.digest is not None and row.digest != entry.digest:
            result.faults.append(AuditFault(row.id, "was replaced after it was sealed"))
    return set(rows)
