"""Operations for users that manage devices."""

from datetime import timedelta

from haulier.contexts.lockers.devices.actions.commands import fail_waiting_commands
from haulier.contexts.lockers.devices.actions.credentials import issue_code, revoke_keys
from haulier.contexts.lockers.devices.contract.devices import (
    CreateDevice,
    DeviceAnswer,
    DeviceCode,
    DeviceList,
    DeviceRef,
    ListDevices,
    UpdateDevice,
)
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DEVICE_SERIAL_TAKEN, SILENCE, DeviceState
from haulier.contexts.lockers.devices.serializers import device_record
from haulier.contexts.lockers.devices.store import devices as store
from haulier.contexts.lockers.devices.store.devices import DeviceRow
from haulier.contexts.lockers.devices.store.heard import heard_conditions
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

DEVICE_PATH = "/v1/devices/{device_id}"


@writes(
    "create_device",
    replayable=False,
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/devices"), GraphQL("createDevice")),
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
    doors=(Rest("GET", "/v1/devices"), GraphQL("devices")),
)
async def list_devices(call: Call, request: ListDevices) -> DeviceList:
    """List devices, newest first.

    Filters: kind, status, site, firmware, online state and time without contact.
    """
    wanted = request.model_dump(include={"kind", "status", "site_id", "firmware"}, exclude_none=True)
    silent_since = call.now - timedelta(minutes=request.silent_min) if request.silent_min else None
    heard = heard_conditions(silent_since=silent_since, online_since=call.now - SILENCE, online=request.online)
    rows, counted = await store.list_device_rows(
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
    doors=(Rest("GET", DEVICE_PATH), GraphQL("device")),
    errors=(NOT_FOUND,),
)
async def get_one_device(call: Call, request: DeviceRef) -> DeviceAnswer:
    """Retrieve a device.

    Includes the time of the last contact and the latest telemetry.
    """
    return await _answer(call, request.device_id)


@writes(
    "update_device",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", DEVICE_PATH), GraphQL("updateDevice")),
    errors=(NOT_FOUND,),
)
async def update_device(call: Call, request: UpdateDevice) -> DeviceAnswer:
    """Update a device.

    Omitted fields stay unchanged.
    """
    values = request.model_dump(include={"name", "firmware_channel"}, exclude_none=True)
    await DeviceRow.update(call.work, request.device_id, values)
    return await _answer(call, request.device_id)


@writes(
    "renew_device_code",
    allowed_where={"status": frozenset(DeviceState) - {DeviceState.DECOMMISSIONED}},
    replayable=False,
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{DEVICE_PATH}/code"), GraphQL("renewDeviceCode")),
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
    allowed_where={"status": frozenset(DeviceState) - {DeviceState.DECOMMISSIONED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{DEVICE_PATH}/revoke"), GraphQL("revokeDevice")),
    errors=(NOT_FOUND, DEVICE_NOT_USABLE),
)
async def revoke_device(call: Call, request: DeviceRef) -> DeviceAnswer:
    """Revoke the access of a device.

    Its code and its credential stop working. The device can register again with a new code.
    """
    return await _end(call, request.device_id, DeviceState.REVOKED)


@writes(
    "decommission_device",
    allowed_where={"status": frozenset(DeviceState) - {DeviceState.DECOMMISSIONED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{DEVICE_PATH}/decommission"), GraphQL("decommissionDevice")),
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
    return await _answer(call, device.id)


async def _with_code(call: Call, device_id: int) -> DeviceCode:
    code, expires_at = await issue_code(call, await get_device(call, device_id))
    device = (await _answer(call, device_id)).device
    return DeviceCode(device=device, code=code, code_expires_at=call.local_time(expires_at))


async def _answer(call: Call, device_id: int) -> DeviceAnswer:
    row = await get_device(call, device_id)
    call.add_audit_subjects("device", row.id)
    return DeviceAnswer(device=device_record(call, row))
