"""Small makers: routes of tomorrow that go somewhere, and what they break."""

from typing import Any

from tests.contexts.planning.builds.makers import DEPOT, TOMORROW, make_order_at
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, make_route


def rules(route: Any) -> set[str]:
    """The rules that a route breaks."""
    return {found.rule.value for found in route.findings}


async def make_route_to(app: App, *places: tuple[int, int], driver: str = "Dana", **words: Any) -> int:
    """A route of tomorrow with a driver that visits these places; its id."""
    orders = [await make_order_at(app, north, east) for north, east in places]
    return await make_route(
        app, day=TOMORROW, driver_id=await make_driver(app, user=None, name=driver), order_ids=orders, **words
    )


async def two_routes(app: App) -> tuple[int, int]:
    """One to the north and one to the south."""
    depot_id = await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    north = await make_route_to(app, (5, 0), (10, 0), depot_id=depot_id, driver="Nora")
    return north, await make_route_to(app, (-5, 0), (-10, 0), depot_id=depot_id, driver="Sam")
