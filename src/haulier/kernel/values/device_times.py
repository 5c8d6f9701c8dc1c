"""Device times, corrected by the offset of the device's clock.

See docs/decisions/driver-app.md.
"""

from datetime import datetime, timedelta

from msgspec import Struct

CLOCK_TOLERANCE = timedelta(minutes=1)
"""Offsets up to this are attributed to network delay, not to a wrong clock."""


class EventTime(Struct, frozen=True, kw_only=True):
    """Time of an event by the server's clock, with the time the device reported."""

    at: datetime
    device_at: datetime
    clock_corrected: bool

    @property
    def stored_device_at(self) -> datetime | None:
        """The reported time if it was corrected, for storage."""
        return self.device_at if self.clock_corrected else None

    @property
    def ahead_s(self) -> int:
        """Seconds by which the reported time is ahead of the corrected time."""
        return round((self.device_at - self.at).total_seconds())


class DeviceClock(Struct, frozen=True, kw_only=True):
    """Clock of a device: when its message was received, and when it was sent.

    `sent_at` is the time by the device's clock.
    """

    received_at: datetime
    sent_at: datetime | None = None

    @property
    def ahead(self) -> timedelta | None:
        """Offset of the device's clock; negative if behind, None without `sent_at`."""
        return None if self.sent_at is None else self.sent_at - self.received_at

    @property
    def ahead_s(self) -> int | None:
        """`ahead` in whole seconds."""
        return None if self.ahead is None else round(self.ahead.total_seconds())

    def read_time(self, device_at: datetime) -> EventTime:
        """Return the time of an event dated `device_at` by the device.

        It is never later than the receipt of the message.

        A known offset is subtracted. A time that is still in the future becomes the time of receipt.
        """
        offset = self.ahead if self.ahead is not None and abs(self.ahead) > CLOCK_TOLERANCE else timedelta()
        try:
            moved = device_at - offset
        except OverflowError:
            moved = self.received_at
        corrected = bool(offset) or moved - self.received_at > CLOCK_TOLERANCE
        return EventTime(at=min(moved, self.received_at), device_at=device_at, clock_corrected=corrected)
