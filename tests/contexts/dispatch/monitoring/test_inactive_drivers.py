"""Routes of drivers who are no longer active."""

from tests.support.app import App
from tests.support.transport import DAY, make_driver, make_order, make_route


async def test_a_route_with_a_deactivated_driver_is_an_exception(app: App) -> None:
    driver_id = await make_driver(app)
    route_id = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    assert (await app.answer("admin", "dispatch_exceptions", {"day": DAY})).exceptions == []
    await app.answer("admin", "update_driver", {"driver_id": driver_id, "active": False})
    (found,) = (await app.answer("admin", "dispatch_exceptions", {"day": DAY})).exceptions
    assert (found.kind, found.route_id, found.driver_id) == ("driver_inactive", route_id, driver_id)
