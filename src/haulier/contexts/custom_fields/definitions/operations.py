"""Custom fields: list, show, create, change, archive, restore."""

from typing import Any

from haulier.contexts.custom_fields.definitions import store
from haulier.contexts.custom_fields.definitions.actions import begin_indexing
from haulier.contexts.custom_fields.definitions.contract import (
    CreateCustomField,
    CustomFieldAnswer,
    CustomFieldList,
    CustomFieldRef,
    ListCustomFields,
    UpdateCustomField,
)
from haulier.contexts.custom_fields.definitions.errors import CUSTOM_FIELD_CHANGED, CUSTOM_FIELD_NAME_TAKEN
from haulier.contexts.custom_fields.definitions.queries import definition_from_row
from haulier.contexts.custom_fields.definitions.rules import ResourceKind, definition_faults, full_faults
from haulier.contexts.custom_fields.definitions.serializers import custom_field
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, record_not_found

PATH = "/v1/custom-fields/{custom_field_id}"
ADMIN = {Account.CLIENT_ADMIN}
WRITE_SCOPES = {Scope.ACCOUNT_WRITE}
INDEXED_BY = frozenset({"value_schema", "filterable", "personal"})
"""Properties that affect stored values. Changing one updates the records."""


@reads(
    "list_custom_fields",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(
        Rest("GET", "/v1/custom-fields"),
        GraphQL("customFields"),
        Mcp("list_custom_fields", title="List custom fields"),
    ),
)
async def list_custom_fields(call: Call, request: ListCustomFields) -> CustomFieldList:
    """List the custom fields visible to the caller."""
    rows = [
        row
        for row in await store.list_definition_rows(call.work)
        if request.kind in (None, row.kind) and _is_shown(call, row, archived=request.archived)
    ]
    return CustomFieldList(custom_fields=[custom_field(call, row) for row in rows])


def _is_shown(call: Call, row: store.DefinitionRow, *, archived: bool) -> bool:
    account = call.principal.account
    if row.archived and not (archived and account is Account.CLIENT_ADMIN):
        return False
    return definition_from_row(row).is_visible_to(account)


@reads(
    "get_custom_field",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PATH), GraphQL("customField")),
    errors=(NOT_FOUND,),
)
async def get_custom_field(call: Call, request: CustomFieldRef) -> CustomFieldAnswer:
    """Show one custom field."""
    row = await store.get_definition_row(call.work, request.custom_field_id)
    if row is None or not _is_shown(call, row, archived=True):
        raise record_not_found(custom_field_id=request.custom_field_id)
    return CustomFieldAnswer(custom_field=custom_field(call, row))


@writes(
    "create_custom_field",
    audience=ADMIN,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/custom-fields"), GraphQL("createCustomField")),
    errors=(CUSTOM_FIELD_NAME_TAKEN,),
)
async def create_custom_field(call: Call, request: CreateCustomField) -> CustomFieldAnswer:
    """Create a custom field.

    Fields can be added to orders, packages, customers, drivers and other records. Existing records have no value.
    """
    said = request.model_dump()
    faults = definition_faults(request.kind, said)
    if faults := faults or await _room_faults(call, request.kind, filterable=request.filterable):
        raise INVALID_REQUEST.for_fields(*faults)
    field_id = await store.insert_definition(
        call.work,
        said
        | {
            "kind": request.kind.value,
            "version": 1,
            "archived": False,
            "indexing": False,
            "created_at": call.now,
            "updated_at": call.now,
            "updated_by": call.actor,
        },
    )
    if field_id is None:
        raise CUSTOM_FIELD_NAME_TAKEN(name=request.name)
    return await _written(call, field_id)


async def _room_faults(call: Call, kind: ResourceKind, *, filterable: bool, besides: int | None = None) -> list[Any]:
    others = [
        definition_from_row(row)
        for row in await store.list_definition_rows(call.work)
        if row.kind == kind and not row.archived and row.id != besides
    ]
    return full_faults(others, filterable=filterable)


@writes(
    "update_custom_field",
    audience=ADMIN,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", PATH), GraphQL("updateCustomField")),
    errors=(NOT_FOUND, CUSTOM_FIELD_CHANGED),
)
async def update_custom_field(call: Call, request: UpdateCustomField) -> CustomFieldAnswer:
    """Update the definition of a custom field.

    Stored values are unchanged until they are written again.
    """
    row = await _locked(call, request.custom_field_id)
    if row.version != request.version:
        raise CUSTOM_FIELD_CHANGED(version=row.version)
    given = request.model_dump(exclude={"custom_field_id", "version"}, exclude_unset=True)
    changes = {name: value for name, value in given.items() if value is not None or name == "default"}
    said: dict[str, Any] = {name: getattr(row, name) for name in CreateCustomField.model_fields} | changes
    kind = ResourceKind(row.kind)
    faults = definition_faults(kind, said)
    if faults := faults or await _room_faults(call, kind, filterable=said["filterable"], besides=row.id):
        raise INVALID_REQUEST.for_fields(*faults)
    reindex = any(said[name] != getattr(row, name) for name in INDEXED_BY)
    return await _changed(call, row, changes, reindex=reindex)


async def _locked(call: Call, field_id: int) -> store.DefinitionRow:
    row = await store.get_definition_row(call.work, field_id, lock=True)
    if row is None:
        raise record_not_found(custom_field_id=field_id)
    return row


async def _changed(
    call: Call, row: store.DefinitionRow, changes: dict[str, Any], *, reindex: bool
) -> CustomFieldAnswer:
    """Write the next version of a definition.

    With `reindex`, stored values are updated in the background.
    """
    version = row.version + 1
    written = {"version": version, "updated_at": call.now, "updated_by": call.actor}
    await store.update_definition_row(call.work, row.id, changes | written | ({"indexing": True} if reindex else {}))
    if reindex or row.indexing:
        await begin_indexing(call, row.id, version)
    return await _written(call, row.id)


@writes(
    "archive_custom_field",
    available_when={"archived": False},
    reversed_by="restore_custom_field",
    audience=ADMIN,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", PATH), GraphQL("archiveCustomField")),
    errors=(NOT_FOUND,),
)
async def archive_custom_field(call: Call, request: CustomFieldRef) -> CustomFieldAnswer:
    """Archive a custom field.

    Its values are retained but hidden, and return when the field is restored.
    """
    row = await _locked(call, request.custom_field_id)
    if row.archived:
        return CustomFieldAnswer(custom_field=custom_field(call, row))
    return await _changed(call, row, {"archived": True}, reindex=False)


@writes(
    "restore_custom_field",
    available_when={"archived": True},
    reversed_by="archive_custom_field",
    audience=ADMIN,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PATH}/restore"), GraphQL("restoreCustomField")),
    errors=(NOT_FOUND,),
)
async def restore_custom_field(call: Call, request: CustomFieldRef) -> CustomFieldAnswer:
    """Restore an archived custom field with its values."""
    row = await _locked(call, request.custom_field_id)
    if not row.archived:
        return CustomFieldAnswer(custom_field=custom_field(call, row))
    if faults := await _room_faults(call, ResourceKind(row.kind), filterable=row.filterable, besides=row.id):
        raise INVALID_REQUEST.for_fields(*faults)
    return await _changed(call, row, {"archived": False}, reindex=row.filterable)


async def _written(call: Call, field_id: int) -> CustomFieldAnswer:
    call.add_audit_subjects("custom_field", field_id)
    row = await store.get_definition_row(call.work, field_id)
    assert row is not None  # written just before
    return CustomFieldAnswer(custom_field=custom_field(call, row))
