"""The line of a route leads from the depot over its stops and back."""

from itertools import pairwise
from typing import Any, cast

from tests.support.app import App
from tests.support.transport import make_order, make_route

from haulier.contexts.routes.ports import RoadLine, RoadShapes
from haulier.solvers.routing.travel import TravelMode


class Roads:
    """Roads that make a detour over one point, by bicycle alone."""

    async def lines(self, places: Any, mode: TravelMode = TravelMode.VAN) -> list[RoadLine | None]:
        if mode is not TravelMode.BICYCLE:
            return [None] * (len(places) - 1)
        return [
            RoadLine(points=((start[1], start[0]), (-79.4, 43.7), (end[1], end[0])), distance_m=900, duration_s=120)
            for start, end in pairwise(places)
        ]


async def test_a_route_follows_roads_by_vehicle_or_is_a_straight_line_without_them(app: App) -> None:
    cast(dict[type, Any], app.application.adapters)[RoadShapes] = Roads()
    route_id = await make_route(app, order_ids=[await make_order(app), await make_order(app)])
    straight = await app.answer("admin", "get_route_shape", {"route_id": route_id})
    assert [leg.along_road for leg in straight.legs] == [False] * 3
    assert [leg.stop_id is None for leg in straight.legs] == [False, False, True]
    assert straight.legs[0].coordinates[0] == straight.legs[-1].coordinates[-1]
    ridden = await app.answer("admin", "get_route_shape", {"route_id": route_id, "mode": "bicycle"})
    assert (ridden.distance_m, [leg.duration_s for leg in ridden.legs]) == (2700, [120] * 3)
    assert ridden.legs[0].coordinates[1] == [-79.4, 43.7]


async def test_a_foreign_route_has_no_shape(app: App) -> None:
    route_id = await make_route(app, order_ids=[await make_order(app)])
    assert (await app.call("rival", "get_route_shape", {"route_id": route_id})).status == 404
