"""Positions: which points are stored, and since when a driver has not moved."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from haulier.kernel.values.device_times import DeviceClock
from haulier.kernel.values.geography import LatLng, great_circle_m

STANDSTILL_RADIUS_M = 75
"""Radius in metres within which a driver stands still: the drift of a parked phone between buildings."""


class DevicePoint(Struct, frozen=True, kw_only=True):
    """Where a device was, and how sure it is (radius in metres)."""

    occurred_at: datetime
    lat: float
    lng: float
    accuracy_m: float | None = None
    speed_mps: float | None = None
    heading_deg: float | None = None
    battery_percent: int | None = None

    @property
    def place(self) -> LatLng:
        """Degrees north and east."""
        return self.lat, self.lng


class Standstill(Struct, frozen=True):
    """The place and time at which a driver stopped moving."""

    place: LatLng
    since: datetime


def time_slot(at: datetime, every_s: int) -> datetime:
    """The beginning of the stretch of `every_s` seconds that an instant lies in."""
    seconds = int(at.timestamp())
    return datetime.fromtimestamp(seconds - seconds % every_s, UTC)


def correct_points(points: Sequence[DevicePoint], now: datetime, sent_at: datetime | None) -> list[DevicePoint]:
    """Return the points with their times by the server's clock.

    Without `sent_at`, the newest point in the future counts as sent at its own time, so that the others stay apart.
    """
    newest = max(point.occurred_at for point in points)
    clock = DeviceClock(received_at=now, sent_at=sent_at or (newest if newest > now else None))
    return [replace(point, occurred_at=clock.read_time(point.occurred_at).at) for point in points]


def plausible_points(points: Iterable[DevicePoint], now: datetime, kept_days: int) -> list[DevicePoint]:
    """Points that are not older than the retention time, in the order of time."""
    oldest = now - timedelta(days=kept_days)
    return in_order_of_time(point for point in points if oldest <= point.occurred_at)


def in_order_of_time(points: Iterable[DevicePoint]) -> list[DevicePoint]:
    """Points in the order of time; of one moment always in the same order."""
    return sorted(points, key=_point_sort_key)


def downsample_points(
    points: Sequence[DevicePoint], every_s: int, taken: Collection[datetime] = ()
) -> dict[datetime, DevicePoint]:
    """Return the first point of each period in which none is `taken` yet.

    `points` are in chronological order.
    """
    sampled: dict[datetime, DevicePoint] = {}
    for point in points:
        place = time_slot(point.occurred_at, every_s)
        if place not in taken:
            sampled.setdefault(place, point)
    return sampled


def points_after(points: Sequence[DevicePoint], than: datetime | None) -> list[DevicePoint]:
    """The points after an instant."""
    return [point for point in points if than is None or point.occurred_at > than]


def update_standstill(before: Standstill | None, points: Sequence[DevicePoint]) -> Standstill | None:
    """Return the driver's standstill after these newer points.

    It starts where they came to a halt, and ends with a point too far from there.
    """
    for point in points:
        if before is None or great_circle_m(before.place, point.place) > STANDSTILL_RADIUS_M:
            before = Standstill(point.place, point.occurred_at)
    return before


def _point_sort_key(point: DevicePoint) -> tuple[datetime, float, float]:
    return point.occurred_at, point.lat, point.lng
