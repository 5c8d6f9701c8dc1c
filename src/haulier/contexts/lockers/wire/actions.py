"""The frames of a device on every wire: which operation answers each, and on which topic. No wire has a rule of its own."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.passes import make_pass
from haulier.contexts.lockers.devices.actions.tickets import DEVICE_NOTICES, SAID
from haulier.contexts.lockers.devices.contract.frames import CommandPush
from haulier.contexts.lockers.devices.queries import find_device_of_credential
from haulier.kernel.application import Application


class FrameType(Struct, frozen=True, kw_only=True):
    """A kind of frame: the operation that answers it, the last level of its topic, and fields that a wire fixes."""

    operation: str
    topic: str
    fixed: Mapping[str, Any] = {}


STATE, EVENT = SAID
FRAME_TYPES: Mapping[str, FrameType] = {
    "state": FrameType(operation="report_device_state", topic=STATE),
    # Why no waiting: a wire that keeps a connection hands commands over when they come.
    "poll": FrameType(operation="poll_device_commands", topic=EVENT, fixed={"wait_s": 0}),
    "outcome": FrameType(operation="report_device_command", topic=EVENT),
    "code": FrameType(operation="present_locker_code", topic=EVENT),
    "codes": FrameType(operation="get_offline_codes", topic=EVENT),
    "openings": FrameType(operation="report_offline_openings", topic=EVENT),
}
"""The frames that devices send, by the member `type`."""


class LockerDevices:
    """What the doors of devices ask: whose a credential is, what stands for a connection, and which frames there are."""

    frame_types: Mapping[str, FrameType] = FRAME_TYPES
    push_type = CommandPush
    notices = DEVICE_NOTICES
    levels = SAID

    async def find(self, app: Application, credential: str) -> tuple[int, int] | None:
        """The client and the device of a credential that is in force, or None."""
        return await find_device_of_credential(app, credential)

    def connection_pass(self, client_id: int, device_id: int) -> str:
        """What stands in place of a credential in a frame whose connection is known to be this device's."""
        return make_pass(client_id, device_id)
