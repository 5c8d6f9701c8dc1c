"""Request and response models for the dispatch board."""

from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.dispatch.board.rules import FeasibilityRule
from haulier.contexts.dispatch.monitoring.rules import ActivityStatus
from haulier.contexts.orders.delivery_orders.contract.orders import SkillCode
from haulier.contexts.routes.routes.contract import STOPS_MAX, StopIds
from haulier.contexts.routes.routes.rules.progress import RouteAction, RouteStatus
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day, Moment
from haulier.solvers.routing.travel import TravelMode

ROUTES_MAX = 1000
CHECKED_MAX = 200
SUGGESTED_MAX = 6


class GetDispatchBoard(Request):
    """Day and scope of the board."""

    day: Day | None = None
    """Day in the time zone of the business. Default: today."""
    route_ids: Annotated[list[RecordId], Field(max_length=ROUTES_MAX)] = []
    """Routes of the day to return. Empty: all routes that are not cancelled."""
    stops: bool = True
    """If true, include the stops of the routes. Use false for frequent polling."""


class StopMove(Request):
    """Stops to move to a route, or within their own; see `move_stops`."""

    route_id: RecordId
    """ID of the target route."""
    stop_ids: StopIds
    """Stops to move, in their new sequence."""
    position: Annotated[int, Field(ge=1, le=STOPS_MAX)] | None = None
    """Position of the first moved stop, starting at 1. Default: the end of the route."""


class CheckRouteChange(Request):
    """The routes to check, and the change to simulate."""

    route_ids: Annotated[list[RecordId], Field(max_length=CHECKED_MAX)] = []
    """Routes of one day. Routes of the move are included automatically."""
    move: StopMove | None = None
    """Move to simulate. Default: check the routes as they are."""


class SuggestRoutes(Request):
    """An order that is none yet: where it goes, when, and how much it is."""

    lat: Annotated[float, Field(ge=-90, le=90, examples=[43.65])]
    """Latitude of the delivery or pickup in decimal degrees (WGS 84)."""
    lng: Annotated[float, Field(ge=-180, le=180, examples=[-79.38])]
    """Longitude in decimal degrees (WGS 84)."""
    postal_code: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["M5V 2T6"]
    )
    """Postal code, for drivers with zones defined by postal codes."""
    type: Literal["D", "P"] = "D"
    """Type of order: D for a delivery from the depot, P for a pickup. A delivery does not fit a route under way,
    because its goods are at the depot."""
    day: Day | None = None
    """Day in the time zone of the business. Default: today."""
    window_start: Moment | None = None
    """Earliest start of the visit."""
    window_end: Moment | None = None
    """Latest start of the visit."""
    service_time_s: Annotated[int, Field(ge=0, le=86_400, examples=[180])] = 180
    """Service time at the stop in seconds."""
    weight_g: Annotated[int, Field(ge=0, le=10_000_000_000, examples=[1000])] = 0
    """Total weight of all packages in grams."""
    packages: Annotated[int, Field(ge=1, le=10_000, examples=[1])] = 1
    """Number of packages."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] = []
    """Skills required of the driver or vehicle."""
    limit: Annotated[int, Field(ge=1, le=SUGGESTED_MAX, examples=[3])] = 3
    """Maximum number of routes."""

    @model_validator(mode="after")
    def _window_opens_before_it_closes(self) -> Self:
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self


class BoardDepot(Answer):
    """Where routes start."""

    id: int
    name: str
    lat: float
    lng: float
    closed: Annotated[bool, doc("If true, the depot is closed. It stays on old routes and takes no new ones.")]


class BoardDriver(Answer):
    """A driver, as last seen."""

    id: int
    name: str
    status: ActivityStatus
    lat: float | None
    lng: float | None
    heading_deg: float | None
    observed_at: datetime | None
    route_id: Annotated[int | None, doc("Route under way.")]
    stop_id: Annotated[int | None, doc("Current or next stop.")]
    stop_status: StopStatus | None


class BoardStop(Answer):
    """One visit."""

    id: int
    order_id: int
    order_ref: str | None
    kind: StopKind
    status: StopStatus
    locked: bool
    address: str | None
    lat: float | None
    lng: float | None
    window_start: datetime | None
    window_end: datetime | None
    planned_arrival_at: datetime | None
    planned_departure_at: datetime | None
    arrived_at: datetime | None
    ended_at: datetime | None
    service_s: int


class BoardRoute(Answer):
    """A route of the day. Stops stand in the order of visit."""

    id: int
    name: str | None
    status: RouteStatus
    version: int
    published: bool
    locked: bool
    depot_id: int
    driver_id: DriverId | None
    driver_name: str | None
    vehicle_id: Annotated[int | None, doc("Vehicle of the route; null for the driver's usual vehicle.")]
    vehicle_name: str | None
    travel_mode: Annotated[TravelMode, doc("Travel mode of the route's vehicle, else of the driver's usual one.")]
    contractor_id: int | None
    planned_start_at: datetime | None
    planned_end_at: datetime | None
    planned_distance_m: int | None
    started_at: datetime | None
    finished_at: datetime | None
    stops_total: int
    stops_done: int
    stops_failed: int
    allowed_actions: Annotated[list[RouteAction], doc("Actions available to the caller now; empty without stops.")]
    stops: list[BoardStop]


class DispatchBoard(Answer):
    """A day: its routes, depots, and where drivers were last seen."""

    result: bool = True
    day: date
    time_zone: Annotated[str, doc("Time zone of the day (IANA name).", "America/Toronto")]
    complete: Annotated[bool, doc("False if the day has more routes than returned.")]
    depots: Annotated[list[BoardDepot], doc("All depots of the business, including closed ones.")]
    drivers: list[BoardDriver]
    routes: list[BoardRoute]


class StopSchedule(Answer):
    """When a stop would be visited."""

    stop_id: int
    arrival_at: Annotated[
        datetime | None, doc("Planned arrival; null for a route under way, which has no arrival forecasts.")
    ]
    start_at: Annotated[datetime, doc("Start of the service, after any waiting for the time window.")]
    departure_at: datetime
    late_s: Annotated[int, doc("Start of the service after the end of the time window, in seconds.")]


class RouteFinding(Answer):
    """One problem of a route."""

    rule: FeasibilityRule
    stop_id: Annotated[int | None, doc("Stop of the violation; null for the whole route.")]
    message: str


class BoardRouteTimes(Answer):
    """Times of a route.

    Times of open stops are computed from now, or from the start of the shift.
    """

    route_id: int
    feasible: Annotated[bool, doc("True if the route keeps all windows, capacities, hours, skills and limits.")]
    start_at: Annotated[datetime | None, doc("Null if no stop is open, or no road connects the stops.")]
    end_at: datetime | None
    distance_m: int
    late_s: Annotated[int, doc("Total lateness of all stops in seconds.")]
    load_percent: Annotated[int | None, doc("Peak load of the vehicle in percent; null without a limit.")]
    stops: list[StopSchedule]
    findings: list[RouteFinding]


class RouteChangeCheck(Answer):
    """The effects of a change."""

    result: bool = True
    allowed: Annotated[bool, doc("True if `move_stops` would accept the move.")]
    feasible: Annotated[bool, doc("True if every route keeps all its limits.")]
    message: Annotated[str | None, doc("Reason why the move is refused.")]
    routes: list[BoardRouteTimes]


class RouteSuggestion(Answer):
    """A route that could take an order, with the order at its best place."""

    route_id: int
    name: str | None
    status: RouteStatus
    driver_id: DriverId | None
    driver_name: str | None
    position: Annotated[int, doc("Position of the new stop on the route, starting at 1; see `move_stops`.")]
    arrival_at: Annotated[
        datetime | None,
        doc("Planned visit by usual travel times; null for a route under way or without a road connection."),
    ]
    extra_s: Annotated[int | None, doc("Additional duration of the route in seconds; null without a road connection.")]
    extra_distance_m: int | None
    extra_late_s: Annotated[int, doc("Additional lateness of all stops in seconds.")]
    load_percent: Annotated[int | None, doc("Peak load of the vehicle in percent; null without a limit.")]
    feasible: Annotated[bool, doc("True if the order causes no new violation.")]
    findings: Annotated[list[RouteFinding], doc("New violations caused by the order.")]


class RouteSuggestions(Answer):
    """Best routes of a day for an order.

    Routes that keep all limits come first, ordered by the time that the order adds.
    """

    result: bool = True
    day: date
    routes: list[RouteSuggestion]
