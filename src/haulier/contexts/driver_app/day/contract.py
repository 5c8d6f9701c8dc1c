"""Request and response models for a driver's day and the answers to its routes."""

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
    """Part of the day to return."""

    changed_since: Annotated[str, Field(max_length=CURSOR_MAX, pattern=r"^[A-Za-z0-9_-]+$")] | None = Field(
        default=None, examples=["gg"]
    )
    """`cursor` of an earlier answer. Only later changes are returned. Default: the whole day."""


class AnswerRoute(ReportRouteEvent):
    """A driver's answer to a route they were given."""

    reason: Reason | None = None
    """Reason for declining the route."""


class RiderStop(RouteStop):
    """A stop with everything that its driver needs at the door."""

    handover: Annotated[Handover | None, doc("Goods, contact and required proof of the stop.")]


class RiderRouteDetail(RouteSummary):
    """A route with its stops, in the order of visit."""

    stops: Annotated[list[RiderStop], doc("Stops of the route. With `changed_since`, only those that changed.")]
    allowed_actions: Annotated[list[RouteAction], doc("Actions available to the caller now.")]


class RiderRoute(Answer):
    """A route as its driver's app shows it."""

    route: RiderRouteDetail
    answer: Annotated[str | None, doc("Driver's answer: accepted, or null without an answer.")]
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
    available: Annotated[bool, doc("True if on-demand orders are offered to the driver.")]
    policy: RiderPolicy
    routes: Annotated[
        list[RiderRoute], doc("Routes of the day. With `changed_since`, only changed routes, with their changed stops.")
    ]
    cursor: Annotated[str, doc("Value of `changed_since` for the next call.", "gg")]
    complete: Annotated[bool, doc("True if everything is listed; false if only changes are.")]
    gone_route_ids: Annotated[list[int], doc("Routes that the driver no longer has. Devices can delete them.")]
    gone_stop_ids: Annotated[list[int], doc("Stops that are no longer on the driver's routes.")]


class DeclinedRoute(Answer):
    """A route that the driver will not drive."""

    result: bool = True
    route_id: int
    message: str
