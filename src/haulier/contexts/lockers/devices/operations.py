"""Operations on firmware roll-outs."""

from haulier.contexts.lockers.devices.actions.rollouts import change_rollout, take_rollout_step
from haulier.contexts.lockers.devices.contract.firmware import (
    CreateFirmwareRollout,
    FirmwareRolloutAnswer,
    FirmwareRolloutList,
    FirmwareRolloutRef,
    ListFirmwareRollouts,
    StopFirmwareRollout,
    UpdateFirmwareRollout,
)
from haulier.contexts.lockers.devices.queries import get_release, get_rollout
from haulier.contexts.lockers.devices.rules import (
    FIRMWARE_ROLLOUT_STEP_REFUSED,
    FIRMWARE_WITHDRAWN,
    FirmwareStatus,
    RolloutStatus,
    RolloutStep,
)
from haulier.contexts.lockers.devices.serializers import rollout_record
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

ROLLOUTS_PATH = "/v1/firmware/rollouts"
ROLLOUT_PATH = f"{ROLLOUTS_PATH}/{{firmware_rollout_id}}"


@writes(
    "create_firmware_rollout",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", ROLLOUTS_PATH, status=201), GraphQL("createFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_WITHDRAWN),
)
async def create_firmware_rollout(call: Call, request: CreateFirmwareRollout) -> FirmwareRolloutAnswer:
    """Create a firmware roll-out as a draft.

    Select the devices by channel, site and share. Nothing is installed until the roll-out is started.
    """
    release = await get_release(call, request.firmware_release_id)
    if release.status != FirmwareStatus.AVAILABLE:
        raise FIRMWARE_WITHDRAWN(version=release.version)
    channel = request.channel or (None if request.site_id else release.channel)
    values = {
        **request.model_dump(exclude={"firmware_release_id", "channel"}),
        "release_id": release.id,
        "channel": channel,
        "status": RolloutStatus.DRAFT.value,
        "round": 0,
        "telling": False,
        "installed": 0,
        "failed": 0,
        "reason": "",
        "created_by": call.actor,
        "created_at": call.now,
    }
    id = await store.insert_rollout(call.work, values)
    call.add_audit_subjects("firmware_rollout", id)
    return await _answer(call, id)


@reads(
    "list_firmware_rollouts",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", ROLLOUTS_PATH), GraphQL("firmwareRollouts")),
)
async def list_firmware_rollouts(call: Call, request: ListFirmwareRollouts) -> FirmwareRolloutList:
    """List firmware roll-outs, newest first.

    Includes the number of devices in each state.
    """
    wanted = request.model_dump(include={"status"}, exclude_none=True)
    if request.firmware_release_id is not None:
        wanted["release_id"] = request.firmware_release_id
    rows, counted = await store.list_rollout_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    counts = await store.count_progress(call.work, [row.id for row in rows])
    return FirmwareRolloutList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        rollouts=[rollout_record(call, row, counts[row.id]) for row in rows],
    )


@reads(
    "get_firmware_rollout",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", ROLLOUT_PATH), GraphQL("firmwareRollout")),
    errors=(NOT_FOUND,),
)
async def get_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Retrieve a firmware roll-out.

    Includes the number of devices in each state.
    """
    return await _answer(call, request.firmware_rollout_id)


@writes(
    "update_firmware_rollout",
    allowed_where={"allowed_actions": "change"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PATCH", ROLLOUT_PATH), GraphQL("updateFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED),
)
async def update_firmware_rollout(call: Call, request: UpdateFirmwareRollout) -> FirmwareRolloutAnswer:
    """Update a firmware roll-out.

    Changes the share of devices or the failure limits. A larger share of a running roll-out adds devices immediately.
    """
    row = await get_rollout(call, request.firmware_rollout_id)
    await change_rollout(call, row, request.model_dump(exclude={"firmware_rollout_id"}, exclude_none=True))
    return await _answer(call, row.id)


@writes(
    "start_firmware_rollout",
    allowed_where={"allowed_actions": "start"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{ROLLOUT_PATH}/start"), GraphQL("startFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED, FIRMWARE_WITHDRAWN),
)
async def start_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Start a firmware roll-out.

    Each device gets an `update` command to install the release.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.START)


@writes(
    "pause_firmware_rollout",
    allowed_where={"allowed_actions": "pause"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ROLLOUT_PATH}/pause"), GraphQL("pauseFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED),
)
async def pause_firmware_rollout(call: Call, request: StopFirmwareRollout) -> FirmwareRolloutAnswer:
    """Pause a firmware roll-out.

    No further devices are notified, and downloads are blocked until the roll-out is resumed.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.PAUSE, request.reason)


@writes(
    "resume_firmware_rollout",
    allowed_where={"allowed_actions": "resume"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{ROLLOUT_PATH}/resume"), GraphQL("resumeFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED, FIRMWARE_WITHDRAWN),
)
async def resume_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Resume a paused firmware roll-out.

    The failure counter restarts at zero.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.RESUME)


@writes(
    "retry_firmware_rollout",
    allowed_where={"allowed_actions": "retry"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{ROLLOUT_PATH}/retry"), GraphQL("retryFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED, FIRMWARE_WITHDRAWN),
)
async def retry_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Retry a firmware roll-out.

    Notifies devices that failed or didn't respond in time, and devices added since the start.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.RETRY)


@writes(
    "cancel_firmware_rollout",
    allowed_where={"allowed_actions": "cancel"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ROLLOUT_PATH}/cancel"), GraphQL("cancelFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED),
)
async def cancel_firmware_rollout(call: Call, request: StopFirmwareRollout) -> FirmwareRolloutAnswer:
    """Cancel a firmware roll-out permanently.

    Devices that have installed the release keep it. No further devices are notified.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.CANCEL, request.reason)


async def _step(call: Call, rollout_id: int, step: RolloutStep, reason: str = "") -> FirmwareRolloutAnswer:
    await take_rollout_step(call, await get_rollout(call, rollout_id), step, reason)
    return await _answer(call, rollout_id)


async def _answer(call: Call, rollout_id: int) -> FirmwareRolloutAnswer:
    row = await get_rollout(call, rollout_id)
    counts = await store.count_progress(call.work, [rollout_id])
    return FirmwareRolloutAnswer(rollout=rollout_record(call, row, counts[rollout_id]))
