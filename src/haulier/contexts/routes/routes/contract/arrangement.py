"""What goes in and out when stops move between routes, and when routes are merged, split, locked and published."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.routes.routes.contract.routes import STOPS_MAX, RouteDetail, StopIds, Version, VersionedRouteRef
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.operations.ids import DriverId

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
    """Stops to change. Repeated ids count once."""


class RoutesAnswer(Answer):
    """Routes affected by a change."""

    result: bool = True
    routes: Annotated[list[RouteDetail], doc("Affected routes, the requested one first.")]
