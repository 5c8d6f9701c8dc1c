"""The column in which a record's own row keeps its values, whatever table it is in."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, bindparam, select, update

from haulier.contexts.custom_fields.definitions.rules import ResourceKind
from haulier.contexts.custom_fields.values.rules import AT, Document, without_personal
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, metadata
from haulier.kernel.data.unit_of_work import UnitOfWork

_INFO = "custom_fields"


class KeptFor(NamedTuple):
    """Whose values a column keeps: the kind of record, and the column with the record's id."""

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
    """What stands in that column after an erasure: for the declaration of personal data beside the table."""
    return without_personal(row.custom_fields)


@cache
def _table_of(kind: ResourceKind) -> tuple[Table, KeptFor]:
    for table in metadata.sorted_tables:
        kept = table.c[AT].info.get(_INFO) if AT in table.c else None
        if kept and kept.kind is kind:
            return table, kept
    raise LookupError(kind)


async def list_rows_with_values(work: UnitOfWork, kind: ResourceKind, after: int, limit: int) -> list[ValuesRow]:
    """The next rows of a kind that have values, locked until the transaction ends, by their own ids."""
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
    """Write documents anew: each has a `row` id and a `document`."""
    table, _ = _table_of(kind)
    statement = (
        update(table).where(table.c.id == bindparam("row")).values({AT: bindparam("document", type_=table.c[AT].type)})
    )
    await work.run_many(statement, documents)
