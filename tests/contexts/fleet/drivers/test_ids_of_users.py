"""A user's id in place of a driver's id is refused with the driver's id."""

from typing import Any

from tests.support.app import App

FIELD = "driver_id"


async def fault(app: App, who: str, operation: str, values: dict[str, Any]) -> dict[str, Any]:
    refused = await app.call(who, operation, values)
    assert refused.error
    assert (refused.status, refused.error["code"]) == (404, "NOT_FOUND")
    (found,) = refused.error["errors"]
    assert found["field"] == FIELD
    return found


async def test_the_id_of_a_drivers_user_is_refused_with_the_drivers_id(app: App) -> None:
    made = {"name": "Dana", "user_id": app.ids["driver"]}
    driver = (await app.answer("admin", "create_driver", made)).driver.id
    assert driver != app.ids["driver"]
    wrong = {FIELD: app.ids["driver"]}
    found = await fault(app, "admin", "get_driver_working_profile", wrong)
    assert found["code"] == "USER_ID_FOR_DRIVER"
    assert str(driver) in found["message"]
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = (await app.answer("admin", "create_depot", place)).depot.id
    route = {"name": "North", "day": "2026-06-10", "depot_id": depot, **wrong}
    refused = await app.call("admin", "create_route", route)
    assert refused.error
    assert [(each["field"], each["code"]) for each in refused.error["errors"]] == [(FIELD, "USER_ID_FOR_DRIVER")]
    assert (await fault(app, "contractor", "get_driver_working_profile", wrong))["code"] == "NOT_FOUND"
    assert (await fault(app, "rival", "get_driver_working_profile", wrong))["code"] == "NOT_FOUND"
