"""Tables and statements of values."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from operator import eq, ge, le
from typing import Any, NamedTuple

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Index,
    String,
    Table,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    exists,
    func,
    select,
    update,
)

from haulier.contexts.custom_fields.definitions.rules import ResourceKind
from haulier.contexts.custom_fields.values.rules import (
    AT,
    CustomFieldFilter,
    Document,
    FieldKey,
    FilterPlan,
    without_personal,
)
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, key_in, personal_data, plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, SortKey, metadata, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

_INFO = "custom_fields"


class KeptFor(NamedTuple):
    """Owner of a values column: kind of record, and the column with the record's id."""

    kind: ResourceKind
    id_column: str


class ValuesRow(Row):
    """A row with values."""

    id: int
    record_id: int
    custom_fields: Document


def custom_fields_column(kind: ResourceKind, id_column: str = "id") -> Column[Any]:
    """The column to declare in the table of a kind of record; null without values."""
    return Column(AT, Json, info={_INFO: KeptFor(kind, id_column)})


def erased_custom_fields(row: Any, keys: Any) -> Document | None:
    """Return the column value after an erasure.

    For the declaration of personal data beside the table.
    """
    return without_personal(row.custom_fields)


@cache
def _table_of(kind: ResourceKind) -> tuple[Table, KeptFor]:
    for table in metadata.sorted_tables:
        kept = table.c[AT].info.get(_INFO) if AT in table.c else None
        if kept and kept.kind is kind:
            return table, kept
    raise LookupError(kind)


async def list_rows_with_values(work: UnitOfWork, kind: ResourceKind, after: int, limit: int) -> list[ValuesRow]:
    """Lock and return the next rows of a kind that have values, by id."""
    table, kept = _table_of(kind)
    rows = (
        select(table.c.id, table.c[kept.id_column].label("record_id"), table.c[AT])
        .where(table.c[AT].is_not(None), table.c.id > bindparam("after"))
        .order_by(table.c.id)
        .limit(bindparam("count"))
        .with_for_update()
    )
    return await work.all(rows, ValuesRow, after=after, count=limit)


async def update_documents(work: UnitOfWork, kind: ResourceKind, documents: Sequence[Mapping[str, Any]]) -> None:
    """Write documents; each has a `row` id and a `document`."""
    table, _ = _table_of(kind)
    statement = (
        update(table).where(table.c.id == bindparam("row")).values({AT: bindparam("document", type_=table.c[AT].type)})
    )
    await work.run_many(statement, documents)


keys = tenant_table(
    "custom_field_key",
    Column("kind", String(20), nullable=False),
    Column("record_id", Id, nullable=False),
    Column("field_id", Id, nullable=False),
    Column("key", SortKey, nullable=False),
    Column("personal", Boolean, nullable=False),
    UniqueConstraint("client_id", "kind", "record_id", "field_id"),
    Index("ix_custom_field_key_found", "client_id", "field_id", "key", "record_id"),
)
keys.info["derived"] = True
plain_columns(keys, "kind")
ERASED_WITH = {
    ResourceKind.ORDER: (RecordKind.ORDER_CONTACTS, PersonKey.ORDER),
    ResourceKind.CUSTOMER: (RecordKind.USERS, PersonKey.USER),
    ResourceKind.DRIVER: (RecordKind.DRIVERS, PersonKey.DRIVER),
}
"""With what a record's personal values are erased, and by which key of a person it is found."""


def _declare_personal(kind: ResourceKind, held_as: RecordKind, key: PersonKey) -> None:
    def find(person: PersonKeys) -> ColumnElement[bool] | None:
        known = key_in(keys.c.record_id, key, person)
        return None if known is None else and_(keys.c.kind == kind.value, keys.c.personal.is_(True), known)

    personal_data(keys, held_as, find=find)


for _kind, (_held_as, _key) in ERASED_WITH.items():
    _declare_personal(_kind, _held_as, _key)

_COMPARISONS = {":": eq, ">=": ge, "<=": le}
_of_records = delete(keys).where(keys.c.kind == bindparam("of"), in_param(keys.c.record_id, "records"))
_of_field = delete(keys).where(keys.c.field_id == bindparam("field"), in_param(keys.c.record_id, "records"))


def matching_records(kind: ResourceKind, record_id: ColumnElement[int], plan: FilterPlan) -> list[ColumnElement[bool]]:
    """Return the conditions for rows of a list of some kind.

    `record_id` is the id of the record in a row.
    """
    gathered = [record_id.in_(select(keys.c.record_id).where(_fits(keys, plan.gathered)))] if plan.gathered else []
    return [*gathered, *(_has_key(kind, record_id, each) for each in plan.looked_up)]


def _fits(table: Any, wanted: CustomFieldFilter) -> ColumnElement[bool]:
    return and_(table.c.field_id == wanted.field_id, _COMPARISONS[wanted.operator](table.c.key, wanted.key))


def _has_key(kind: ResourceKind, record_id: ColumnElement[int], wanted: CustomFieldFilter) -> ColumnElement[bool]:
    own = keys.alias()
    return exists().where(own.c.kind == kind.value, own.c.record_id == record_id, _fits(own, wanted))


async def count_matching(work: UnitOfWork, filters: Sequence[CustomFieldFilter], most: int) -> list[int]:
    """Return the number of records per filter, up to `most`, in one statement."""
    found = [select(keys.c.id).where(_fits(keys, each)).limit(most).subquery() for each in filters]
    counts = [select(func.count()).select_from(each).scalar_subquery() for each in found]
    (row,) = await work.all(select(*(count.label(f"n{index}") for index, count in enumerate(counts))))
    return list(row)


async def list_matching_ids(work: UnitOfWork, kind: ResourceKind, plan: FilterPlan, limit: int) -> list[int]:
    """The ids of records that match a plan, which has a filter; newest first."""
    first, *others = [each for each in (plan.gathered, *plan.looked_up) if each]
    found = (
        select(keys.c.record_id)
        .where(_fits(keys, first), *(_has_key(kind, keys.c.record_id, each) for each in others))
        .order_by(keys.c.record_id.desc())
        .limit(limit)
    )
    return [row.record_id for row in await work.all(found)]


async def insert_keys(work: UnitOfWork, kind: ResourceKind, found: Mapping[int, Collection[FieldKey]]) -> None:
    """Insert the keys of records by id. The records have no key of these fields yet."""
    rows: list[dict[str, Any]] = [
        {
            "kind": kind.value,
            "record_id": record_id,
            "field_id": each.field_id,
            "key": each.key,
            "personal": each.personal,
        }
        for record_id, of_record in found.items()
        for each in of_record
    ]
    await work.insert_many(keys, rows)


async def delete_keys_of_records(work: UnitOfWork, kind: ResourceKind, record_ids: Collection[int]) -> None:
    """Delete all keys of some records."""
    await work.run(_of_records, of=kind.value, records=list(record_ids))


async def delete_keys_of_field(work: UnitOfWork, field_id: int, record_ids: Collection[int]) -> None:
    """Delete the keys that some records have for one field."""
    await work.run(_of_field, field=field_id, records=list(record_ids))
