"""Seals of the audit trail: a chain of the entries of one client.

A seal is an HMAC over its entries with their digests and over the previous seal, so removing or replacing an entry
breaks the chain. Entries are sealed once a minute in the background, so that calls neither wait nor run more
statements.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, Column, Index, Integer, String, UniqueConstraint, bindparam, func, or_, select

from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork
from haulier.kernel.pipeline.audit import audit_entries, list_entry_subjects
from haulier.kernel.pipeline.audit_digests import DIGEST_LENGTH, digest_entry
from haulier.kernel.values.sealing import SealedKind, has_tag, make_tag

log = logging.getLogger("haulier.audit")

SEAL_EVERY = timedelta(minutes=1)
LATE_AFTER = timedelta(minutes=10)
"""PostgreSQL may commit a lower id after a higher one. Seals look back this long for late entries."""
MAX_LATE = 20_000
BATCH = 1000
MAX_BATCHES = 100
NO_CLIENT = 0
"""Owner of seals for entries without a client."""

audit_seals = shared_table(
    "audit_seal",
    Column("owner_client_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("sealed_at", UTCDateTime, nullable=False),
    Column("last_id", BigInteger, nullable=False),
    Column("entries", Json, nullable=False),
    Column("previous", String(DIGEST_LENGTH), nullable=False),
    Column("digest", String(DIGEST_LENGTH), nullable=False),
    UniqueConstraint("owner_client_id", "number"),
    Index(None, "sealed_at"),
    machinery=True,
)
"""`entries` holds the id, second and digest of each entry. Retention keeps seals: they contain no personal data."""
plain_columns(audit_seals, "entries", "previous", "digest")


class SealedEntry(Struct, frozen=True, array_like=True):
    """Entry listed in a seal."""

    id: int
    at_s: int
    digest: str


class SealRow(Row):
    """Row of a seal."""

    owner_client_id: int
    number: int
    sealed_at: datetime
    last_id: int
    entries: list[Any]
    previous: str
    digest: str


class _UnsealedRow(Row):
    id: int
    owner_client_id: int | None
    at: datetime
    digest: str | None


_columns = select(audit_entries.c.id, audit_entries.c.owner_client_id, audit_entries.c.at, audit_entries.c.digest)
_after = _columns.where(audit_entries.c.id > bindparam("mark")).order_by(audit_entries.c.id).limit(BATCH)
_between = _columns.where(audit_entries.c.id > bindparam("since"), audit_entries.c.id <= bindparam("mark"))
_mark = select(func.max(audit_seals.c.last_id))
_sealed_at = audit_seals.c.sealed_at
_settled = select(func.max(audit_seals.c.last_id)).where(_sealed_at < bindparam("late", type_=_sealed_at.type))
_recent = select(audit_seals.c.entries).where(
    or_(_sealed_at >= bindparam("late", type_=_sealed_at.type), audit_seals.c.last_id > bindparam("since"))
)
_newest_of_each = select(audit_seals.c.owner_client_id, func.max(audit_seals.c.number).label("number")).where(
    in_param(audit_seals.c.owner_client_id, "owners")
)
_newest = _newest_of_each.group_by(audit_seals.c.owner_client_id).subquery()
_heads = select(audit_seals).join(
    _newest,
    (audit_seals.c.owner_client_id == _newest.c.owner_client_id) & (audit_seals.c.number == _newest.c.number),
)
_full = select(audit_entries).where(in_param(audit_entries.c.id, "ids"))
_first_digested = (
    select(audit_entries.c.id).where(audit_entries.c.digest.is_not(None)).order_by(audit_entries.c.id).limit(1)
)


@periodic(SEAL_EVERY)
async def seal_audit_trail(app: Application) -> None:
    """Seal all unsealed entries in short transactions."""
    for _ in range(MAX_BATCHES):
        try:
            async with app.database.write(None) as work:
                found = await seal_next_entries(work, app.clock())
        except UniqueConflict:
            return  # another process is sealing
        if found < BATCH:
            return


async def seal_next_entries(work: UnitOfWork, now: datetime) -> int:
    """Seal the next entries with one seal per client, and return their number."""
    mark = await work.value(_mark) or 0
    rows = await work.all(_after, _UnsealedRow, mark=mark)
    late = await _list_late_entries(work, now, mark)
    unsealed = [*late, *rows]
    if unsealed:
        entries = await _digest_old_entries(work, unsealed)
        await _insert_seals(work, now, max(mark, unsealed[-1].id), entries)
    return len(rows)


async def _list_late_entries(work: UnitOfWork, now: datetime, mark: int) -> list[_UnsealedRow]:
    """Return entries with low ids that were committed after higher ones were sealed."""
    if not mark:
        return []
    late = now - LATE_AFTER
    since = max(await work.value(_settled, late=late) or 0, mark - MAX_LATE)
    sealed = {entry[0] for row in await work.all(_recent, late=late, since=since) for entry in row.entries}
    rows = await work.all(_between, _UnsealedRow, since=since, mark=mark)
    return [row for row in rows if row.id not in sealed]


async def _digest_old_entries(work: UnitOfWork, rows: Sequence[_UnsealedRow]) -> dict[int, list[SealedEntry]]:
    """Return the entries by owner. Entries older than digests are digested here."""
    digests = {row.id: row.digest for row in rows if row.digest}
    if old := [row.id for row in rows if not row.digest]:
        first = await work.value(_first_digested)
        subjects = await list_entry_subjects(work, old)
        for row in await work.all(_full, ids=old):
            if first is None or row.id < first:
                digests[row.id] = digest_entry(row._asdict(), subjects.get(row.id, ()))
            else:
                log.error("audit entry %s has no digest: it was not written by this version of Haulier", row.id)
    by_owner: dict[int, list[SealedEntry]] = {row.owner_client_id or NO_CLIENT: [] for row in rows}
    for row in rows:
        if row.id in digests:
            entry = SealedEntry(row.id, int(row.at.timestamp()), digests[row.id])
            by_owner[row.owner_client_id or NO_CLIENT].append(entry)
    return by_owner


async def _insert_seals(work: UnitOfWork, now: datetime, last_id: int, by_owner: dict[int, list[SealedEntry]]) -> None:
    heads = {row.owner_client_id: row for row in await work.all(_heads, SealRow, owners=list(by_owner))}
    seals: list[dict[str, Any]] = []
    for owner, entries in sorted(by_owner.items()):
        head = heads.get(owner)
        number, previous = (head.number + 1, head.digest) if head else (1, "")
        listed = [list(msgspec.structs.astuple(entry)) for entry in entries]
        digest = make_tag(SealedKind.AUDIT_SEAL, _encode_seal(owner, number, previous, listed))
        named = {"owner_client_id": owner, "number": number, "previous": previous, "digest": digest}
        seals.append({**named, "sealed_at": now, "last_id": last_id, "entries": listed})
        log.info("audit trail of client %s sealed: seal %s, %s entries, digest %s", owner, number, len(listed), digest)
    await work.insert_many(audit_seals, seals)


async def find_newest_seal(work: UnitOfWork, owner: int) -> SealRow | None:
    """Return the newest seal of a client, or None."""
    return await work.first(_heads, SealRow, owners=[owner])


def is_authentic(seal: SealRow) -> bool:
    """Return True if this server made the seal."""
    content = _encode_seal(seal.owner_client_id, seal.number, seal.previous, seal.entries)
    return has_tag(SealedKind.AUDIT_SEAL, content, seal.digest)


def _encode_seal(owner: int, number: int, previous: str, entries: Sequence[Any]) -> bytes:
    return msgspec.json.encode([owner, number, previous, entries])
