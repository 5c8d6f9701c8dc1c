"""Files that prove what happened at a stop: handed in under the device's own names, and named at the door by them."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from haulier.contexts.dispatch.fields import RecordId
from haulier.contexts.dispatch.riders.fields import UploadName
from haulier.contexts.dispatch.riders.store import positions, uploads
from haulier.contexts.dispatch.routes.finding import visible_route
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.documents.public import GivenFile, keep, shown_by
from haulier.kernel.call import Call
from haulier.kernel.declarations import Scope
from haulier.kernel.errors import NOT_FOUND, Refusal, problem

UPLOAD_MISSING = problem("upload_missing", 409)


class UploadProof(GivenFile):
    """A file that proves what happened at a stop."""

    stop_id: RecordId
    """The stop."""
    upload_id: UploadName = Field(examples=["6f1c2b7e-photo-1"])
    """The device's own name for the file, unique among its driver's. Under it the file is named at the door, also before it
    is uploaded."""


async def take_in(call: Call, driver: Any, request: UploadProof) -> tuple[int, bool]:
    """Keep a file; its id, and whether it was there already. Raises `NOT_FOUND` for a stop that the driver may not see."""
    await positions.hold(call.work, driver.id)
    if known := (await uploads.some(call.work, driver.id, [request.upload_id])).get(request.upload_id):
        return known.file_id, True
    await _seen_stop(call, request.stop_id)
    file_id = await keep(
        call,
        content=request.decoded,
        media_type=request.media_type,
        name=request.name,
        about=f"stop:{request.stop_id}",
    )
    await uploads.add(
        call.work,
        driver_id=driver.id,
        upload_id=request.upload_id,
        stop_id=request.stop_id,
        file_id=file_id,
        created_at=call.now,
    )
    return file_id, False


async def addresses(call: Call, driver: Any, names: Sequence[str]) -> dict[str, str]:
    """Where the files that a device names can be opened. Raises `UPLOAD_MISSING` when one is not here yet."""
    found = await uploads.some(call.work, driver.id, names)
    if missing := [name for name in names if name not in found]:
        raise UPLOAD_MISSING(upload_id=missing[0])
    return {name: f"{call.house.base_url}/api/v1/files/{row.file_id}" for name, row in found.items()}


@shown_by("stop", Scope.ROUTES_READ)
async def sees_stop(call: Call, stop_id: int) -> bool:
    """Whoever sees the route sees what was handed in at its stops."""
    try:
        await _seen_stop(call, stop_id)
    except Refusal:
        return False
    return True


async def _seen_stop(call: Call, stop_id: int) -> None:
    stop = (await stop_store.some(call.work, [stop_id])).get(stop_id)
    if stop is None:
        raise NOT_FOUND()
    await visible_route(call, stop.route_id)
