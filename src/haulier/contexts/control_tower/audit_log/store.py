"""Reads of the audit trail.

The kernel writes it to tables without the tenant filter, so each statement names the owner.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, select

from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.pipeline.audit import audit_entries, audit_subjects

_mine = audit_entries.c.owner_client_id == bindparam("owner")
_FILTERS: Mapping[str, Callable[[Any], ColumnElement[bool]]] = {
    "operation": audit_entries.c.operation.__eq__,
    "user_id": audit_entries.c.user_id.__eq__,
    "account": audit_entries.c.account.__eq__,
    "door": audit_entries.c.door.__eq__,
    "request_id": audit_entries.c.request_id.__eq__,
    "address": audit_entries.c.address.__eq__,
    "since": audit_entries.c.at.__ge__,
    "until": audit_entries.c.at.__lt__,
}
_subjects = (
    select(audit_subjects.c.entry_id, audit_subjects.c.kind, audit_subjects.c.subject_id)
    .where(audit_subjects.c.owner_client_id == bindparam("owner"), in_param(audit_subjects.c.entry_id, "ids"))
    .order_by(audit_subjects.c.id)
)


class AuditEntryRow(Row):
    """An entry of the audit trail."""

    id: int
    user_id: int | None


class AuditSubjectRow(Row):
    """A record that an entry is about."""

    entry_id: int
    kind: str
    subject_id: int


async def list_audit_entry_rows(
    work: UnitOfWork, owner: int, *, subject: tuple[str | None, int | None], limit: int, offset: int, **filters: Any
) -> tuple[list[AuditEntryRow], int]:
    """Return a page of a client's entries, newest first, and the total.

    Filters of None are ignored.
    """
    fits = [_mine, *(_FILTERS[name](value) for name, value in filters.items() if value is not None)]
    if any(subject):
        fits.append(audit_entries.c.id.in_(_entries_about(*subject)))
    listed = select(audit_entries).where(*fits).order_by(audit_entries.c.id.desc()).limit(limit).offset(offset)
    rows = await work.all(listed, AuditEntryRow, owner=owner)
    return rows, await work.value(select(func.count()).select_from(audit_entries).where(*fits), owner=owner)


def _entries_about(kind: str | None, id: int | None) -> Select[Any]:
    statement = select(audit_subjects.c.entry_id).where(audit_subjects.c.owner_client_id == bindparam("owner"))
    statement = statement if kind is None else statement.where(audit_subjects.c.kind == kind)
    return statement if id is None else statement.where(audit_subjects.c.subject_id == id)


async def list_audit_subjects(work: UnitOfWork, owner: int, ids: Collection[int]) -> dict[int, list[tuple[str, int]]]:
    """Return the records that some entries are about, by entry."""
    subjects: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for row in await work.all(_subjects, AuditSubjectRow, owner=owner, ids=ids):
        subjects[row.entry_id].append((row.kind, row.subject_id))
    return subjects
