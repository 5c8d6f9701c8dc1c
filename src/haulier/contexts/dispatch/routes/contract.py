"""What goes in and out of routes."""

from datetime import date, datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from haulier.contexts.dispatch.fields import Latitude, Longitude, Name, Note, OrderIds, Reason, RecordId
from haulier.contexts.dispatch.refusals import OrderError
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus
from haulier.contexts.dispatch.stops.rules import Outcome, StopAct, StopKind, StopStatus
from haulier.kernel.answers import Answer, doc
from haulier.kernel.operation import Request
from haulier.kernel.pages import Page, Paged

STOPS_MAX = 1000
URL_MAX = 2048
Url = Annotated[str, Field(max_length=URL_MAX, pattern=r"^https?://[^\s\x00]+$")]
ReasonCode = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]


class Position(Request):
    """A place on earth, WGS 84."""

    lat: Latitude
    """Degrees north."""
    lng: Longitude
    """Degrees east."""


class ListRoutes(Page):
    """Which routes to list."""

    date_from: date | None = None
    """Only routes of this day or later."""
    date_to: date | None = None
    """Only routes of this day or earlier."""
    status: RouteStatus | None = None
    """Only routes in this state."""
    driver_id: RecordId | None = None
    """Only routes of this driver."""
    contractor_id: RecordId | None = None
    """Only routes of this contractor (user id). Ignored for contractors, who see only their own."""
    depot_id: RecordId | None = None
    """Only routes that start at this depot."""


class TheRoute(Request):
    """Which route."""

    route_id: RecordId
    """The route's id."""


class DriversDay(Request):
    """Whose day."""

    driver_id: RecordId
    """The driver's id."""


class CreateRoute(Request):
    """A new route."""

    day: date
    """The day it is driven, in the business's time zone."""
    depot_id: RecordId
    """The depot at which it starts."""
    name: Name | None = None
    """What people call it."""
    driver_id: RecordId | None = None
    """Its driver, where already known."""
    planned_start_at: AwareDatetime | None = None
    """When it is to leave the depot."""


class RouteOrders(Request):
    """Orders of a route."""

    route_id: RecordId
    """The route's id."""
    order_ids: OrderIds
    """The orders; one named twice counts once."""


class ReorderStops(Request):
    """The order in which the open stops are to be visited."""

    route_id: RecordId
    stop_ids: Annotated[list[RecordId], Field(min_length=1, max_length=STOPS_MAX)]
    """Every open stop, once."""


class AssignDriver(Request):
    """Who drives."""

    route_id: RecordId
    driver_id: RecordId | None
    """Null takes the route back from its driver."""


class OnTheRoad(Request):
    """Something that happened to a route."""

    route_id: RecordId
    occurred_at: AwareDatetime | None = None
    """When it happened by the device's clock; now when left out. At most ten minutes ahead."""


class CancelRoute(Request):
    """Why a route is not driven."""

    route_id: RecordId
    reason: Reason | None = None


class AtStop(OnTheRoad):
    """Something that happened at a stop."""

    stop_id: RecordId
    position: Position | None = None
    """Where the device was."""


class HandOver(AtStop):
    """How something changed hands."""

    recipient: Name | None = None
    """Who took it, or who handed it out."""
    signature_url: Url | None = None
    photo_urls: Annotated[list[Url], Field(max_length=20)] = []
    note: Note | None = None


class FailStop(AtStop):
    """Why a stop was in vain, and what comes next."""

    reason: ReasonCode
    """A reason code: recipient_absent, address_incorrect, access_denied, refused, damaged …"""
    outcome: Outcome
    """Whether the order is tried again or sent back."""
    note: Note | None = None


class Proof(Answer):
    """What proves a hand-over."""

    recipient: str | None = None
    signature_url: str | None = None
    photo_urls: list[str] = []


class Stop(Answer):
    """One visit. Actual times are what was seen on the road; each has the time at which we heard of it."""

    id: int
    route_id: int
    order_id: int
    order_ref: str | None
    tracking_number: str | None
    kind: StopKind
    position: Annotated[int, doc("Place in the order of visit, from 1.")]
    status: StopStatus
    address: str | None
    lat: float | None
    lng: float | None
    window_start: datetime | None
    window_end: datetime | None
    planned_arrival_at: datetime | None
    planned_departure_at: datetime | None
    arrived_at: datetime | None
    arrived_recorded_at: datetime | None
    ended_at: Annotated[datetime | None, doc("When it was completed or given up.")]
    ended_recorded_at: datetime | None
    ended_by: int | None
    outcome: Outcome | None
    reason: str | None
    note: str | None
    proof: Proof | None
    allowed_actions: Annotated[list[StopAct], doc("What the caller may do here now.")]


class RouteSummary(Answer):
    """A route, without its stops."""

    id: int
    name: str | None
    day: date
    status: RouteStatus
    depot_id: int
    depot_name: str
    driver_id: int | None
    driver_name: str | None
    contractor_id: Annotated[int | None, doc("Whose route it is; null for the client's own.")]
    stops_total: int
    stops_completed: int
    stops_failed: int
    planned_start_at: datetime | None
    started_at: datetime | None
    started_recorded_at: datetime | None
    finished_at: datetime | None
    finished_recorded_at: datetime | None
    cancel_reason: str | None


class Route(RouteSummary):
    """A route with its stops, in the order of visit."""

    stops: list[Stop]
    allowed_actions: Annotated[list[RouteAct], doc("What the caller may do now.")]


class Routes(Paged):
    """A page of routes, latest day first."""

    routes: list[RouteSummary]


class DayOfRoutes(Answer):
    """A driver's routes of one day."""

    result: bool = True
    driver_id: int
    day: date
    routes: list[Route]


class RouteAnswer(Answer):
    """One route."""

    result: bool = True
    route: Route


class RouteOutcome(Answer):
    """What became of each order, and the route as it is now."""

    result: Annotated[bool, doc("Whether at least one order was changed.")]
    changed: int
    skipped: int
    errors: list[OrderError]
    route: Route


class StopAnswer(Answer):
    """One stop, after what happened at it."""

    result: bool = True
    stop: Stop
    route_status: RouteStatus
