"""The work on device orders that is done after a call: unpaid ones are cancelled, deliveries followed, letters sent."""

from msgspec import Struct

CANCEL_UNPAID_JOB = "lockers.cancel_unpaid_device_order"
FOLLOW_DEVICES_JOB = "lockers.follow_delivery_of_devices"
DEVICE_LETTER_JOB = "lockers.device_letter"


class CancelUnpaidDevices(Struct, frozen=True):
    """The order that was confirmed a while ago."""

    device_order_id: int


class FollowDevices(Struct, frozen=True):
    """The delivery that came to its end."""

    order_id: int


class DeviceLetter(Struct, frozen=True):
    """What a customer is told of an order: `sent`, `not_paid`, `refunded`, `replaced` or `refused`."""

    device_order_id: int
    occasion: str
    device_return_id: int | None = None
