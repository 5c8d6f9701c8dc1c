"""Files that prove what happened at a stop. The device names them itself, and completes the stop with these names."""

from collections.abc import Sequence

from pydantic import Field

from haulier.contexts.documents.public import (
    FileUpload,
    declare_personal_files,
    is_same_file,
    register_file_access,
    save_upload,
)
from haulier.contexts.driver_app.fields import UploadName
from haulier.contexts.driver_app.proof import store
from haulier.contexts.fleet.public import DriverRow, lock_drivers
from haulier.contexts.routes.public import get_stop_rows, get_visible_route
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error, record_not_found
from haulier.kernel.operations.fields import RecordId

UPLOAD_MISSING = declare_error("upload_missing", 409)
UPLOAD_ID_TAKEN = declare_error("upload_id_taken", 409)


class UploadProof(FileUpload):
    """A file that proves what happened at a stop."""

    stop_id: RecordId
    """The stop."""
    upload_id: UploadName = Field(examples=["6f1c2b7e-photo-1"])
    """The device's own name for the file, unique among its driver's. Under it the file is named at the door, also before it
    is uploaded."""


async def store_proof_upload(call: Call, driver: DriverRow, request: UploadProof) -> tuple[int, bool]:
    """Store a file. Returns its id and whether it was stored before. Raises `NOT_FOUND` for a stop the driver may not see."""
    await lock_drivers(call, [driver.id])
    if earlier := (await store.get_uploads_by_name(call.work, driver.id, [request.upload_id])).get(request.upload_id):
        await _require_same_upload(call, earlier, request)
        return earlier.file_id, True
    await _require_visible_stop(call, request.stop_id)
    file_id = await save_upload(call, request, about=f"stop:{request.stop_id}")
    await store.insert_upload(
        call.work,
        driver_id=driver.id,
        upload_id=request.upload_id,
        stop_id=request.stop_id,
        file_id=file_id,
        created_at=call.now,
    )
    return file_id, False


async def _require_same_upload(call: Call, earlier: store.UploadRow, request: UploadProof) -> None:
    """Raises `UPLOAD_ID_TAKEN`, with the fields that differ, for a name under which something else is stored."""
    faults: list[FieldError] = []
    if earlier.stop_id != request.stop_id:
        faults.append(FieldError("stop_id", "field.upload_of_other_stop", {"stop_id": earlier.stop_id}))
    if not await is_same_file(call, earlier.file_id, request):
        faults.append(FieldError("content", "field.upload_of_other_file", {"file_id": earlier.file_id}))
    if faults:
        raise UPLOAD_ID_TAKEN.for_fields(*faults, upload_id=request.upload_id)


async def get_upload_urls(call: Call, driver: DriverRow, names: Sequence[str]) -> dict[str, str]:
    """The addresses of the files with these names. Raises `UPLOAD_MISSING` when one is not uploaded yet."""
    urls = await find_upload_urls(call, driver, names)
    if missing := [name for name in names if name not in urls]:
        raise UPLOAD_MISSING(upload_id=missing[0])
    return urls


async def find_upload_urls(call: Call, driver: DriverRow, names: Sequence[str]) -> dict[str, str]:
    """The addresses of those files with these names that are uploaded."""
    rows = await store.get_uploads_by_name(call.work, driver.id, names)
    return {name: f"{call.app.base_url}/api/v1/files/{row.file_id}" for name, row in rows.items()}


declare_personal_files("stop", PersonKey.STOP, RecordKind.PROOFS)


@register_file_access("stop", Scope.ROUTES_READ)
async def can_see_stop(call: Call, stop_id: int) -> bool:
    """Whether the caller may see the stop: whoever may see a route may see the files of its stops."""
    try:
        await _require_visible_stop(call, stop_id)
    except OperationError:
        return False
    return True


async def _require_visible_stop(call: Call, stop_id: int) -> None:
    stop = (await get_stop_rows(call, [stop_id])).get(stop_id)
    if stop is None:
        raise record_not_found(stop_id=stop_id)
    await get_visible_route(call, stop.route_id)
