"""What goes in and out of the dispatch board."""

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

ROUTES_MAX = 1000
CHECKED_MAX = 200
SUGGESTED_MAX = 6


class GetDispatchBoard(Request):
    """Which day, and how much of it."""

    day: Day | None = None
    """The day; today in the business's time zone when left out."""
    route_ids: Annotated[list[RecordId], Field(max_length=ROUTES_MAX)] = []
    """Only these routes of the day; empty for all that are not cancelled."""
    stops: bool = True
    """Whether the stops of the routes are shown. Without them the answer is short enough to ask for again and again."""


class StopMove(Request):
    """Stops that would go to a route, or to another place on their own; see `move_stops`."""

    route_id: RecordId
    """The route to which they would go."""
    stop_ids: StopIds
    """The stops, in the order in which they would follow each other."""
    position: Annotated[int, Field(ge=1, le=STOPS_MAX)] | None = None
    """The place of the first of them, from 1; the end of the route when left out."""


class CheckRouteChange(Request):
    """The routes to check, and the change to simulate."""

    route_ids: Annotated[list[RecordId], Field(max_length=CHECKED_MAX)] = []
    """Routes of one day. Those that the move is about need not be named."""
    move: StopMove | None = None
    """What is supposed to have happened; without it, the routes are reckoned through as they stand."""


class SuggestRoutes(Request):
    """An order that is none yet: where it goes, when, and how much it is."""

    lat: Annotated[float, Field(ge=-90, le=90, examples=[43.65])]
    """Where it is to be delivered or collected: degrees north, WGS 84."""
    lng: Annotated[float, Field(ge=-180, le=180, examples=[-79.38])]
    """Degrees east, WGS 84."""
    postal_code: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["M5V 2T6"]
    )
    """Its postal code, for drivers whose zones are lists of postal codes."""
    type: Literal["D", "P"] = "D"
    """D for what is delivered from the depot, P for what is collected. What lies at the depot fits no route under way."""
    day: Day | None = None
    """The day; today in the business's time zone when left out."""
    window_start: Moment | None = None
    """The visit begins at this moment at the earliest."""
    window_end: Moment | None = None
    """The visit begins at this moment at the latest."""
    service_time_s: Annotated[int, Field(ge=0, le=86_400, examples=[180])] = 180
    """How long the visit takes, in seconds."""
    weight_g: Annotated[int, Field(ge=0, le=10_000_000_000, examples=[1000])] = 0
    """The weight of all pieces in grams."""
    packages: Annotated[int, Field(ge=1, le=10_000, examples=[1])] = 1
    """How many pieces it is."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] = []
    """What driver or vehicle must be able to do."""
    limit: Annotated[int, Field(ge=1, le=SUGGESTED_MAX, examples=[3])] = 3
    """How many routes to name at most."""

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
    closed: Annotated[bool, doc("A closed depot stays on old routes and takes no new ones.")]


class BoardDriver(Answer):
    """A driver, as last seen."""

    id: int
    name: str
    status: ActivityStatus
    lat: float | None
    lng: float | None
    heading_deg: float | None
    observed_at: datetime | None
    route_id: Annotated[int | None, doc("The route that they are driving.")]
    stop_id: Annotated[int | None, doc("The stop at which they are, or that comes next.")]
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
    contractor_id: int | None
    planned_start_at: datetime | None
    planned_end_at: datetime | None
    planned_distance_m: int | None
    started_at: datetime | None
    finished_at: datetime | None
    stops_total: int
    stops_done: int
    stops_failed: int
    allowed_actions: Annotated[list[RouteAction], doc("What the caller may do now; empty where stops are left out.")]
    stops: list[BoardStop]


class DispatchBoard(Answer):
    """A day: its routes, depots, and where drivers were last seen."""

    result: bool = True
    day: date
    time_zone: Annotated[str, doc("In which the day is meant (IANA).", "America/Toronto")]
    complete: Annotated[bool, doc("False when the day has more routes than are shown.")]
    depots: Annotated[list[BoardDepot], doc("All of the business, also those that are closed.")]
    drivers: list[BoardDriver]
    routes: list[BoardRoute]


class StopSchedule(Answer):
    """When a stop would be visited."""

    stop_id: int
    arrival_at: Annotated[datetime | None, doc("Null for a route under way, which has no arrival forecasts.")]
    start_at: Annotated[datetime, doc("When work would begin: after waiting for the time window.")]
    departure_at: datetime
    late_s: Annotated[int, doc("How long after the end of the time window work would begin.")]


class RouteFinding(Answer):
    """One problem of a route."""

    rule: FeasibilityRule
    stop_id: Annotated[int | None, doc("The stop that it is about; null for the whole route.")]
    message: str


class BoardRouteTimes(Answer):
    """A route as it would be driven. Times of open stops are computed from now, or from the start of the shift."""

    route_id: int
    feasible: Annotated[bool, doc("Whether windows, capacity, hours, skills and limits are all kept.")]
    start_at: Annotated[datetime | None, doc("Null where nothing is open, or there is no way.")]
    end_at: datetime | None
    distance_m: int
    late_s: Annotated[int, doc("The lateness of all stops together.")]
    load_percent: Annotated[int | None, doc("How full the vehicle would be at most; null where it has no limit.")]
    stops: list[StopSchedule]
    findings: list[RouteFinding]


class RouteChangeCheck(Answer):
    """The effects of a change."""

    result: bool = True
    allowed: Annotated[bool, doc("Whether `move_stops` would do it at all.")]
    feasible: Annotated[bool, doc("Whether every route would keep all its limits.")]
    message: Annotated[str | None, doc("Why it is not allowed.")]
    routes: list[BoardRouteTimes]


class RouteSuggestion(Answer):
    """A route that could take an order, with the order at its best place."""

    route_id: int
    name: str | None
    status: RouteStatus
    driver_id: DriverId | None
    driver_name: str | None
    position: Annotated[int, doc("The place of the new stop among all stops of the route, from 1; see `move_stops`.")]
    arrival_at: Annotated[
        datetime | None,
        doc("Planned visit, by usual travel times; null for a route under way and where no connection exists."),
    ]
    extra_s: Annotated[int | None, doc("How much longer the route would take, in seconds; null where there is no way.")]
    extra_distance_m: int | None
    extra_late_s: Annotated[
        int, doc("How much later, all stops together, work would begin after the ends of time windows.")
    ]
    load_percent: Annotated[int | None, doc("How full the vehicle would be at most; null where it has no limit.")]
    feasible: Annotated[bool, doc("Whether the order breaks nothing that the route keeps without it.")]
    findings: Annotated[list[RouteFinding], doc("What the order would break; nothing that is broken without it.")]


class RouteSuggestions(Answer):
    """The routes of a day that an order would fit best: those that keep all limits first, each by the time that it costs."""

    result: bool = True
    day: date
    routes: list[RouteSuggestion]
