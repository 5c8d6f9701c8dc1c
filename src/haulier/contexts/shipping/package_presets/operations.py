"""Operations on package presets."""

from collections.abc import Awaitable
from typing import TypeVar

from haulier.contexts.shipping.package_presets import store
from haulier.contexts.shipping.package_presets.contract import (
    CreatePackagePreset,
    PackagePreset,
    PackagePresetAnswer,
    PackagePresetList,
    PackagePresetRef,
    UpdatePackagePreset,
)
from haulier.contexts.shipping.package_presets.store import PackagePresetRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error, record_not_found
from haulier.kernel.operations.records import columns, record

PACKAGE_PRESET_NAME_TAKEN = declare_error("package_preset_name_taken", 409)
MAX_PRESETS = 100
PATH = "/v1/shipping/package-presets"
ONE = f"{PATH}/{{package_preset_id}}"
READ, WRITE = {Scope.LABELS_READ}, {Scope.LABELS_WRITE}
Saved = TypeVar("Saved")


@reads(
    "list_package_presets",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", PATH), GraphQL("packagePresets")),
)
async def list_package_presets(call: Call, request: EmptyRequest) -> PackagePresetList:
    """List package presets by name."""
    rows = await store.list_preset_rows(call.work)
    return PackagePresetList(package_presets=[_preset(call, row) for row in rows])


@reads(
    "get_package_preset",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", ONE), GraphQL("packagePreset")),
    errors=(NOT_FOUND,),
)
async def get_package_preset(call: Call, request: PackagePresetRef) -> PackagePresetAnswer:
    """Get a package preset."""
    return await _answer(call, request.package_preset_id)


@writes(
    "create_package_preset",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH, status=201), GraphQL("createPackagePreset")),
    errors=(PACKAGE_PRESET_NAME_TAKEN,),
)
async def create_package_preset(call: Call, request: CreatePackagePreset) -> PackagePresetAnswer:
    """Create a package preset.

    A business can have up to 100.
    """
    if await store.count_presets(call.work) >= MAX_PRESETS:
        raise INVALID_REQUEST.for_fields(FieldError("name", "field.too_many_package_presets", {"most": MAX_PRESETS}))
    values = columns(store.presets, request, created_at=call.now, updated_at=call.now)
    preset_id = await _saved(call, PackagePresetRow.insert(call.work, **values))
    call.add_audit_subjects("package_preset", preset_id)
    return await _answer(call, preset_id)


@writes(
    "update_package_preset",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", ONE), GraphQL("updatePackagePreset")),
    errors=(NOT_FOUND, PACKAGE_PRESET_NAME_TAKEN),
)
async def update_package_preset(call: Call, request: UpdatePackagePreset) -> PackagePresetAnswer:
    """Update a package preset.

    Labels bought earlier keep their size and weight.
    """
    values = request.model_dump(exclude={"package_preset_id"}, exclude_unset=True)
    values = {name: value for name, value in values.items() if value is not None or name == "carrier_package"}
    changed = PackagePresetRow.update(call.work, request.package_preset_id, values | {"updated_at": call.now})
    if not await _saved(call, changed):
        raise record_not_found(package_preset_id=request.package_preset_id)
    call.add_audit_subjects("package_preset", request.package_preset_id)
    return await _answer(call, request.package_preset_id)


@writes(
    "delete_package_preset",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", ONE), GraphQL("deletePackagePreset")),
    errors=(NOT_FOUND,),
)
async def delete_package_preset(call: Call, request: PackagePresetRef) -> Done:
    """Delete a package preset.

    Shipping rules that use it are skipped until they name another one.
    """
    if not await PackagePresetRow.delete(call.work, request.package_preset_id):
        raise record_not_found(package_preset_id=request.package_preset_id)
    call.add_audit_subjects("package_preset", request.package_preset_id)
    return Done(message=call.translate("package_preset_deleted"))


async def _saved(call: Call, write: Awaitable[Saved]) -> Saved:
    """Return the result of a write. Raises `PACKAGE_PRESET_NAME_TAKEN`."""
    try:
        async with call.work.savepoint():
            return await write
    except UniqueConflict:
        raise PACKAGE_PRESET_NAME_TAKEN() from None


async def _answer(call: Call, preset_id: int) -> PackagePresetAnswer:
    row = await PackagePresetRow.get(call.work, preset_id)
    if row is None:
        raise record_not_found(package_preset_id=preset_id)
    return PackagePresetAnswer(package_preset=_preset(call, row))


def _preset(call: Call, row: PackagePresetRow) -> PackagePreset:
    return record(
        PackagePreset, row, created_at=call.local_time(row.created_at), updated_at=call.local_time(row.updated_at)
    )
