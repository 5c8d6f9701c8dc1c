"""Operations on devices."""

from datetime import timedelta
from typing import Any

from haulier.contexts.documents.public import register_file_access
from haulier.contexts.lockers.devices.actions.commands import (
    fail_waiting_commands,
    request_command,
    set_desired_settings,
)
from haulier.contexts.lockers.devices.actions.credentials import issue_code, revoke_keys
from haulier.contexts.lockers.devices.actions.firmware import (
    FILES_ABOUT,
    apply_rollout_step,
    change_rollout,
    create_release,
    describe_newest,
    withdraw_release,
)
from haulier.contexts.lockers.devices.contract import (
    FIRMWARE_BODY_LIMIT_BYTES,
    CreateDevice,
    CreateFirmwareRelease,
    CreateFirmwareRollout,
    DeviceAnswer,
    DeviceCode,
    DeviceCommandAnswer,
    DeviceCommandList,
    DeviceList,
    DeviceRef,
    FirmwareReleaseAnswer,
    FirmwareReleaseList,
    FirmwareReleaseRef,
    FirmwareRolloutAnswer,
    FirmwareRolloutList,
    FirmwareRolloutRef,
    FirmwareUpdateList,
    ListDeviceCommands,
    ListDevices,
    ListFirmwareReleases,
    ListFirmwareRollouts,
    ListFirmwareUpdates,
    SendDeviceCommand,
    StopFirmwareRollout,
    UpdateDevice,
    UpdateFirmwareRollout,
    WithdrawFirmwareRelease,
)
from haulier.contexts.lockers.devices.queries import get_device, get_release, get_rollout
from haulier.contexts.lockers.devices.rules import (
    DEVICE_NOT_USABLE,
    DEVICE_SERIAL_TAKEN,
    FIRMWARE_HASH_REFUSED,
    FIRMWARE_ROLLOUT_STEP_REFUSED,
    FIRMWARE_VERSION_TAKEN,
    FIRMWARE_WITHDRAWN,
    SILENCE,
    DeviceCommand,
    DeviceState,
    FirmwareStatus,
    RolloutStatus,
    RolloutStep,
)
from haulier.contexts.lockers.devices.serializers import (
    command_record,
    device_record,
    release_record,
    rollout_record,
    update_record,
)
from haulier.contexts.lockers.devices.store import devices as devices_store
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.contexts.lockers.devices.store.devices import DeviceRow, heard_conditions
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

COMMANDS_PATH = "/v1/devices/{device_id}/commands"


@writes(
    "send_device_command",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", COMMANDS_PATH), GraphQL("sendDeviceCommand")),
    errors=(NOT_FOUND, DEVICE_NOT_USABLE),
)
async def send_device_command(call: Call, request: SendDeviceCommand) -> DeviceCommandAnswer:
    """Send a command to a device.

    The device restarts, rings, applies settings or installs its firmware. Doors are opened with separate operations.
    """
    settings: dict[str, Any] = dict(request.settings) if request.command == "config" else {}
    if request.command == "update":
        settings = await describe_newest(call, await get_device(call, request.device_id))
    row = await request_command(
        call, request.device_id, DeviceCommand(request.command), settings=settings, reason=request.reason
    )
    if settings and request.command == "config":
        await set_desired_settings(call, request.device_id, settings)
    return DeviceCommandAnswer(command=command_record(call, row))


@reads(
    "list_device_commands",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", COMMANDS_PATH), GraphQL("deviceCommands")),
    errors=(NOT_FOUND,),
)
async def list_device_commands(call: Call, request: ListDeviceCommands) -> DeviceCommandList:
    """List the commands of a device, newest first.

    Includes the outcome of each command.
    """
    await get_device(call, request.device_id)
    wanted = request.model_dump(include={"device_id", "status", "box_id"}, exclude_none=True)
    rows, counted = await devices_store.list_command_rows(
        call.work, wanted, limit=request.per_page, offset=request.offset
    )
    return DeviceCommandList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        commands=[command_record(call, row) for row in rows],
    )


DEVICE_PATH = "/v1/devices/{device_id}"


@writes(
    "create_device",
    replayable=False,
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/devices"), GraphQL("createDevice")),
    errors=(DEVICE_SERIAL_TAKEN,),
)
async def create_device(call: Call, request: CreateDevice) -> DeviceCode:
    """Create a device.

    Returns the registration code, shown only once. The device must register within a day.
    """
    values = {**request.model_dump(), "status": DeviceState.NEW.value, "telemetry": {}, "last_sequence": 0}
    try:
        async with call.work.savepoint():
            id = await DeviceRow.insert(call.work, **{**values, "wrong_codes": 0, "created_at": call.now})
    except UniqueConflict:
        raise DEVICE_SERIAL_TAKEN(serial=request.serial) from None
    return await _with_code(call, id)


@reads(
    "list_devices",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/devices"), GraphQL("devices")),
)
async def list_devices(call: Call, request: ListDevices) -> DeviceList:
    """List devices, newest first.

    Filters: kind, status, site, firmware, online state and time without contact.
    """
    wanted = request.model_dump(include={"kind", "status", "site_id", "firmware"}, exclude_none=True)
    silent_since = call.now - timedelta(minutes=request.silent_min) if request.silent_min else None
    heard = heard_conditions(silent_since=silent_since, online_since=call.now - SILENCE, online=request.online)
    rows, counted = await devices_store.list_device_rows(
        call.work, wanted, heard, limit=request.per_page, offset=request.offset
    )
    return DeviceList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        devices=[device_record(call, row) for row in rows],
    )


@reads(
    "get_device",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", DEVICE_PATH), GraphQL("device")),
    errors=(NOT_FOUND,),
)
async def get_one_device(call: Call, request: DeviceRef) -> DeviceAnswer:
    """Retrieve a device.

    Includes the time of the last contact and the latest telemetry.
    """
    return await _device_answer(call, request.device_id)


@writes(
    "update_device",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", DEVICE_PATH), GraphQL("updateDevice")),
    errors=(NOT_FOUND,),
)
async def update_device(call: Call, request: UpdateDevice) -> DeviceAnswer:
    """Update a device.

    Omitted fields stay unchanged.
    """
    values = request.model_dump(include={"name", "firmware_channel"}, exclude_none=True)
    await DeviceRow.update(call.work, request.device_id, values)
    return await _device_answer(call, request.device_id)


@writes(
    "renew_device_code",
    available_when={"status": frozenset(DeviceState) - {DeviceState.DECOMMISSIONED}},
    replayable=False,
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{DEVICE_PATH}/code"), GraphQL("renewDeviceCode")),
    errors=(NOT_FOUND, DEVICE_NOT_USABLE),
)
async def renew_device_code(call: Call, request: DeviceRef) -> DeviceCode:
    """Issue a new registration code for a device.

    The current credential is revoked immediately.
    """
    device = await get_device(call, request.device_id, lock=True)
    if device.status == DeviceState.ACTIVE:
        await revoke_keys(call, device, DeviceState.REVOKED)
    return await _with_code(call, device.id)


@writes(
    "revoke_device",
    available_when={"status": frozenset(DeviceState) - {DeviceState.DECOMMISSIONED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{DEVICE_PATH}/revoke"), GraphQL("revokeDevice")),
    errors=(NOT_FOUND, DEVICE_NOT_USABLE),
)
async def revoke_device(call: Call, request: DeviceRef) -> DeviceAnswer:
    """Revoke the access of a device.

    Its code and its credential stop working. The device can register again with a new code.
    """
    return await _end(call, request.device_id, DeviceState.REVOKED)


@writes(
    "decommission_device",
    available_when={"status": frozenset(DeviceState) - {DeviceState.DECOMMISSIONED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{DEVICE_PATH}/decommission"), GraphQL("decommissionDevice")),
    errors=(NOT_FOUND, DEVICE_NOT_USABLE),
)
async def decommission_device(call: Call, request: DeviceRef) -> DeviceAnswer:
    """Decommission a device permanently.

    Commands that are still waiting fail.
    """
    return await _end(call, request.device_id, DeviceState.DECOMMISSIONED)


async def _end(call: Call, device_id: int, state: DeviceState) -> DeviceAnswer:
    device = await get_device(call, device_id, lock=True)
    if device.status == DeviceState.DECOMMISSIONED:
        raise DEVICE_NOT_USABLE(status=device.status)
    await revoke_keys(call, device, state)
    await fail_waiting_commands(call, device.id, state.value)
    return await _device_answer(call, device.id)


async def _with_code(call: Call, device_id: int) -> DeviceCode:
    code, expires_at = await issue_code(call, await get_device(call, device_id))
    device = (await _device_answer(call, device_id)).device
    return DeviceCode(device=device, code=code, code_expires_at=call.local_time(expires_at))


async def _device_answer(call: Call, device_id: int) -> DeviceAnswer:
    row = await get_device(call, device_id)
    call.add_audit_subjects("device", row.id)
    return DeviceAnswer(device=device_record(call, row))


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
    interfaces=(Rest("POST", RELEASES_PATH, status=201), GraphQL("createFirmwareRelease")),
    errors=(FIRMWARE_VERSION_TAKEN, FIRMWARE_HASH_REFUSED),
)
async def create_firmware_release(call: Call, request: CreateFirmwareRelease) -> FirmwareReleaseAnswer:
    """Upload a firmware release.

    The release is for one kind of device. No device installs it until a roll-out is started.
    """
    return await _release_answer(call, await create_release(call, request))


@reads(
    "list_firmware_releases",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", RELEASES_PATH), GraphQL("firmwareReleases")),
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
    interfaces=(Rest("GET", RELEASE_PATH), GraphQL("firmwareRelease")),
    errors=(NOT_FOUND,),
)
async def get_firmware_release(call: Call, request: FirmwareReleaseRef) -> FirmwareReleaseAnswer:
    """Retrieve a firmware release.

    Includes the version, the SHA-256 digest and the location of the file.
    """
    return await _release_answer(call, request.firmware_release_id)


@writes(
    "withdraw_firmware_release",
    available_when={"status": FirmwareStatus.AVAILABLE.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{RELEASE_PATH}/withdraw"), GraphQL("withdrawFirmwareRelease")),
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
    return await _release_answer(call, row.id)


@reads(
    "list_firmware_updates",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/firmware/updates"), GraphQL("firmwareUpdates")),
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


async def _release_answer(call: Call, release_id: int) -> FirmwareReleaseAnswer:
    return FirmwareReleaseAnswer(release=release_record(call, await get_release(call, release_id)))


ROLLOUTS_PATH = "/v1/firmware/rollouts"
ROLLOUT_PATH = f"{ROLLOUTS_PATH}/{{firmware_rollout_id}}"


@writes(
    "create_firmware_rollout",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", ROLLOUTS_PATH, status=201), GraphQL("createFirmwareRollout")),
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
    return await _rollout_answer(call, id)


@reads(
    "list_firmware_rollouts",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", ROLLOUTS_PATH), GraphQL("firmwareRollouts")),
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
    interfaces=(Rest("GET", ROLLOUT_PATH), GraphQL("firmwareRollout")),
    errors=(NOT_FOUND,),
)
async def get_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Retrieve a firmware roll-out.

    Includes the number of devices in each state.
    """
    return await _rollout_answer(call, request.firmware_rollout_id)


@writes(
    "update_firmware_rollout",
    available_when={"allowed_actions": "change"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PATCH", ROLLOUT_PATH), GraphQL("updateFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED),
)
async def update_firmware_rollout(call: Call, request: UpdateFirmwareRollout) -> FirmwareRolloutAnswer:
    """Update a firmware roll-out.

    Changes the share of devices or the failure limits. A larger share of a running roll-out adds devices immediately.
    """
    row = await get_rollout(call, request.firmware_rollout_id)
    await change_rollout(call, row, request.model_dump(exclude={"firmware_rollout_id"}, exclude_none=True))
    return await _rollout_answer(call, row.id)


@writes(
    "start_firmware_rollout",
    available_when={"allowed_actions": "start"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{ROLLOUT_PATH}/start"), GraphQL("startFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED, FIRMWARE_WITHDRAWN),
)
async def start_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Start a firmware roll-out.

    Each device gets an `update` command to install the release.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.START)


@writes(
    "pause_firmware_rollout",
    available_when={"allowed_actions": "pause"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ROLLOUT_PATH}/pause"), GraphQL("pauseFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED),
)
async def pause_firmware_rollout(call: Call, request: StopFirmwareRollout) -> FirmwareRolloutAnswer:
    """Pause a firmware roll-out.

    No further devices are notified, and downloads are blocked until the roll-out is resumed.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.PAUSE, request.reason)


@writes(
    "resume_firmware_rollout",
    available_when={"allowed_actions": "resume"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{ROLLOUT_PATH}/resume"), GraphQL("resumeFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED, FIRMWARE_WITHDRAWN),
)
async def resume_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Resume a paused firmware roll-out.

    The failure counter restarts at zero.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.RESUME)


@writes(
    "retry_firmware_rollout",
    available_when={"allowed_actions": "retry"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{ROLLOUT_PATH}/retry"), GraphQL("retryFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED, FIRMWARE_WITHDRAWN),
)
async def retry_firmware_rollout(call: Call, request: FirmwareRolloutRef) -> FirmwareRolloutAnswer:
    """Retry a firmware roll-out.

    Notifies devices that failed or didn't respond in time, and devices added since the start.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.RETRY)


@writes(
    "cancel_firmware_rollout",
    available_when={"allowed_actions": "cancel"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ROLLOUT_PATH}/cancel"), GraphQL("cancelFirmwareRollout")),
    errors=(NOT_FOUND, FIRMWARE_ROLLOUT_STEP_REFUSED),
)
async def cancel_firmware_rollout(call: Call, request: StopFirmwareRollout) -> FirmwareRolloutAnswer:
    """Cancel a firmware roll-out permanently.

    Devices that have installed the release keep it. No further devices are notified.
    """
    return await _step(call, request.firmware_rollout_id, RolloutStep.CANCEL, request.reason)


async def _step(call: Call, rollout_id: int, step: RolloutStep, reason: str = "") -> FirmwareRolloutAnswer:
    await apply_rollout_step(call, await get_rollout(call, rollout_id), step, reason)
    return await _rollout_answer(call, rollout_id)


async def _rollout_answer(call: Call, rollout_id: int) -> FirmwareRolloutAnswer:
    row = await get_rollout(call, rollout_id)
    counts = await store.count_progress(call.work, [rollout_id])
    return FirmwareRolloutAnswer(rollout=rollout_record(call, row, counts[rollout_id]))
