"""Groups of datasets."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from haulier.contexts.datasets.datasets.store.tables import datasets, groups
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

_size = (
    select(func.count())
    .where(datasets.c.group_id == groups.c.id, datasets.c.deleted_at.is_(None))
    .scalar_subquery()
    .label("dataset_count")
)
_all_groups = select(groups, _size).order_by(groups.c.name, groups.c.id)
_group_by_id = select(groups, _size).where(groups.c.id == bindparam("group"))
_delete = delete(groups).where(groups.c.id == bindparam("group"))


class GroupRow(Row):
    """A group."""

    id: int
    name: str
    description: str | None
    readers: list[str]
    dataset_count: int


async def list_group_rows(work: UnitOfWork) -> list[GroupRow]:
    """All groups of this client, by name."""
    return await work.all(_all_groups, GroupRow)


async def get_group_row(work: UnitOfWork, id: int) -> GroupRow | None:
    """A group, or None."""
    return await work.first(_group_by_id, GroupRow, group=id)


async def insert_group(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a group. Returns the id."""
    return await work.insert(groups, **values)


async def update_group_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a group."""
    if values:
        await work.run(update(groups).where(groups.c.id == bindparam("group")).values(**values), group=id)


async def delete_group_row(work: UnitOfWork, id: int) -> None:
    """Delete a group."""
    await work.run(_delete, group=id)
