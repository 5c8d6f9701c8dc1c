"""What goes in and out of a driver's day: its routes with every hand-over, and the answer to a route."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.handovers.contract import Handover
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.driver_app.scans.contract import ScannedOrder
from haulier.contexts.routes.routes.contract import ReportRouteEvent, RouteStop, RouteSummary
from haulier.contexts.routes.routes.rules.progress import RouteAction
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason
from haulier.kernel.operations.ids import DriverId

CURSOR_MAX = 20_000


class GetRiderDay(Request):
    """Which part of the day."""

    changed_since: Annotated[str, Field(max_length=CURSOR_MAX, pattern=r"^[A-Za-z0-9_-]+$")] | None = Field(
        default=None, examples=["gg"]
    )
    """The `cursor` of an earlier answer: only what has changed since then is listed. Left out, everything is."""


class AnswerRoute(ReportRouteEvent):
    """A driver's answer to a route they were given."""

    reason: Reason | None = None
    """Why not, where the route is declined."""


class RiderStop(RouteStop):
    """A stop with everything that its driver needs at the door."""

    handover: Annotated[Handover | None, doc("What is handed over, to whom, and what has to prove it.")]


class RiderRouteDetail(RouteSummary):
    """A route with its stops, in the order of visit."""

    stops: Annotated[list[RiderStop], doc("With `changed_since`, only those that have changed.")]
    allowed_actions: Annotated[list[RouteAction], doc("What the caller may do now.")]


class RiderRoute(Answer):
    """A route as its driver's app shows it."""

    route: RiderRouteDetail
    answer: Annotated[str | None, doc("What the driver said to it: accepted, or null for nothing yet.")]
    answered_at: datetime | None
    scanned: list[ScannedOrder]


class RiderRouteAnswer(Answer):
    """One route of the driver's."""

    result: bool = True
    route: RiderRoute


class RiderDay(Answer):
    """Everything that a driver's app needs for the day, also while it is out of reach."""

    result: bool = True
    day: date
    driver_id: DriverId
    driver_name: str
    available: Annotated[bool, doc("Whether orders on demand are offered to the driver.")]
    policy: RiderPolicy
    routes: Annotated[
        list[RiderRoute], doc("With `changed_since`, only those that have changed, and of them likewise.")
    ]
    cursor: Annotated[str, doc("For the next call, as `changed_since`.", "gg")]
    complete: Annotated[bool, doc("Whether everything is listed; false where `changed_since` was understood.")]
    gone_route_ids: Annotated[list[int], doc("Routes that the driver no longer has; the device can forget them.")]
    gone_stop_ids: Annotated[list[int], doc("Stops that are no longer on the driver's routes.")]


class DeclinedRoute(Answer):
    """A route that the driver will not drive."""

    result: bool = True
    route_id: int
    message: str
