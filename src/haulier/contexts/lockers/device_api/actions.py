"""Frames of a device on every transport, with their operations and topics."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.credentials import DEVICE_NOTICES, SAID, make_pass
from haulier.contexts.lockers.devices.contract import CommandPush
from haulier.contexts.lockers.devices.queries import find_device_of_credential
from haulier.kernel.application import Application


class FrameType(Struct, frozen=True, kw_only=True):
    """Kind of frame: its operation, topic level and fixed fields."""

    operation: str
    topic: str
    fixed: Mapping[str, Any] = {}


STATE, EVENT = SAID
FRAME_TYPES: Mapping[str, FrameType] = {
    "state": FrameType(operation="report_device_state", topic=STATE),
    # No waiting: persistent connections deliver commands as they arrive.
    "poll": FrameType(operation="poll_device_commands", topic=EVENT, fixed={"wait_s": 0}),
    "outcome": FrameType(operation="report_device_command", topic=EVENT),
    "code": FrameType(operation="present_locker_code", topic=EVENT),
    "codes": FrameType(operation="get_offline_codes", topic=EVENT),
    "openings": FrameType(operation="report_offline_openings", topic=EVENT),
}
"""Frames that devices send, by the member `type`."""


class LockerDevices:
    """Port implementation of devices: credentials, connection passes, frames."""

    frame_types: Mapping[str, FrameType] = FRAME_TYPES
    push_type = CommandPush
    notices = DEVICE_NOTICES
    levels = SAID

    async def find(self, app: Application, credential: str) -> tuple[int, int] | None:
        """Return the client and the device of a valid credential, or None."""
        return await find_device_of_credential(app, credential)

    def connection_pass(self, client_id: int, device_id: int) -> str:
        """Return the pass that replaces the credential on a verified connection."""
        return make_pass(client_id, device_id)
