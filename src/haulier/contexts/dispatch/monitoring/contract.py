"""Requests and answers of monitoring."""

from datetime import date, datetime, timedelta
from typing import Annotated

from pydantic import Field

from haulier.contexts.dispatch.monitoring.rules import ActivityStatus, DayExceptionKind, MonitoringLimits
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PagedAnswer, PageRequest

CHANGES_MAX = 500


class MonitoringPage(PageRequest):
    """From which values on something is an exception."""

    late_after_min: int = Field(default=15, ge=0, le=1440)
    """Minutes after the plan from which a route start, or a stop without a delivery window, is late."""
    idle_after_min: int = Field(default=20, ge=1, le=1440)
    """Minutes without movement away from a stop, after which a driver under way is idle."""
    silent_after_min: int = Field(default=10, ge=1, le=1440)
    """Minutes without a signal after which a device is offline."""
    off_route_m: int = Field(default=2_000, ge=100, le=100_000)
    """Distance in metres from the line between planned stops, beyond which a driver is off route."""

    @property
    def limits(self) -> MonitoringLimits:
        """The same, as the rules see it."""
        return MonitoringLimits(
            late_after=timedelta(minutes=self.late_after_min),
            idle_after=timedelta(minutes=self.idle_after_min),
            silent_after=timedelta(minutes=self.silent_after_min),
            off_route_m=self.off_route_m,
        )


class MonitorDrivers(MonitoringPage):
    """Filters and limits for monitoring drivers."""

    contractor_id: RecordId | None = None
    """Filter by contractor (user ID). Contractors see only their own drivers."""


class MonitorDay(MonitoringPage):
    """Filters and limits for monitoring a day."""

    day: Day | None = None
    """Day in the time zone of the business. Default: today."""
    contractor_id: RecordId | None = None
    """Filter by contractor (user ID). Contractors see only their own routes."""


class MonitorExceptions(MonitorDay):
    """Filters and limits for monitoring exceptions."""

    kind: DayExceptionKind | None = None
    """Filter by kind."""


class ListDayChanges(Request):
    """Day and cursor of a change list."""

    day: Day
    """Day of the changes."""
    cursor: str | None = Field(default=None, max_length=MAX_CURSOR_LENGTH)
    """`next_cursor` of an earlier answer. Default: all known changes of the day."""
    limit: int = Field(default=200, ge=1, le=CHANGES_MAX)
    """Maximum number of results."""


class CurrentStop(Answer):
    """The stop where a driver is, or that comes next."""

    stop_id: int
    order_id: int
    kind: StopKind
    status: StopStatus
    address: str | None
    lat: float | None
    lng: float | None


class DriverActivity(Answer):
    """Last observation of a driver."""

    driver_id: DriverId
    name: str
    contractor_id: int | None
    status: ActivityStatus
    lat: float | None
    lng: float | None
    observed_at: Annotated[datetime | None, doc("Time of the position on the device's clock.")]
    age_s: Annotated[int | None, doc("Age of the position in seconds.")]
    speed_mps: float | None
    heading_deg: float | None
    accuracy_m: float | None
    battery_percent: int | None
    standing_since: Annotated[datetime | None, doc("Time since which the device has not moved.")]
    route_id: Annotated[int | None, doc("Route under way of the driver.")]
    current_stop: CurrentStop | None


class DriverActivityList(PagedAnswer):
    """A page of drivers, by name."""

    as_of: datetime
    drivers: list[DriverActivity]


class RouteProgress(Answer):
    """Observed progress of a route."""

    route_id: int
    name: str | None
    status: RouteStatus
    driver_id: DriverId | None
    driver_name: str | None
    contractor_id: int | None
    stops_total: int
    stops_done: int
    stops_failed: int
    stops_left: int
    stops_cancelled: Annotated[int, doc("Number of cancelled stops.")]
    on_time: Annotated[int, doc("Stops reached within their window, or on time by the plan.")]
    late: Annotated[int, doc("Stops reached late.")]
    planned_start_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    last_seen_at: datetime | None


class DayProgress(PagedAnswer):
    """A page of a day's routes, and the sums of that page."""

    day: date
    as_of: datetime
    stops_total: int
    stops_done: int
    stops_failed: int
    stops_left: int
    stops_cancelled: int
    on_time: int
    late: int
    routes: list[RouteProgress]


class DayException(Answer):
    """An exception."""

    kind: DayExceptionKind
    route_id: int
    driver_id: DriverId | None
    driver_name: str | None
    stop_id: int | None
    order_id: int | None
    since: Annotated[datetime | None, doc("Start of the exception; null if unknown.")]
    seconds: Annotated[
        int | None,
        doc("Duration or delay in seconds. For `clock_off`, the offset of the clock; negative if it is behind."),
    ]
    metres: Annotated[int | None, doc("Distance in metres from the line between the stops.")]
    piece: Annotated[
        str | None, doc("Tracking number of the missing or damaged package; null for other kinds.", "HLTR16KD-2")
    ]
    message: Annotated[str, doc("Description in the caller's language.")]


class DayExceptionList(PagedAnswer):
    """A page of the exceptions of a day, route by route."""

    day: date
    as_of: datetime
    exceptions: list[DayException]


class DayChange(Answer):
    """An observed change. It describes the current state, so it can be handled twice."""

    kind: Annotated[str, doc("Type of change: position, stop or route.")]
    at: Annotated[datetime, doc("Time of the change.")]
    recorded_at: Annotated[datetime, doc("Time of receipt.")]
    driver_id: DriverId | None
    route_id: int | None
    stop_id: int | None
    status: Annotated[str | None, doc("Status of the stop or route.")]
    lat: float | None
    lng: float | None


class DayChangeList(Answer):
    """Changes, oldest first."""

    result: bool = True
    changes: list[DayChange]
    next_cursor: str | None
    more: bool
