"""Request and response models of routes."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.otep.public import HandedTo
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.routes.rules.progress import RouteAction, RouteStatus
from haulier.contexts.routes.routes.rules.sequence import Punctuality
from haulier.contexts.routes.stops.rules import FailedStopOutcome, StopAction, StopDispute, StopKind, StopStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, Note, OrderIds, Reason, RecordId
from haulier.kernel.operations.ids import DriverId, StopId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.routing.travel import TravelMode

STOPS_MAX = 1000
URL_MAX = 2048
Url = Annotated[str, Field(max_length=URL_MAX, pattern=r"^https?://[^\s\x00]+$")]
Code = Annotated[str, Field(min_length=1, max_length=40, pattern=NO_NUL)]
StopIds = Annotated[list[StopId], Field(min_length=1, max_length=STOPS_MAX)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]
ReasonCode = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]


class Position(Request):
    """A coordinate (WGS 84)."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""


class RouteSort(StrEnum):
    """Sort order of routes. Ties are sorted newest first."""

    LATEST_DAY = "latest_day"
    EARLIEST_DAY = "earliest_day"
    NAME = "name"
    DRIVER = "driver"
    STATUS = "status"
    PLANNED_START = "planned_start"


class ListRoutes(PageRequest):
    """Filters and page of a route list."""

    day: Day | None = None
    """Filter by day."""
    date_from: Day | None = None
    """Earliest day."""
    date_to: Day | None = None
    """Latest day."""
    status: RouteStatus | None = None
    """Filter by status."""
    driver_id: DriverId | None = None
    """Filter by driver."""
    contractor_id: RecordId | None = None
    """Filter by contractor (user ID). Contractors see only their own routes."""
    depot_id: RecordId | None = None
    """Filter by depot."""
    vehicle_id: RecordId | None = None
    """Filter by vehicle. Routes on the driver's usual vehicle have none."""
    unassigned: bool | None = None
    """If true, only routes without a driver; if false, only routes with one."""
    published: bool | None = None
    """Filter by whether the route is published."""
    sort: RouteSort = RouteSort.LATEST_DAY
    """Sort order."""


class RouteRef(Request):
    """Reference to a route."""

    route_id: RecordId
    """ID of the route."""


class GetDriverRoutesToday(Request):
    """Reference to the driver of today's routes."""

    driver_id: DriverId | None = None
    """ID of the driver. Default: the calling driver."""


class VersionedRouteRef(Request):
    """A route to change."""

    route_id: RecordId
    """ID of the route."""
    expected_version: Version | None = None
    """Version of the route known to the caller. If it has changed since, the call is refused with 409."""


class CreateRoute(Request):
    """A new route."""

    day: Day
    """Day of the route in the time zone of the business."""
    depot_id: RecordId
    """Depot where the route starts."""
    name: Name | None = None
    """Display name."""
    driver_id: DriverId | None = None
    """Driver of the route, if already known."""
    vehicle_id: RecordId | None = None
    """Vehicle of the route. Default: the driver's usual vehicle."""
    planned_start_at: Moment | None = None
    """Planned departure from the depot."""
    published: bool = True
    """If true, the driver sees the route immediately. If false, publish it later."""


class ChangeRouteOrders(VersionedRouteRef):
    """Orders of a route."""

    order_ids: OrderIds
    """Orders to change. Repeated IDs count once."""


class ReorderStops(VersionedRouteRef):
    """New sequence of the open stops."""

    stop_ids: StopIds
    """Every open stop exactly once, in the new sequence. A locked stop must keep its position."""


class AssignRouteDriver(VersionedRouteRef):
    """Driver and vehicle to assign to a route."""

    driver_id: DriverId | None
    """Driver to assign, or null to unassign the route."""
    vehicle_id: RecordId | None = None
    """Vehicle to assign, or null for the driver's usual vehicle. If omitted, the same driver keeps the vehicle."""


class ReportRouteEvent(Request):
    """An event of a route."""

    route_id: RecordId
    occurred_at: Moment | None = None
    """Time of the event on the device's clock. Default: now. A future time becomes the time of receipt."""
    sent_at: Moment | None = None
    """Time of sending on the device's clock. Used to correct `occurred_at` for the clock's offset."""


class StartRoute(ReportRouteEvent):
    """A route to start."""

    ahead_of_day: bool = False
    """If true, start a route of a later day."""


class CancelRoute(VersionedRouteRef):
    """Cancellation of a route."""

    reason: Reason | None = None


class ReportStopEvent(ReportRouteEvent):
    """An event at a stop."""

    stop_id: StopId
    position: Position | None = None
    """Position of the device."""


class CompleteStop(ReportStopEvent):
    """Completion of a stop, with its proof."""

    recipient: Name | None = None
    """Name of the person who received or handed over the goods."""
    signature_url: Url | None = None
    photo_urls: Annotated[list[Url], Field(max_length=20)] = []
    note: Note | None = None
    code: Code | None = None
    """Proof of identity given by the recipient, such as the last digits of an identity document."""
    handed_to: HandedTo | None = None
    """Type of receiver, or of the place where the delivery was left. The name is in `recipient`."""
    left_at: Name | None = Field(default=None, examples=["Behind the shed"])
    """Place where the delivery was left."""


class ReopenStop(ReportStopEvent):
    """A failed stop to reopen."""

    note: Note | None = None
    """Reason for reopening, stored in the order history."""


class FailStop(ReportStopEvent):
    """Failure of a stop, and the next step for the order."""

    reason: ReasonCode
    """Reason code, for example recipient_absent, address_incorrect, access_denied, refused or damaged."""
    outcome: FailedStopOutcome
    """Next step: try the order again, or return it."""
    note: Note | None = None
    return_reason: ReasonCode | None = None
    """Code of a return reason of the business."""
    photo_urls: Annotated[list[Url], Field(max_length=20)] = []
    """Photos of the obstacle."""


class LeftPiece(Answer):
    """A package that was not handed over with the others."""

    barcode: Annotated[str, doc("Tracking number of the package.", "HLTR16KD-2")]
    outcome: Annotated[str, doc("One of missing, damaged or refused.", "damaged")]
    note: str | None = None
    photo_urls: list[str] = []


class StopProof(Answer):
    """Proof of a handover."""

    recipient: str | None = None
    signature_url: str | None = None
    photo_urls: list[str] = []
    code: str | None = None
    handed_to: Annotated[HandedTo | None, doc("Type of receiver, or of the place where the delivery was left.")] = None
    left_at: Annotated[str | None, doc("Place where the delivery was left.")] = None
    left: Annotated[list[LeftPiece], doc("Packages that were not handed over with the others.")] = []


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
    """A stop of a route.

    Actual times are observed; each has the time when it was recorded.
    """

    id: int
    route_id: int
    order_id: int
    order_ref: str | None
    tracking_number: str | None
    kind: StopKind
    position: Annotated[int, doc("Position in the sequence, starting at 1.")]
    status: StopStatus
    address: str | None
    lat: float | None
    lng: float | None
    window_start: datetime | None
    window_end: datetime | None
    planned_arrival_at: datetime | None
    planned_departure_at: datetime | None
    planned_distance_m: Annotated[int | None, doc("Planned distance in metres from the previous stop or the depot.")]
    behind_plan_s: Annotated[
        int | None,
        doc(
            "Delay against the plan in seconds; negative if early. For an open stop, the time since its "
            "planned arrival. Null without a plan, and before the stop is due."
        ),
    ]
    punctuality: Annotated[Punctuality | None, doc("Punctuality against the promise. Not a forecast.")]
    locked: Annotated[bool, doc("If true, the stop keeps its position in new plans.")]
    arrived_at: datetime | None
    arrived_recorded_at: datetime | None
    ended_at: Annotated[datetime | None, doc("Time when the stop was completed or failed.")]
    ended_recorded_at: datetime | None
    ended_by: int | None
    ended_distance_m: Annotated[int | None, doc("Distance in metres between the stop and the device at completion.")]
    outcome: FailedStopOutcome | None
    reason: str | None
    return_reason: Annotated[str | None, doc("Code of a return reason of the business.")]
    note: str | None
    proof: StopProof | None
    earlier_attempts: Annotated[list[EarlierAttempt], doc("Failed visits before the stop was reopened, oldest first.")]
    to_load: Annotated[bool, doc("True if the goods are still at the depot because they were added after departure.")]
    bring_back: Annotated[
        bool, doc("True if the goods on board must go back to the depot because the stop failed or was cancelled.")
    ]
    dispute: Annotated[
        StopDispute | None,
        doc("Contradiction between a device report and a decision of staff. Requires review."),
    ]
    handed_over_from: Annotated[int | None, doc("Route from which another driver handed over the stop.")]
    handed_over_at: datetime | None
    allowed_actions: Annotated[list[StopAction], doc("Actions available to the caller now.")]


class RouteSummary(Answer):
    """A route without its stops."""

    id: int
    name: str | None
    day: date
    status: RouteStatus
    depot_id: int
    depot_name: str
    driver_id: DriverId | None
    driver_name: str | None
    vehicle_id: Annotated[int | None, doc("Vehicle of the route; null for the driver's usual vehicle.")]
    vehicle_name: str | None
    travel_mode: Annotated[TravelMode, doc("Travel mode of the route's vehicle, else of the driver's usual one.")]
    contractor_id: Annotated[int | None, doc("Contractor of the route; null for routes of the business itself.")]
    stops_total: int
    stops_completed: int
    stops_failed: int
    stops_cancelled: Annotated[int, doc("Number of cancelled stops.")]
    version: Annotated[int, doc("Version, increased with every change of the plan. See `expected_version`.")]
    published: Annotated[bool, doc("True if the driver and the driver route board can see the route.")]
    locked: Annotated[bool, doc("True if the stops, their order and the driver cannot be changed.")]
    merged_into: Annotated[int | None, doc("Route that took over the stops after a merge.")]
    planned_start_at: datetime | None
    planned_end_at: Annotated[datetime | None, doc("Planned return; null after manual changes of the stops.")]
    planned_distance_m: Annotated[int | None, doc("Planned length of the route in metres.")]
    started_at: datetime | None
    started_recorded_at: datetime | None
    finished_at: Annotated[datetime | None, doc("Time when the route was finished or aborted.")]
    finished_recorded_at: datetime | None
    cancel_reason: str | None


class RouteDetail(RouteSummary):
    """A route with its stops in sequence."""

    stops: list[RouteStop]
    allowed_actions: Annotated[list[RouteAction], doc("Actions available to the caller now.")]


class GetRouteShape(RouteRef):
    """Route, and the vehicle that drives it."""

    mode: TravelMode | None = None
    """Vehicle whose roads the route follows. Default: the vehicle of the route, else that of the driver, else a van."""


class RouteShapeLeg(Answer):
    """Way to a stop, or back to the depot."""

    stop_id: Annotated[int | None, doc("Stop at the end of the leg; null for the depot.")]
    along_road: Annotated[bool, doc("False if no road is known; the line is then straight.")]
    distance_m: Annotated[int, doc("Length in metres.")]
    duration_s: Annotated[int | None, doc("Driving time without traffic in seconds; null for a straight line.")]
    coordinates: Annotated[list[list[float]], doc("Longitudes and latitudes (WGS 84), as in a GeoJSON LineString.")]


class RouteShape(Answer):
    """Line of a route from the depot over its stops and back."""

    result: bool = True
    route_id: int
    mode: TravelMode
    distance_m: Annotated[int, doc("Length of all legs in metres.")]
    legs: list[RouteShapeLeg]


class RouteList(PagedAnswer):
    """A page of routes."""

    routes: list[RouteSummary]


class DriverRoutesToday(Answer):
    """Routes of a driver on one day."""

    result: bool = True
    driver_id: DriverId
    day: date
    routes: list[RouteDetail]


class RouteAnswer(Answer):
    """One route."""

    result: bool = True
    route: RouteDetail


class LoadingShortage(Answer):
    """An order that left the depot without scans of all its packages."""

    order_id: int
    expected: Annotated[int, doc("Number of packages.")]
    loaded: Annotated[int, doc("Number of packages scanned while loading.")]
    missing: Annotated[list[str], doc("Barcodes of unscanned packages.")]


class RouteWarning(Answer):
    """A warning about a route or orders added to it. The change was made."""

    code: Annotated[str, doc("Machine-readable code.", "OVERLOADED")]
    order_id: Annotated[int | None, doc("Order of the warning; null for the whole route.")]
    load_percent: Annotated[int | None, doc("Maximum load of the vehicle in percent, if overloaded.")]
    message: Annotated[str, doc("Warning in the caller's language.")]


class RouteOrdersResult(Answer):
    """Outcome for each order, and the updated route."""

    result: Annotated[bool, doc("True if at least one order was changed.")]
    changed: int
    skipped: int
    errors: list[OrderError]
    route: RouteDetail
    shortages: Annotated[
        list[LoadingShortage], doc("Unscanned packages at the start, if the business counts packages.")
    ] = []
    warnings: Annotated[list[RouteWarning], doc("Warnings about added orders, such as an overload.")] = []


class StopAnswer(Answer):
    """The updated stop."""

    result: bool = True
    stop: RouteStop
    route_status: RouteStatus


ROUTES_MAX = 20


class RouteVersion(Request):
    """A route and its version known to the caller."""

    route_id: RecordId
    """ID of the route."""
    version: Version
    """Version of the route known to the caller."""


RouteVersions = Annotated[list[RouteVersion], Field(max_length=ROUTES_MAX + 1)]


class MoveStops(Request):
    """Stops to move, and their new position."""

    route_id: RecordId
    """ID of the target route."""
    stop_ids: StopIds
    """Stops to move, in their new sequence, from routes of one day including the target. Pickup and delivery of an
    order move together."""
    position: Annotated[int, Field(ge=1, le=STOPS_MAX)] | None = None
    """Final position of the first moved stop, starting at 1. Default: the end of the route."""
    expected_versions: RouteVersions = []
    """Known versions of the target and source routes. The call is refused if any has changed since."""


class MergeRoutes(Request):
    """Routes to merge."""

    route_id: RecordId
    """ID of the remaining route. It keeps its name, driver and planned start."""
    route_ids: Annotated[list[RecordId], Field(min_length=1, max_length=ROUTES_MAX)]
    """Routes whose stops are appended in this order. They are cancelled and refer to the remaining route."""
    expected_versions: RouteVersions = []
    """Known versions of these routes. The call is refused if any has changed since."""


class SplitRoute(VersionedRouteRef):
    """Stops to split off into a new route."""

    stop_ids: StopIds
    """Stops to split off. Pickup and delivery of an order move together. Their sequence is unchanged."""
    name: Name | None = None
    """Display name."""
    driver_id: DriverId | None = None
    """Driver of the route, if already known."""


class StopSelection(VersionedRouteRef):
    """Stops of a route."""

    stop_ids: StopIds
    """Stops to change. Repeated IDs count once."""


class RoutesAnswer(Answer):
    """Routes affected by a change."""

    result: bool = True
    routes: Annotated[list[RouteDetail], doc("Affected routes, the requested one first.")]


class HandOverStops(VersionedRouteRef):
    """Stops of a route under way, and the receiving driver or route."""

    stop_ids: StopIds | None = None
    """Stops to hand over. Pickup and delivery of an order move together. Default: all stops that are open or have
    goods on board."""
    driver_id: DriverId | None = None
    """Driver of a new route that starts immediately. Set this or `to_route_id`."""
    to_route_id: RecordId | None = None
    """Receiving route, under way on the same day. Use this or `driver_id`."""
    reason: Reason | None = Field(default=None, examples=["The van broke down"])
    """Reason, stored in the order history."""

    @model_validator(mode="after")
    def _goes_to_one(self) -> "HandOverStops":
        if (self.driver_id is None) == (self.to_route_id is None):
            raise PydanticCustomError("one_taker", "exactly one of driver_id and to_route_id is required")
        return self


class AbortRoute(VersionedRouteRef):
    """A route under way to abort, and the reason."""

    reason: ReasonCode = Field(examples=["vehicle_breakdown"])
    """Reason code shown in tracking, for example vehicle_breakdown, weather, traffic, security or other."""
    note: Reason | None = Field(default=None, examples=["Gearbox; waits for the tow truck"])
    """Explanation for staff."""
