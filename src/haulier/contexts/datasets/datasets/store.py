"""Tables and statements of datasets."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.folded_text import has_words

groups = tenant_table(
    "dataset_group",
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("readers", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "name"),
)
datasets = tenant_table(
    "dataset",
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("group_id", BigInteger),
    Column("record_schema", Json, nullable=False),
    Column("slots", Json, nullable=False),
    Column("key_field", String(64)),
    Column("address_fields", Json, nullable=False),
    Column("address_country", String(2)),
    Column("version", Integer, nullable=False),
    Column("record_count", BigInteger, nullable=False),
    Column("unready", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("deleted_at", UTCDateTime),
)
partial_unique_index("uq_dataset_name", "deleted_at IS NULL", datasets.c.name)
versions = tenant_table(
    "dataset_version",
    Column("dataset_id", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("record_schema", Json, nullable=False),
    Column("slots", Json, nullable=False),
    Column("address_fields", Json, nullable=False),
    Column("written_at", UTCDateTime, nullable=False),
    Column("written_by", BigInteger),
    UniqueConstraint("client_id", "dataset_id", "version"),
)
plain_columns(groups, "name", "description", "readers")
plain_columns(
    datasets,
    "name",
    "description",
    "record_schema",
    "slots",
    "key_field",
    "address_fields",
    "address_country",
    "unready",
)
plain_columns(versions, "record_schema", "slots", "address_fields")


_joined = datasets.outerjoin(groups, groups.c.id == datasets.c.group_id)
_present = select(datasets, groups.c.readers).select_from(_joined).where(datasets.c.deleted_at.is_(None))
_by_id = _present.where(datasets.c.id == bindparam("dataset"))
_by_id_locked = _by_id.with_for_update(of=datasets)
_count_up = (
    update(datasets)
    .where(datasets.c.id == bindparam("dataset"))
    .values(record_count=datasets.c.record_count + bindparam("more"))
)
_versions = (
    select(versions).where(versions.c.dataset_id == bindparam("dataset")).order_by(versions.c.version.desc()).limit(100)
)
_version = select(versions).where(
    versions.c.dataset_id == bindparam("dataset"), versions.c.version == bindparam("version")
)
_remove = delete(datasets).where(datasets.c.id == bindparam("dataset"))
_remove_versions = delete(versions).where(versions.c.dataset_id == bindparam("dataset"))


class DatasetRow(Row):
    """A dataset; `readers` are those of its group, or None."""

    id: int
    name: str
    description: str | None
    group_id: int | None
    record_schema: dict[str, Any]
    slots: list[str | None]
    key_field: str | None
    address_fields: list[str]
    address_country: str | None
    version: int
    record_count: int
    unready: list[str]
    created_at: datetime
    updated_at: datetime
    readers: list[str] | None


class DatasetVersionRow(Row):
    """A version of a dataset."""

    version: int
    record_schema: dict[str, Any]
    slots: list[str | None]
    address_fields: list[str]
    written_at: datetime
    written_by: int | None


async def get_dataset_row(work: UnitOfWork, id: int, *, lock: bool = False) -> DatasetRow | None:
    """Return a dataset that is not deleted, or None."""
    return await work.first(_by_id_locked if lock else _by_id, DatasetRow, dataset=id)


async def list_dataset_rows(
    work: UnitOfWork, *, groups_read: Collection[int] | None, ungrouped: bool, group_id: int | None, search: str | None,
    limit: int, offset: int,
) -> tuple[list[DatasetRow], int]:  # fmt: skip
    """Return a page of datasets by name, and the total.

    `groups_read` are the groups that the caller reads; None: all.
    """
    wanted, params = _present, {}
    if groups_read is not None:
        readable = in_param(datasets.c.group_id, "groups")
        wanted = wanted.where(or_(readable, datasets.c.group_id.is_(None)) if ungrouped else readable)
        params["groups"] = list(groups_read)
    if group_id is not None:
        wanted, params["group"] = wanted.where(datasets.c.group_id == bindparam("group")), group_id
    if search:
        wanted = wanted.where(has_words(search, datasets.c.name))
    page = wanted.order_by(datasets.c.name, datasets.c.id).limit(bindparam("count")).offset(bindparam("skipped"))
    rows = await work.all(page, DatasetRow, **params, count=limit, skipped=offset)
    return rows, await work.value(_counted(wanted), **params)


def _counted(wanted: Select[Any]) -> Select[Any]:
    return select(func.count()).select_from(wanted.with_only_columns(datasets.c.id).subquery())


async def insert_dataset(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a dataset. Returns the id."""
    return await work.insert(datasets, **values)


async def update_dataset_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a dataset."""
    if values:
        await work.run(update(datasets).where(datasets.c.id == bindparam("dataset")).values(**values), dataset=id)


async def add_to_record_count(work: UnitOfWork, id: int, more: int) -> None:
    """Adjust the record count of a dataset."""
    if more:
        await work.run(_count_up, dataset=id, more=more)


async def insert_dataset_version(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert a version of a dataset."""
    await work.insert(versions, **values)


async def list_dataset_version_rows(work: UnitOfWork, id: int) -> list[DatasetVersionRow]:
    """Return the last hundred versions, newest first."""
    return await work.all(_versions, DatasetVersionRow, dataset=id)


async def get_dataset_version_row(work: UnitOfWork, id: int, version: int) -> DatasetVersionRow | None:
    """One version, or None."""
    return await work.first(_version, DatasetVersionRow, dataset=id, version=version)


async def remove_dataset_rows(work: UnitOfWork, id: int) -> None:
    """Delete a dataset and its versions for good."""
    await work.run(_remove_versions, dataset=id)
    await work.run(_remove, dataset=id)


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
    """Return all groups of this client, by name."""
    return await work.all(_all_groups, GroupRow)


async def get_group_row(work: UnitOfWork, id: int) -> GroupRow | None:
    """Return a group, or None."""
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
