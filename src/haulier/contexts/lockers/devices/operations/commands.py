"""Commands that users send to devices."""

from typing import Any

from haulier.contexts.lockers.devices.actions.commands import desire_settings, request_command
from haulier.contexts.lockers.devices.actions.releases import describe_newest
from haulier.contexts.lockers.devices.contract.devices import (
    DeviceCommandAnswer,
    DeviceCommandList,
    ListDeviceCommands,
    SendDeviceCommand,
)
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DeviceCommand
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.devices.store import devices as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

COMMANDS_PATH = "/v1/devices/{device_id}/commands"


@writes(
    "send_device_command",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", COMMANDS_PATH), GraphQL("sendDeviceCommand")),
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
        await desire_settings(call, request.device_id, settings)
    return DeviceCommandAnswer(command=command_record(call, row))


@reads(
    "list_device_commands",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", COMMANDS_PATH), GraphQL("deviceCommands")),
    errors=(NOT_FOUND,),
)
async def list_device_commands(call: Call, request: ListDeviceCommands) -> DeviceCommandList:
    """List the commands of a device, newest first.

    Includes the outcome of each command.
    """
    await get_device(call, request.device_id)
    wanted = request.model_dump(include={"device_id", "status"}, exclude_none=True)
    rows, counted = await store.list_command_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return DeviceCommandList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        commands=[command_record(call, row) for row in rows],
    )
