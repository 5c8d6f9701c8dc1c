"""The table of definitions."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.custom_fields.fields import MAX_NAME
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, notify_writes, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

CUSTOM_FIELDS_CHANNEL = "custom_fields"
"""The channel of notices that a client's definitions changed."""

definitions = tenant_table(
    "custom_field",
    Column("kind", String(20), nullable=False),
    Column("name", String(MAX_NAME), nullable=False),
    Column("labels", Json, nullable=False),
    Column("value_schema", Json, nullable=False),
    Column("required", Boolean, nullable=False),
    Column("default", Json),
    Column("filterable", Boolean, nullable=False),
    Column("personal", Boolean, nullable=False),
    Column("shared_with_partners", Boolean, nullable=False),
    Column("visible_to", Json, nullable=False),
    Column("editable_by", Json, nullable=False),
    Column("version", Integer, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("indexing", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("updated_by", Id),
    UniqueConstraint("client_id", "kind", "name"),
)
plain_columns(definitions, "kind", "name", "labels", "value_schema", "default", "visible_to", "editable_by")
notify_writes(definitions, CUSTOM_FIELDS_CHANNEL)


class DefinitionRow(Row):
    """A definition as it is stored."""

    id: int
    kind: str
    name: str
    labels: dict[str, str]
    value_schema: dict[str, Any]
    required: bool
    default: Any
    filterable: bool
    personal: bool
    shared_with_partners: bool
    visible_to: list[str]
    editable_by: list[str]
    version: int
    archived: bool
    indexing: bool
    created_at: datetime
    updated_at: datetime


_all = select(definitions).order_by(definitions.c.kind, definitions.c.id)
_by_id = select(definitions).where(definitions.c.id == bindparam("field"))
_by_id_locked = _by_id.with_for_update()
_indexed = (
    update(definitions)
    .where(definitions.c.id == bindparam("field"), definitions.c.version == bindparam("said"))
    .values(indexing=False)
)


async def list_definition_rows(work: UnitOfWork) -> list[DefinitionRow]:
    """All definitions of the client, by kind, in the order in which they were made."""
    return await work.all(_all, DefinitionRow)


async def get_definition_row(work: UnitOfWork, id: int, *, lock: bool = False) -> DefinitionRow | None:
    """A definition, or None."""
    return await work.first(_by_id_locked if lock else _by_id, DefinitionRow, field=id)


async def insert_definition(work: UnitOfWork, values: Mapping[str, Any]) -> int | None:
    """Write a definition. Returns the id; None where the name is taken."""
    rows = await work.insert_new(definitions, [values], DefinitionRow)
    return rows[0].id if rows else None


async def update_definition_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a definition."""
    await work.run(update(definitions).where(definitions.c.id == bindparam("field")).values(**values), field=id)


async def end_indexing(work: UnitOfWork, id: int, version: int) -> None:
    """Say that all records are indexed by a field as this version defines it."""
    await work.run(_indexed, field=id, said=version)
