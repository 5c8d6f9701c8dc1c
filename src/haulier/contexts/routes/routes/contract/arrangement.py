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
    """The version of a route that the caller knows."""

    route_id: RecordId
    """The route's id."""
    version: Version
    """The version that you know."""


RouteVersions = Annotated[list[RouteVersion], Field(max_length=ROUTES_MAX + 1)]


class MoveStops(Request):
    """Stops to move, and their new place."""

    route_id: RecordId
    """The route to which they go."""
    stop_ids: StopIds
    """The stops, in the order in which they are to follow each other; of routes of one day, the target itself included.
    From another route an order comes whole: the other stop of a pickup and delivery comes along, behind or before."""
    position: Annotated[int, Field(ge=1, le=STOPS_MAX)] | None = None
    """The place of the first of them when all have moved, from 1; the end of the route when left out."""
    expected_versions: RouteVersions = []
    """Versions that you know, of the target and of the routes they come from. One that changed since refuses the call."""


class MergeRoutes(Request):
    """Routes to merge."""

    route_id: RecordId
    """The route that stays. It keeps its name, its driver and its planned start."""
    route_ids: Annotated[list[RecordId], Field(min_length=1, max_length=ROUTES_MAX)]
    """The routes whose stops follow behind, in this order. They are cancelled, and name the route that stays."""
    expected_versions: RouteVersions = []
    """Versions that you know, of any of these routes. One that changed since refuses the call."""


class SplitRoute(VersionedRouteRef):
    """Stops that become a route of their own."""

    stop_ids: StopIds
    """The stops that leave, with the other stop of a pickup and delivery. They keep the order in which they stand."""
    name: Name | None = None
    """What people call the new route."""
    driver_id: DriverId | None = None
    """Its driver, where already known."""


class StopSelection(VersionedRouteRef):
    """Stops of a route."""

    stop_ids: StopIds
    """The stops; one named twice counts once."""


class RoutesAnswer(Answer):
    """The routes that a change was about."""

    result: bool = True
    routes: Annotated[list[RouteDetail], doc("The route that was named first, then the others.")]
