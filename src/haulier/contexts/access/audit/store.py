"""The audit trail, read. The kernel writes it, in tables outside the tenant wall, so each statement here names the owner."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select

from haulier.kernel.data.statement import among
from haulier.kernel.data.work import Work
from haulier.kernel.steps.record import entries, subjects

_mine = entries.c.owner_client_id == bindparam("owner")
_FILTERS: Mapping[str, Callable[[Any], ColumnElement[bool]]] = {
    "operation": entries.c.operation.__eq__,
    "user_id": entries.c.user_id.__eq__,
    "account": entries.c.account.__eq__,
    "door": entries.c.door.__eq__,
    "request_id": entries.c.request_id.__eq__,
    "address": entries.c.address.__eq__,
    "since": entries.c.at.__ge__,
    "until": entries.c.at.__lt__,
}
_subjects = select(subjects.c.entry_id, subjects.c.kind, subjects.c.subject_id).where(
    subjects.c.owner_client_id == bindparam("owner"), among(subjects.c.entry_id, "ids")
)


async def page(
    work: Work, owner: int, *, subject: tuple[str | None, int | None], limit: int, offset: int, **filters: Any
) -> tuple[list[Any], int]:
    """A page of a client's entries, newest first, and how many fit in all. A filter of None lets everything through."""
    fits = [_mine, *(_FILTERS[name](value) for name, value in filters.items() if value is not None)]
    if any(subject):
        fits.append(entries.c.id.in_(_about(*subject)))
    listed = select(entries).where(*fits).order_by(entries.c.id.desc()).limit(limit).offset(offset)
    rows = await work.all(listed, owner=owner)
    return rows, await work.value(select(func.count()).select_from(entries).where(*fits), owner=owner)


def _about(kind: str | None, id: int | None) -> Any:
    found = select(subjects.c.entry_id).where(subjects.c.owner_client_id == bindparam("owner"))
    found = found if kind is None else found.where(subjects.c.kind == kind)
    return found if id is None else found.where(subjects.c.subject_id == id)


async def subjects_of(work: Work, owner: int, ids: Collection[int]) -> dict[int, list[tuple[str, int]]]:
    """The records that some entries are about, by entry."""
    found: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for row in await work.all(_subjects, owner=owner, ids=ids):
        found[row.entry_id].append((row.kind, row.subject_id))
    return found
