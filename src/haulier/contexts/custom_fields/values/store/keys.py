"""Keys of values: by which lists of records are filtered, whatever kind of record it is."""

from collections.abc import Collection, Mapping, Sequence
from operator import eq, ge, le
from typing import Any

from sqlalchemy import Boolean, Column, ColumnElement, Index, String, UniqueConstraint, and_, bindparam, delete, select

from haulier.contexts.custom_fields.definitions.rules import ResourceKind
from haulier.contexts.custom_fields.values.rules import CustomFieldFilter, FieldKey
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, key_in, personal_data, plain_columns
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, SortKey, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

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


def matching_records(record_id: ColumnElement[int], filters: Sequence[CustomFieldFilter]) -> list[ColumnElement[bool]]:
    """What the rows of a list must fulfil to match all filters; `record_id` is the id of the record in a row."""
    return [
        record_id.in_(
            select(keys.c.record_id).where(
                keys.c.field_id == each.field_id, _COMPARISONS[each.operator](keys.c.key, each.key)
            )
        )
        for each in filters
    ]


async def list_matching_ids(work: UnitOfWork, filters: Sequence[CustomFieldFilter], limit: int) -> list[int]:
    """The ids of records that match all filters, of which there is at least one; newest first."""
    first, *others = filters
    found = (
        select(keys.c.record_id)
        .where(keys.c.field_id == first.field_id, _COMPARISONS[first.operator](keys.c.key, first.key))
        .where(*matching_records(keys.c.record_id, others))
        .order_by(keys.c.record_id.desc())
        .limit(limit)
    )
    return [row.record_id for row in await work.all(found)]


async def insert_keys(work: UnitOfWork, kind: ResourceKind, found: Mapping[int, Collection[FieldKey]]) -> None:
    """Write the keys of some records, by their ids, which have none of these fields yet."""
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
