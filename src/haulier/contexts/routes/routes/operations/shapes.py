"""Operations on routes: their lines along roads."""

from collections.abc import Sequence
from itertools import pairwise

from haulier.contexts.fleet.public import get_depot_row
from haulier.contexts.routes.ports import RoadLine, RoadShapes
from haulier.contexts.routes.routes.contract import GetRouteShape, RouteShape, RouteShapeLeg
from haulier.contexts.routes.routes.queries import get_visible_route, route_travel_mode
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.stops.rules import StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import STAFF, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.geography import LatLng, great_circle_m

DIGITS = 6


@reads(
    "get_route_shape",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/routes/{route_id}/shape"), GraphQL("routeShape")),
)
async def get_route_shape(call: Call, request: GetRouteShape) -> RouteShape:
    """Get the line of a route.

    The line follows the roads from the depot over all stops with a location and back. Cancelled stops are left out.
    Legs outside installed map regions are straight.
    """
    row = await get_visible_route(call, request.route_id)
    route, depot = await load_route_detail(call, row.id), await get_depot_row(call, row.depot_id)
    visited = [stop for stop in route.stops if stop.status != StopStatus.CANCELLED]
    places = [(stop.id, (stop.lat, stop.lng)) for stop in visited if stop.lat is not None and stop.lng is not None]
    mode = request.mode or route_travel_mode(row)
    if depot is None or not places:
        return RouteShape(route_id=row.id, mode=mode, distance_m=0, legs=[])
    home = (depot.lat, depot.lng)
    points = [home, *(place for _, place in places), home]
    lines = await call.adapter(RoadShapes).lines(points, mode)
    ends: Sequence[int | None] = [*(stop_id for stop_id, _ in places), None]
    legs = [
        _leg(stop_id, start, end, line)
        for stop_id, (start, end), line in zip(ends, pairwise(points), lines, strict=True)
    ]
    return RouteShape(route_id=row.id, mode=mode, distance_m=sum(leg.distance_m for leg in legs), legs=legs)


def _leg(stop_id: int | None, start: LatLng, end: LatLng, line: RoadLine | None) -> RouteShapeLeg:
    if line is None:
        return RouteShapeLeg(
            stop_id=stop_id,
            along_road=False,
            distance_m=round(great_circle_m(start, end)),
            duration_s=None,
            coordinates=[[lng, lat] for lat, lng in (start, end)],
        )
    return RouteShapeLeg(
        stop_id=stop_id,
        along_road=True,
        distance_m=line.distance_m,
        duration_s=line.duration_s,
        coordinates=[[round(lng, DIGITS), round(lat, DIGITS)] for lng, lat in line.points],
    )
