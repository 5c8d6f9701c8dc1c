"""Routes on the board and drivers who look at it."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route


async def make_free_route(app: App, **words: Any) -> int:
    """A route with one order and without a driver; its id."""
    return await make_route(app, order_ids=[await make_order(app)], **words)


async def make_posted_route(app: App, **terms: Any) -> int:
    """A route on the board; its id."""
    route_id = await make_free_route(app)
    await app.answer("admin", "post_route_to_board", {"route_id": route_id, **terms})
    return route_id


async def two_drivers(app: App) -> tuple[int, int]:
    """The roles `driver` and `driver2`, as drivers of the client."""
    return await make_driver(app, user="driver"), await make_driver(app, user="driver2", name="Eve")


async def call_about_route(app: App, who: str, operation: str, route_id: int, **words: Any) -> Any:
    """Call an operation about a route; the outcome."""
    return await app.call(who, operation, {"route_id": route_id, **words})


async def read_board_route(app: App, route_id: int, who: str = "admin") -> Any:
    """A route as it is on the board."""
    return (await app.answer(who, "get_board_route", {"route_id": route_id})).board_route


async def list_board_route_ids(app: App, who: str = "driver", **words: Any) -> list[int]:
    """Return the ids of the routes that a user sees on the board."""
    return [route.route_id for route in (await app.answer(who, "list_route_board", words)).board_routes]


async def list_claim_history(app: App, route_id: int) -> list[tuple[int, str]]:
    """Return the claims of a route with their state, oldest first."""
    claims = (await app.answer("admin", "list_route_claims", {"route_id": route_id})).claims
    return [(claim.driver_id, claim.status.value) for claim in claims[::-1]]
