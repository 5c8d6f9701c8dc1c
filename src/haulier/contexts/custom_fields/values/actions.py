"""Keys of records that are written."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.custom_fields.definitions.rules import FieldSet, ResourceKind
from haulier.contexts.custom_fields.values import store
from haulier.contexts.custom_fields.values.rules import Accepted, Document, accept_changes, accept_new, field_keys
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST


def new_custom_fields(call: Call, fields: FieldSet, given: Mapping[str, Any]) -> Document | None:
    """Return the document of a new record: given values and defaults.

    Raises `INVALID_REQUEST`.
    """
    return _required(accept_new(fields, given, call.principal.account))


def changed_custom_fields(
    call: Call, fields: FieldSet, document: Document | None, given: Mapping[str, Any]
) -> Document | None:
    """Return the changed document of a record.

    Omitted fields are unchanged; null clears a field. Raises `INVALID_REQUEST`.
    """
    return _required(accept_changes(fields, document, given, call.principal.account))


def _required(accepted: Accepted) -> Document | None:
    if accepted.faults:
        raise INVALID_REQUEST.for_fields(*accepted.faults)
    return accepted.document


async def index_new_records(
    call: Call, kind: ResourceKind, fields: FieldSet, documents: Mapping[int, Document | None]
) -> None:
    """Insert the keys of new records, whose documents are given by id.

    One statement, or none without keys.
    """
    found = {id: field_keys(fields, document) for id, document in documents.items()} if fields.filterable else {}
    await store.insert_keys(call.work, kind, found)


async def index_record(
    call: Call, kind: ResourceKind, fields: FieldSet, record_id: int, document: Document | None
) -> None:
    """Replace the keys of one record."""
    if fields.filterable:
        await store.delete_keys_of_records(call.work, kind, [record_id])
        await store.insert_keys(call.work, kind, {record_id: field_keys(fields, document)})
