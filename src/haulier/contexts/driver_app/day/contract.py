"""What goes in and out while a driver is on a route: the day, an answer to a route, scans, proof at the door."""

from datetime import date, datetime
from typing import Annotated

from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.driver_app.scans.contract import ScannedOrder
from haulier.contexts.routes.routes.contract.routes import (
    ReportRouteEvent,
    RouteDetail,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import Reason


class AnswerRoute(ReportRouteEvent):
    """A driver's answer to a route they were given."""

    reason: Reason | None = None
    """Why not, where the route is declined."""


class RiderRoute(Answer):
    """A route as its driver's app shows it."""

    route: RouteDetail
    answer: Annotated[str | None, doc("What the driver said to it: accepted, or null for nothing yet.")]
    answered_at: datetime | None
    scanned: list[ScannedOrder]


class RiderRouteAnswer(Answer):
    """One route of the driver's."""

    result: bool = True
    route: RiderRoute


class RiderDay(Answer):
    """Everything that a driver's app needs on opening."""

    result: bool = True
    day: date
    driver_id: int
    driver_name: str
    available: Annotated[bool, doc("Whether orders on demand are offered to the driver.")]
    policy: RiderPolicy
    routes: list[RiderRoute]


class DeclinedRoute(Answer):
    """A route that the driver will not drive."""

    result: bool = True
    route_id: int
    message: str
