"""The work on device orders that is done after a call: those that nobody pays are cancelled, deliveries followed."""

from msgspec import Struct

CANCEL_UNPAID_JOB = "lockers.cancel_unpaid_device_order"
FOLLOW_DEVICES_JOB = "lockers.follow_delivery_of_devices"


class CancelUnpaidDevices(Struct, frozen=True):
    """The order that was confirmed a while ago."""

    device_order_id: int


class FollowDevices(Struct, frozen=True):
    """The delivery that came to its end."""

    order_id: int
