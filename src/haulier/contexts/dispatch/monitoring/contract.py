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
    """A stop without a window, and a start, are late so many minutes after the plan."""
    idle_after_min: int = Field(default=20, ge=1, le=1440)
    """A driver under way who stood for so many minutes, and not at a stop, is idle."""
    silent_after_min: int = Field(default=10, ge=1, le=1440)
    """A device from which nothing was heard for so many minutes is offline."""
    off_route_m: int = Field(default=2_000, ge=100, le=100_000)
    """So many metres from the line between the planned stops a driver is off the route."""

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
    """Which drivers."""

    contractor_id: RecordId | None = None
    """Only those of this contractor (user id); contractors see only their own."""


class MonitorDay(MonitoringPage):
    """Which day."""

    day: Day | None = None
    """The day; today in the business's time zone when left out."""
    contractor_id: RecordId | None = None
    """Only routes of this contractor (user id); contractors see only their own."""


class MonitorExceptions(MonitorDay):
    """Which exceptions."""

    kind: DayExceptionKind | None = None
    """Only this kind."""


class ListDayChanges(Request):
    """What changed since when."""

    day: Day
    """The day."""
    cursor: str | None = Field(default=None, max_length=MAX_CURSOR_LENGTH)
    """Goes on after a change; without one, everything that is known of the day."""
    limit: int = Field(default=200, ge=1, le=CHANGES_MAX)
    """At most so many."""


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
    """What was last seen of a driver."""

    driver_id: DriverId
    name: str
    contractor_id: int | None
    status: ActivityStatus
    lat: float | None
    lng: float | None
    observed_at: Annotated[datetime | None, doc("When the device was there, by its own clock.")]
    age_s: Annotated[int | None, doc("How old that is, in seconds.")]
    speed_mps: float | None
    heading_deg: float | None
    accuracy_m: float | None
    battery_percent: int | None
    standing_since: Annotated[datetime | None, doc("Since when the device has not moved.")]
    route_id: Annotated[int | None, doc("The route that the driver is driving.")]
    current_stop: CurrentStop | None


class DriverActivityList(PagedAnswer):
    """A page of drivers, by name."""

    as_of: datetime
    drivers: list[DriverActivity]


class RouteProgress(Answer):
    """How far a route is, by what was seen."""

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
    stops_cancelled: Annotated[int, doc("Stops that nobody has to visit any more.")]
    on_time: Annotated[int, doc("Stops reached within their window, or in time by the plan.")]
    late: Annotated[int, doc("Stops reached after that.")]
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
    since: Annotated[datetime | None, doc("Since when; null where nobody knows.")]
    seconds: Annotated[
        int | None,
        doc("For how long, or how much too late. For `clock_off`: how far the clock is ahead; negative if behind."),
    ]
    metres: Annotated[int | None, doc("How far from the line between the stops.")]
    piece: Annotated[
        str | None, doc("Tracking number of the missing or damaged piece; null for other kinds.", "HLTR16KD-2")
    ]
    message: Annotated[str, doc("The same in the caller's language.")]


class DayExceptionList(PagedAnswer):
    """A page of the exceptions of a day, route by route."""

    day: date
    as_of: datetime
    exceptions: list[DayException]


class DayChange(Answer):
    """A change that was observed. It describes the current state, so it may be handled twice."""

    kind: Annotated[str, doc("position, stop or route.")]
    at: Annotated[datetime, doc("When it happened.")]
    recorded_at: Annotated[datetime, doc("When we heard of it.")]
    driver_id: DriverId | None
    route_id: int | None
    stop_id: int | None
    status: Annotated[str | None, doc("Of the stop or the route.")]
    lat: float | None
    lng: float | None


class DayChangeList(Answer):
    """What changed, oldest first."""

    result: bool = True
    changes: list[DayChange]
    next_cursor: str | None
    more: bool
