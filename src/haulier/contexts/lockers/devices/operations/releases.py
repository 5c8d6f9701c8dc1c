"""Operations on firmware releases and their installations."""

from haulier.contexts.documents.public import register_file_access
from haulier.contexts.lockers.devices.actions.releases import FILES_ABOUT, create_release
from haulier.contexts.lockers.devices.actions.rollouts import withdraw_release
from haulier.contexts.lockers.devices.contract.firmware import (
    FIRMWARE_BODY_LIMIT_BYTES,
    CreateFirmwareRelease,
    FirmwareReleaseAnswer,
    FirmwareReleaseList,
    FirmwareReleaseRef,
    FirmwareUpdateList,
    ListFirmwareReleases,
    ListFirmwareUpdates,
    WithdrawFirmwareRelease,
)
from haulier.contexts.lockers.devices.queries import get_release
from haulier.contexts.lockers.devices.rules import (
    FIRMWARE_HASH_REFUSED,
    FIRMWARE_VERSION_TAKEN,
    FIRMWARE_WITHDRAWN,
    FirmwareStatus,
)
from haulier.contexts.lockers.devices.serializers import release_record, update_record
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

RELEASES_PATH = "/v1/firmware/releases"
RELEASE_PATH = f"{RELEASES_PATH}/{{firmware_release_id}}"


@register_file_access(FILES_ABOUT, Scope.WMS_READ)
async def may_open_firmware(call: Call, release_id: int) -> bool:
    """Check that the caller may open firmware files: staff only.

    Devices download them with their credentials.
    """
    return False


@writes(
    "create_firmware_release",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FIRMWARE_BODY_LIMIT_BYTES,
    limits=(RateLimit(60, 3600, ("user",)),),
    doors=(Rest("POST", RELEASES_PATH, status=201), GraphQL("createFirmwareRelease")),
    errors=(FIRMWARE_VERSION_TAKEN, FIRMWARE_HASH_REFUSED),
)
async def create_firmware_release(call: Call, request: CreateFirmwareRelease) -> FirmwareReleaseAnswer:
    """Upload a firmware release.

    The release is for one kind of device. No device installs it until a roll-out is started.
    """
    return await _answer(call, await create_release(call, request))


@reads(
    "list_firmware_releases",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", RELEASES_PATH), GraphQL("firmwareReleases")),
)
async def list_firmware_releases(call: Call, request: ListFirmwareReleases) -> FirmwareReleaseList:
    """List firmware releases, newest first.

    Filters: kind of device, channel and status.
    """
    wanted = request.model_dump(include={"kind", "channel", "status"}, exclude_none=True)
    rows, counted = await store.list_release_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return FirmwareReleaseList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        releases=[release_record(call, row) for row in rows],
    )


@reads(
    "get_firmware_release",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", RELEASE_PATH), GraphQL("firmwareRelease")),
    errors=(NOT_FOUND,),
)
async def get_firmware_release(call: Call, request: FirmwareReleaseRef) -> FirmwareReleaseAnswer:
    """Retrieve a firmware release.

    Includes the version, the SHA-256 digest and the location of the file.
    """
    return await _answer(call, request.firmware_release_id)


@writes(
    "withdraw_firmware_release",
    allowed_where={"status": FirmwareStatus.AVAILABLE.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{RELEASE_PATH}/withdraw"), GraphQL("withdrawFirmwareRelease")),
    errors=(NOT_FOUND, FIRMWARE_WITHDRAWN),
)
async def withdraw_firmware_release(call: Call, request: WithdrawFirmwareRelease) -> FirmwareReleaseAnswer:
    """Withdraw a firmware release permanently.

    Devices can no longer download it, and its roll-outs are cancelled. Installed copies stay in place. To replace them,
    roll out another release with `allow_downgrade`.
    """
    row = await get_release(call, request.firmware_release_id, lock=True)
    if row.status == FirmwareStatus.WITHDRAWN:
        raise FIRMWARE_WITHDRAWN(version=row.version)
    await withdraw_release(call, row, request.reason)
    return await _answer(call, row.id)


@reads(
    "list_firmware_updates",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/firmware/updates"), GraphQL("firmwareUpdates")),
)
async def list_firmware_updates(call: Call, request: ListFirmwareUpdates) -> FirmwareUpdateList:
    """List firmware installations, newest first.

    Filters: roll-out, release, device and status.
    """
    named = {"firmware_rollout_id": "rollout_id", "firmware_release_id": "release_id"}
    asked = request.model_dump(include={*named, "device_id", "status"}, exclude_none=True)
    wanted = {named.get(name, name): value for name, value in asked.items()}
    rows, counted = await store.list_update_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return FirmwareUpdateList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        updates=[update_record(call, row) for row in rows],
    )


async def _answer(call: Call, release_id: int) -> FirmwareReleaseAnswer:
    return FirmwareReleaseAnswer(release=release_record(call, await get_release(call, release_id)))
