"""Frames of devices over HTTP, authenticated by the device's credential.

The same operations serve the broker and WebSockets; see `actions.py`.
"""

from typing import Any

from msgspec.structs import asdict

from haulier.contexts.documents.public import FILE_AWAY, FILE_DAMAGED
from haulier.contexts.lockers.device_api.contract import (
    BrokerTicket,
    CodeFrame,
    CodeVerdict,
    DeviceChannel,
    DeviceTopics,
    OfflineCode,
    OfflineCodes,
    OfflineCodesFrame,
    OfflineOpeningsFrame,
    OfflineOpeningsReceipt,
    OfflineReceipt,
    OpenDeviceChannel,
)
from haulier.contexts.lockers.devices.actions.commands import (
    complete_command,
    deliver_commands,
    record_state,
    wait_for_command,
)
from haulier.contexts.lockers.devices.actions.credentials import (
    HEARD,
    SAID,
    act_as_device,
    device_topic,
    open_device_ticket,
    record_contact,
    register_by_code,
)
from haulier.contexts.lockers.devices.actions.firmware import BINARY, read_firmware_part
from haulier.contexts.lockers.devices.contract import (
    CommandFrames,
    DownloadFirmware,
    FirmwarePart,
    OutcomeFrame,
    OutcomeReceipt,
    PollFrame,
    RegisterDevice,
    RegisteredDevice,
    StateFrame,
    StateReceipt,
)
from haulier.contexts.lockers.devices.rules import (
    DEVICE_CODE_REFUSED,
    DEVICE_UNKNOWN,
    FIRMWARE_NOT_FOR_DEVICE,
    FIRMWARE_PAUSED,
    FIRMWARE_WITHDRAWN,
    RANGE_NOT_SATISFIABLE,
    CommandStep,
    DoorPurpose,
)
from haulier.contexts.lockers.devices.serializers import command_frame
from haulier.contexts.lockers.parcels.actions.codes import try_code
from haulier.contexts.lockers.parcels.actions.steps import (
    OpenedDoor,
    list_offline_codes,
    reconcile_opened_doors,
    record_wrong_codes,
)
from haulier.contexts.lockers.parcels.rules import KEYPAD_REST, OFFLINE_RENEWAL, WRONG_CODES_MAX, digest_prefix
from haulier.contexts.lockers.readings.actions import record_reading
from haulier.contexts.lockers.sites.actions import record_doors
from haulier.contexts.lockers.sites.queries import find_cabinet_of_device
from haulier.contexts.messaging.public import Channel
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import RateLimit, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.device_times import DeviceClock

FIRMWARE_FORMS = Representations(
    (Representation(BINARY, "content"),), field="form", data_field="content", media_type_field="media_type"
)
ANYBODY = {Account.PUBLIC}
AGAIN_AND_AGAIN = (
    "thousands of devices say so every minute; the device's row has the newest, and each command its own record"
)


@writes(
    "register_device",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/devices/register"),),
    limits=(RateLimit(30, 3600, ("address",), failures=True),),
    errors=(DEVICE_CODE_REFUSED,),
)
async def register_device(call: Call, request: RegisterDevice) -> RegisteredDevice:
    """Register a device with its code.

    The code works once. Returns the credential of the device.
    """
    own, device, credential = await register_by_code(call, request.code, request.serial, request.firmware)
    own.add_audit_subjects("device", device.id)
    return RegisteredDevice(device_id=device.id, credential=credential)


@writes(
    "open_device_channel",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/channel"),),
    errors=(DEVICE_UNKNOWN,),
)
async def open_device_channel(call: Call, request: OpenDeviceChannel) -> DeviceChannel:
    """Issue a broker ticket for a device.

    Returns the addresses and topics of the MQTT broker. The ticket lasts a day and replaces the previous one.
    """
    own, device = await act_as_device(call, request.credential)
    channel = own.adapter(Channel)
    levels = {level: device_topic(channel, own.client_id, device.id, level) for level in (*SAID, *HEARD)}
    topics = DeviceTopics(**levels)
    own.add_audit_subjects("device", device.id)
    if not channel.configured:
        return DeviceChannel(topics=topics, ticket=None)
    issued = await open_device_ticket(own, device.id)
    ticket = BrokerTicket(
        addresses=list(channel.addresses),
        client_id=issued.username,
        username=issued.username,
        password=issued.password,
        expires_at=own.local_time(issued.expires_at),
    )
    return DeviceChannel(topics=topics, ticket=ticket)


@writes(
    "report_device_state",
    unaudited=AGAIN_AND_AGAIN,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/state"),),
    errors=(DEVICE_UNKNOWN,),
)
async def report_device_state(call: Call, request: StateFrame) -> StateReceipt:
    """Report the state of a device.

    A frame that is older than an earlier one changes nothing.
    """
    own, device = await record_contact(call, request.credential)
    noted = await record_state(own, device, request)
    if noted.sample is not None:
        await record_reading(own, device.id, noted.sample, noted.offset_s)
    if request.doors and not noted.stale and (cabinet := await find_cabinet_of_device(own, device.id)):
        await record_doors(own, cabinet.id, {door.box: door.open for door in request.doors})
    return StateReceipt(
        stale=noted.stale,
        server_time=call.now,
        clock_offset_s=noted.offset_s,
        commands_waiting=device.commands_waiting,
    )


async def wait_first(context: RequestContext, request: PollFrame) -> None:
    """Wait for a command before anything is locked."""
    if request.wait_s:
        await wait_for_command(context.app, request.credential, request.wait_s)


@writes(
    "poll_device_commands",
    replayable=False,
    unaudited=AGAIN_AND_AGAIN,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/commands"),),
    errors=(DEVICE_UNKNOWN,),
    prepare=wait_first,
)
async def poll_device_commands(call: Call, request: PollFrame) -> CommandFrames:
    """Poll the commands of a device.

    Waits if there are none. Returns every command without a reported outcome, so that a lost response loses nothing. A
    device executes each command id once.
    """
    own, device = await act_as_device(call, request.credential)
    return CommandFrames(commands=await deliver_commands(own, device.id))


@writes(
    "report_device_command",
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/commands/{command_id}/outcome"),),
    errors=(DEVICE_UNKNOWN, NOT_FOUND),
)
async def report_device_command(call: Call, request: OutcomeFrame) -> OutcomeReceipt:
    """Report the outcome of a device command.

    Repeated reports count once. Late reports are accepted.
    """
    own, device = await act_as_device(call, request.credential)
    step = CommandStep(request.outcome)
    status, repeated = await complete_command(own, request.command_id, step, device_id=device.id, fault=request.fault)
    return OutcomeReceipt(command_id=request.command_id, status=status.value, repeated=repeated)


@writes(
    "present_locker_code",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/codes"),),
    errors=(DEVICE_UNKNOWN,),
)
async def present_locker_code(call: Call, request: CodeFrame) -> CodeVerdict:
    """Present a code at a locker.

    A valid code returns the door to open.
    """
    own, device = await act_as_device(call, request.credential, lock=True)
    outcome = await try_code(own, device, request.code.get_secret_value(), request.sequence)
    command: Any = command_frame(outcome.command) if outcome.command else None
    return CodeVerdict(
        accepted=command is not None,
        command=command,
        tries_left=outcome.tries_left,
        rests_until=outcome.rests_until,
    )


@reads(
    "get_offline_codes",
    replica=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/offline-codes"),),
    errors=(DEVICE_UNKNOWN,),
)
async def get_offline_codes(call: Call, request: OfflineCodesFrame) -> OfflineCodes:
    """Retrieve the offline codes of a locker.

    The locker verifies them without a connection for a day. Codes themselves are not disclosed: the response has proofs
    that only this device can check against an entered code.
    """
    own, device = await act_as_device(call, request.credential)
    cabinet = await find_cabinet_of_device(own, device.id)
    granted = await list_offline_codes(own, device) if cabinet else []
    return OfflineCodes(
        prefix=digest_prefix(own.client_id, cabinet.site_id) if cabinet else "",
        codes=[OfflineCode(**asdict(grant), proof=proof) for grant, proof in granted],
        tries_max=WRONG_CODES_MAX,
        rest_s=int(KEYPAD_REST.total_seconds()),
        renew_after_s=int(OFFLINE_RENEWAL.total_seconds()),
        server_time=call.now,
    )


@writes(
    "report_offline_openings",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/offline-openings"),),
    errors=(DEVICE_UNKNOWN, CLIENT_KEY_REUSED),
)
async def report_offline_openings(call: Call, request: OfflineOpeningsFrame) -> OfflineOpeningsReceipt:
    """Report doors that a locker opened offline.

    A repeated sequence number with the same content counts once; other content is refused.
    """
    own, device = await act_as_device(call, request.credential, lock=True)
    clock = DeviceClock(received_at=call.now, sent_at=request.sent_at)
    opened = [
        OpenedDoor(
            sequence=each.sequence,
            place=place,
            code_id=each.code_id,
            box=each.box,
            purpose=DoorPurpose(each.purpose),
            outcome=CommandStep(each.outcome),
            at=clock.read_time(each.opened_at).at,
            fault=each.fault,
        )
        for place, each in sorted(enumerate(request.openings), key=lambda numbered: numbered[1].sequence)
    ]
    became = await reconcile_opened_doors(own, device, opened)
    await record_wrong_codes(own, device, request.sequence, request.wrong_codes)
    own.add_audit_subjects("device", device.id)
    told = zip(opened, became, strict=True)
    return OfflineOpeningsReceipt(
        openings=[OfflineReceipt(sequence=each.sequence, status=status.value) for each, status in told]
    )


@reads(
    "download_device_firmware",
    replica=False,
    audience=ANYBODY,
    interfaces=(
        Rest(
            "GET",
            "/v1/device/firmware/{firmware_release_id}",
            headers={"credential": "Device-Credential", "range": "Range", "if_range": "If-Range"},
            representations=FIRMWARE_FORMS,
        ),
    ),
    errors=(
        DEVICE_UNKNOWN,
        NOT_FOUND,
        FIRMWARE_WITHDRAWN,
        FIRMWARE_NOT_FOR_DEVICE,
        FIRMWARE_PAUSED,
        RANGE_NOT_SATISFIABLE,
        FILE_AWAY,
        FILE_DAMAGED,
    ),
)
async def download_device_firmware(call: Call, request: DownloadFirmware) -> FirmwarePart:
    """Download a firmware file to a device.

    The device must have an open `update` command for the file, and sends its credential in the header
    `Device-Credential`. `Range` returns a part (206), so that interrupted downloads can continue. The ETag identifies
    the file.
    """
    own, device = await record_contact(call, request.credential)
    part, headers = await read_firmware_part(
        own, device.id, request.firmware_release_id, request.range, request.if_range
    )
    if request.form == "content":
        call.headers.update(headers)
    return part
