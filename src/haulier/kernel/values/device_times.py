"""Times that devices report, corrected by their clock's offset (docs/decisions/driver-app.md)."""

from datetime import datetime, timedelta

from msgspec import Struct

CLOCK_TOLERANCE = timedelta(minutes=1)
"""An offset up to this counts as the delay of the network, not as a clock that is off."""


class EventTime(Struct, frozen=True, kw_only=True):
    """The time of an event by the server's clock, and the device's own time beside it."""

    at: datetime
    device_at: datetime
    clock_corrected: bool

    @property
    def stored_device_at(self) -> datetime | None:
        """The device's own time where it was corrected, for storage."""
        return self.device_at if self.clock_corrected else None

    @property
    def ahead_s(self) -> int:
        """Seconds by which the device's own time is later than the corrected time."""
        return round((self.device_at - self.at).total_seconds())


class DeviceClock(Struct, frozen=True, kw_only=True):
    """The clock of a device that sent something: when it was received, and when it was sent by the device's clock."""

    received_at: datetime
    sent_at: datetime | None = None

    @property
    def ahead(self) -> timedelta | None:
        """Seconds that the device's clock is ahead; negative if behind, None without `sent_at`."""
        return None if self.sent_at is None else self.sent_at - self.received_at

    @property
    def ahead_s(self) -> int | None:
        """`ahead` in whole seconds."""
        return None if self.ahead is None else round(self.ahead.total_seconds())

    def read_time(self, device_at: datetime) -> EventTime:
        """Return the time of an event that the device dates `device_at`. It is never later than the time of receipt.

        A known offset is subtracted. A time that is still in the future becomes the time of receipt.
        """
        offset = self.ahead if self.ahead is not None and abs(self.ahead) > CLOCK_TOLERANCE else timedelta()
        try:
            moved = device_at - offset
        except OverflowError:
            moved = self.received_at
        corrected = bool(offset) or moved - self.received_at > CLOCK_TOLERANCE
        return EventTime(at=min(moved, self.received_at), device_at=device_at, clock_corrected=corrected)
