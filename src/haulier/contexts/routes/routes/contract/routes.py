"""What goes in and out of routes."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.otep.public import HandedTo
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.routes.rules.punctuality import Punctuality
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus
from haulier.contexts.routes.stops.rules import FailedStopOutcome, StopAction, StopDispute, StopKind, StopStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, Note, OrderIds, Reason, RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

STOPS_MAX = 1000
URL_MAX = 2048
Url = Annotated[str, Field(max_length=URL_MAX, pattern=r"^https?://[^\s\x00]+$")]
Code = Annotated[str, Field(min_length=1, max_length=40, pattern=NO_NUL)]
StopIds = Annotated[list[RecordId], Field(min_length=1, max_length=STOPS_MAX)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]
ReasonCode = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]


class Position(Request):
    """A place on earth, WGS 84."""

    lat: Latitude
    """Degrees north."""
    lng: Longitude
    """Degrees east."""


class RouteSort(StrEnum):
    """In what order routes are listed. Routes that are equal in it stand newest first."""

    LATEST_DAY = "latest_day"
    EARLIEST_DAY = "earliest_day"
    NAME = "name"
    DRIVER = "driver"
    STATUS = "status"
    PLANNED_START = "planned_start"


class ListRoutes(PageRequest):
    """Which routes to list."""

    day: Day | None = None
    """Only routes of this day."""
    date_from: Day | None = None
    """Only routes of this day or later."""
    date_to: Day | None = None
    """Only routes of this day or earlier."""
    status: RouteStatus | None = None
    """Only routes in this state."""
    driver_id: DriverId | None = None
    """Only routes of this driver."""
    contractor_id: RecordId | None = None
    """Only routes of this contractor (user id); contractors see only their own."""
    depot_id: RecordId | None = None
    """Only routes that start at this depot."""
    unassigned: bool | None = None
    """Only routes without a driver, or only those with one."""
    published: bool | None = None
    """Only routes that drivers can see, or only those they cannot yet."""
    sort: RouteSort = RouteSort.LATEST_DAY
    """In what order."""


class RouteRef(Request):
    """Which route."""

    route_id: RecordId
    """The route's id."""


class GetDriverRoutesToday(Request):
    """The driver whose routes of today are shown."""

    driver_id: DriverId | None = None
    """The driver's id. Drivers may leave it out: it is theirs."""


class VersionedRouteRef(Request):
    """A route to change."""

    route_id: RecordId
    """The route's id."""
    expected_version: Version | None = None
    """The version that you know. When the route has changed since, the call is refused with 409."""


class CreateRoute(Request):
    """A new route."""

    day: Day
    """The day it is driven, in the business's time zone."""
    depot_id: RecordId
    """The depot at which it starts."""
    name: Name | None = None
    """What people call it."""
    driver_id: DriverId | None = None
    """Its driver, where already known."""
    planned_start_at: Moment | None = None
    """When it is to leave the depot."""
    published: bool = True
    """Whether its driver sees it at once. Say false to plan in private and publish it later."""


class ChangeRouteOrders(VersionedRouteRef):
    """Orders of a route."""

    order_ids: OrderIds
    """The orders; one named twice counts once."""


class ReorderStops(VersionedRouteRef):
    """The order in which the open stops are to be visited."""

    stop_ids: StopIds
    """Every open stop, once. A locked stop has to come to the place at which it stands."""


class AssignRouteDriver(VersionedRouteRef):
    """Who drives."""

    driver_id: DriverId | None
    """Null takes the route back from its driver."""


class ReportRouteEvent(Request):
    """Something that happened to a route."""

    route_id: RecordId
    occurred_at: Moment | None = None
    """When it happened by the device's clock; now when left out. A time in the future becomes the time of receipt."""
    sent_at: Moment | None = None
    """The device's clock while sending. With it, `occurred_at` is corrected by the clock's offset."""


class StartRoute(ReportRouteEvent):
    """A route that leaves the depot."""

    ahead_of_day: bool = False
    """Say true to start a route whose day has not come yet."""


class CancelRoute(VersionedRouteRef):
    """Why a route is not driven."""

    reason: Reason | None = None


class ReportStopEvent(ReportRouteEvent):
    """Something that happened at a stop."""

    stop_id: RecordId
    position: Position | None = None
    """Where the device was."""


class CompleteStop(ReportStopEvent):
    """The completion of a stop, with its proof."""

    recipient: Name | None = None
    """Who took it, or who handed it out."""
    signature_url: Url | None = None
    photo_urls: Annotated[list[Url], Field(max_length=20)] = []
    note: Note | None = None
    code: Code | None = None
    """What the recipient said or showed to prove who they are, such as the last digits of a document."""
    handed_to: HandedTo | None = None
    """Who received the delivery, or where it was left. `recipient` is the name of who received it."""
    left_at: Name | None = Field(default=None, examples=["Behind the shed"])
    """The place where the delivery was left."""


class ReopenStop(ReportStopEvent):
    """A failed stop that is visited again."""

    note: Note | None = None
    """Why the stop is reopened; stored with the order's steps."""


class FailStop(ReportStopEvent):
    """Why a stop failed, and what happens to the order."""

    reason: ReasonCode
    """A reason code: recipient_absent, address_incorrect, access_denied, refused, damaged …"""
    outcome: FailedStopOutcome
    """Whether the order is tried again or sent back."""
    note: Note | None = None
    return_reason: ReasonCode | None = None
    """The reason in the client's own list, by its code."""
    photo_urls: Annotated[list[Url], Field(max_length=20)] = []
    """Pictures of what stood in the way."""


class LeftPiece(Answer):
    """A piece that was not handed over with the others."""

    barcode: Annotated[str, doc("The tracking number of the piece.", "HLTR16KD-2")]
    outcome: Annotated[str, doc("missing, damaged or refused.", "damaged")]
    note: str | None = None
    photo_urls: list[str] = []


class StopProof(Answer):
    """What proves a hand-over."""

    recipient: str | None = None
    signature_url: str | None = None
    photo_urls: list[str] = []
    code: str | None = None
    handed_to: Annotated[HandedTo | None, doc("Who received the delivery, or where it was left.")] = None
    left_at: Annotated[str | None, doc("The place where the delivery was left.")] = None
    left: Annotated[list[LeftPiece], doc("The pieces that were not handed over with the others.")] = []


class EarlierAttempt(Answer):
    """A failed visit before the stop was reopened."""

    arrived_at: datetime | None
    ended_at: datetime | None
    ended_recorded_at: datetime | None
    ended_by: int | None
    ended_distance_m: int | None
    outcome: FailedStopOutcome | None
    reason: str | None
    return_reason: str | None
    note: str | None
    proof: StopProof | None


class RouteStop(Answer):
    """One visit. Actual times are observed; beside each stands the time at which it was recorded."""

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
    planned_distance_m: Annotated[int | None, doc("Metres planned to here from the stop before, or from the depot.")]
    behind_plan_s: Annotated[
        int | None,
        doc(
            "Seconds by which the driver came later than planned, negative when earlier. Of a stop still to be visited: how"
            " long ago its planned time passed. Null without a plan, and while it is not due."
        ),
    ]
    punctuality: Annotated[
        Punctuality | None, doc("The same in a word, judged by what was promised; nothing is foretold.")
    ]
    locked: Annotated[bool, doc("Whether it keeps its place, whatever is planned around it.")]
    arrived_at: datetime | None
    arrived_recorded_at: datetime | None
    ended_at: Annotated[datetime | None, doc("When it was completed or given up.")]
    ended_recorded_at: datetime | None
    ended_by: int | None
    ended_distance_m: Annotated[int | None, doc("Metres between the stop and the driver's device when it ended.")]
    outcome: FailedStopOutcome | None
    reason: str | None
    return_reason: Annotated[str | None, doc("The reason in the client's own list, by its code.")]
    note: str | None
    proof: StopProof | None
    earlier_attempts: Annotated[list[EarlierAttempt], doc("Failed visits before the stop was reopened, oldest first.")]
    to_load: Annotated[bool, doc("Whether its goods are still at the depot: they were put on a route that had left.")]
    bring_back: Annotated[
        bool, doc("Whether what is aboard for it has to go back to the depot, because it failed or was cancelled.")
    ]
    dispute: Annotated[
        StopDispute | None,
        doc("What a device reported against what the office had decided; somebody has to look at it."),
    ]
    handed_over_from: Annotated[int | None, doc("The route from which another driver handed it over.")]
    handed_over_at: datetime | None
    allowed_actions: Annotated[list[StopAction], doc("What the caller may do here now.")]


class RouteSummary(Answer):
    """A route, without its stops."""

    id: int
    name: str | None
    day: date
    status: RouteStatus
    depot_id: int
    depot_name: str
    driver_id: DriverId | None
    driver_name: str | None
    contractor_id: Annotated[int | None, doc("Whose route it is; null for the client's own.")]
    stops_total: int
    stops_completed: int
    stops_failed: int
    stops_cancelled: Annotated[int, doc("Stops that nobody has to visit any more.")]
    version: Annotated[int, doc("Grows with every change of the plan; see `expected_version`.")]
    published: Annotated[bool, doc("Whether its driver and the driver route board can see it.")]
    locked: Annotated[bool, doc("Whether its stops, their order and its driver stay as they are.")]
    merged_into: Annotated[int | None, doc("The route that took its stops over, when it was merged.")]
    planned_start_at: datetime | None
    planned_end_at: Annotated[datetime | None, doc("When the plan has it back; null once its stops changed by hand.")]
    planned_distance_m: Annotated[int | None, doc("Metres of the whole way, as planned.")]
    started_at: datetime | None
    started_recorded_at: datetime | None
    finished_at: Annotated[datetime | None, doc("When it was finished, or given up on the way.")]
    finished_recorded_at: datetime | None
    cancel_reason: str | None


class RouteDetail(RouteSummary):
    """A route with its stops, in the order of visit."""

    stops: list[RouteStop]
    allowed_actions: Annotated[list[RouteAction], doc("What the caller may do now.")]


class RouteList(PagedAnswer):
    """A page of routes."""

    routes: list[RouteSummary]


class DriverRoutesToday(Answer):
    """A driver's routes of one day."""

    result: bool = True
    driver_id: DriverId
    day: date
    routes: list[RouteDetail]


class RouteAnswer(Answer):
    """One route."""

    result: bool = True
    route: RouteDetail


class LoadingShortage(Answer):
    """An order that left the depot without all its pieces, as far as they were scanned."""

    order_id: int
    expected: Annotated[int, doc("How many pieces it has.")]
    loaded: Annotated[int, doc("How many were scanned while loading.")]
    missing: Annotated[list[str], doc("The barcodes of the others.")]


class RouteWarning(Answer):
    """Something odd about a route and the orders that were put on it, which went there all the same."""

    code: Annotated[str, doc("What is odd, for programs.", "OVERLOADED")]
    order_id: Annotated[int | None, doc("The order that it is about; null for the whole route.")]
    load_percent: Annotated[int | None, doc("How full the vehicle is at its fullest, where it holds too much.")]
    message: Annotated[str, doc("What is odd, in the caller's language.")]


class RouteOrdersResult(Answer):
    """The result for each order, and the route as it is now."""

    result: Annotated[bool, doc("Whether at least one order was changed.")]
    changed: int
    skipped: int
    errors: list[OrderError]
    route: RouteDetail
    shortages: Annotated[
        list[LoadingShortage], doc("At the start: what was not scanned, where the client counts pieces.")
    ] = []
    warnings: Annotated[list[RouteWarning], doc("What is odd about orders that were added, such as an overload.")] = []


class StopAnswer(Answer):
    """One stop, after what happened at it."""

    result: bool = True
    stop: RouteStop
    route_status: RouteStatus
