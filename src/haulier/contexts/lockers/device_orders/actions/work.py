"""Background jobs of device orders."""

from msgspec import Struct

CANCEL_UNPAID_JOB = "lockers.cancel_unpaid_device_order"
FOLLOW_DEVICES_JOB = "lockers.follow_delivery_of_devices"
DEVICE_LETTER_JOB = "lockers.device_letter"


class CancelUnpaidDevices(Struct, frozen=True):
    """Job that cancels an unpaid confirmed order."""

    device_order_id: int


class FollowDevices(Struct, frozen=True):
    """Job that follows a finished local delivery."""

    order_id: int


class DeviceLetter(Struct, frozen=True):
    """Email about an order: `sent`, `not_paid`, `refunded`, `replaced` or `refused`."""

    device_order_id: int
    occasion: str
    device_return_id: int | None = None
