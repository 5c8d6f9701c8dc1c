"""Cached definitions, which almost every write of an order reads."""

from collections.abc import Mapping
from itertools import groupby

from haulier.contexts.custom_fields.definitions import store
from haulier.contexts.custom_fields.definitions.rules import NO_FIELDS, FieldDefinition, FieldSet, ResourceKind
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.records import record

ClientFields = Mapping[ResourceKind, FieldSet]
"""The custom fields of a client; kinds without any are absent."""


class KnownFields(ClientCache[ClientFields]):
    """The custom fields of clients, those who have none too."""

    channel = store.CUSTOM_FIELDS_CHANNEL

    async def read(self, work: UnitOfWork) -> ClientFields:
        """The custom fields of the client of a unit of work."""
        rows = await store.list_definition_rows(work)
        return {
            ResourceKind(kind): FieldSet(map(definition_from_row, of_kind))
            for kind, of_kind in groupby(rows, key=lambda row: row.kind)
        }


async def get_field_set(call: Call, kind: ResourceKind) -> FieldSet:
    """The custom fields that the client's records of a kind have."""
    return (await get_field_sets(call, kind))[0]


async def get_field_sets(call: Call, *kinds: ResourceKind) -> list[FieldSet]:
    """The custom fields of several kinds; one statement where they are not remembered."""
    fields = await call.adapter(KnownFields).of(call.work)
    return [fields.get(kind, NO_FIELDS) for kind in kinds]


async def find_definition(call: Call, id: int) -> tuple[FieldDefinition, int] | None:
    """A definition as it is stored now, and its version; None where there is none."""
    row = await store.get_definition_row(call.work, id)
    return None if row is None else (definition_from_row(row), row.version)


def definition_from_row(row: store.DefinitionRow) -> FieldDefinition:
    """A definition as rules read it."""
    return record(
        FieldDefinition,
        row,
        kind=ResourceKind(row.kind),
        visible_to=frozenset(row.visible_to),
        editable_by=frozenset(row.editable_by),
    )
