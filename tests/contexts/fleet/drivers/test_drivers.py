"""Drivers and depots, over the database."""

from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_depot, make_driver, status_and_code


async def names(app: App, who: str, **words: object) -> list[str]:
    return [driver.name for driver in (await app.answer(who, "get_drivers", words)).drivers]


@for_every(
    ("operation", "body", "refused"),
    [
        ("get_drivers", {}, ["customer"]),
        ("get_driver", {"driver_id": 1}, ["customer"]),
        ("create_driver", {"name": "Dan"}, ["customer", "driver"]),
        ("update_driver", {"driver_id": 1}, ["customer", "driver"]),
        ("list_depots", {}, ["customer"]),
        ("create_depot", {"name": "D", "address": "A", "lat": 0.0, "lng": 0.0}, ["customer", "driver", "contractor"]),
        ("close_depot", {"depot_id": 1}, ["customer", "driver", "contractor"]),
    ],
)
async def test_unauthorized_accounts_are_refused(
    app: App, operation: str, body: dict[str, object], refused: list[str]
) -> None:
    assert status_and_code(await app.call(None, operation, body)) == (401, "UNAUTHENTICATED")
    for who in refused:
        assert status_and_code(await app.call(who, operation, body)) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_a_driver_is_returned_as_written(app: App) -> None:
    driver_id = await make_driver(app, user="driver", phone="+1 416", vehicle="Van", skills=["cold", "lift"])
    driver = (await app.answer("driver", "get_driver", {"driver_id": driver_id})).driver
    assert (driver.name, driver.phone, driver.vehicle, driver.skills) == ("Dan", "+1 416", "Van", ["cold", "lift"])
    assert (driver.active, driver.user_id, driver.contractor_id) == (True, app.ids["driver"], None)


async def test_drivers_can_be_filtered_by_name_phone_skill_and_owner(app: App) -> None:
    await make_driver(app, name="Zoe 100%", phone="555-1", skills=["cold_chain"])
    await make_driver(app, who="contractor", name="Ann")
    assert await names(app, "employee") == ["Ann", "Zoe 100%"]
    assert await names(app, "employee", search="100%") == ["Zoe 100%"]
    assert await names(app, "employee", search="0_%") == []
    assert await names(app, "employee", search="555") == ["Zoe 100%"]
    assert await names(app, "employee", skill="cold_chain") == ["Zoe 100%"]
    assert await names(app, "employee", skill="cold") == []
    assert await names(app, "employee", own=True) == ["Zoe 100%"]
    assert await names(app, "employee", contractor_id=app.ids["contractor"]) == ["Ann"]


async def test_users_see_only_their_own_drivers(app: App) -> None:
    ours, hers = (
        await make_driver(app, user="driver", name="Ours"),
        await make_driver(app, who="contractor", name="Hers"),
    )
    assert await names(app, "contractor", contractor_id=app.ids["contractor2"]) == ["Hers"]
    assert await names(app, "contractor2") == []
    assert await names(app, "driver") == ["Ours"]
    assert await names(app, "rival") == []
    for who, driver_id in (("rival", ours), ("contractor2", hers), ("contractor", ours), ("driver", hers)):
        assert status_and_code(await app.call(who, "get_driver", {"driver_id": driver_id})) == (404, "NOT_FOUND")
    for who, driver_id in (("rival", ours), ("contractor2", hers), ("contractor", ours)):
        body = {"driver_id": driver_id, "name": "Mine"}
        assert status_and_code(await app.call(who, "update_driver", body)) == (404, "NOT_FOUND")


async def test_a_driver_created_by_a_contractor_belongs_to_the_contractor(app: App) -> None:
    driver_id = await make_driver(app, who="contractor", contractor_id=app.ids["contractor2"])
    driver = (await app.answer("admin", "get_driver", {"driver_id": driver_id})).driver
    assert driver.contractor_id == app.ids["contractor"]


async def test_only_a_driver_account_of_the_client_can_be_linked_and_only_once(app: App) -> None:
    await make_driver(app, user="driver")
    asked = {"name": "Dan", "user_id": app.ids["driver"]}
    assert status_and_code(await app.call("admin", "create_driver", asked)) == (409, "DRIVER_USER_TAKEN")
    assert status_and_code(await app.call("contractor", "create_driver", {**asked, "user_id": app.ids["driver2"]})) == (
        422,
        "INVALID_REQUEST",
    )
    for who in ("customer", "rival_driver"):
        assert status_and_code(await app.call("admin", "create_driver", {**asked, "user_id": app.ids[who]})) == (
            422,
            "INVALID_REQUEST",
        )


async def test_only_named_fields_are_updated(app: App) -> None:
    driver_id = await make_driver(app, user="driver", phone="+1 416", skills=["cold"])
    changed = (
        await app.answer("admin", "update_driver", {"driver_id": driver_id, "skills": ["lift"], "active": False})
    ).driver
    assert (changed.name, changed.phone, changed.skills, changed.active) == ("Dan", "+1 416", ["lift"], False)
    assert await names(app, "admin", skill="lift", active=False) == ["Dan"]
    cleared = (
        await app.answer("admin", "update_driver", {"driver_id": driver_id, "phone": None, "user_id": None})
    ).driver
    assert (cleared.phone, cleared.user_id, cleared.skills) == (None, None, ["lift"])


async def test_a_contractor_cannot_unlink_an_account(app: App) -> None:
    driver_id = await make_driver(app, user="driver", contractor_id=app.ids["contractor"])
    body = {"driver_id": driver_id, "user_id": None}
    assert status_and_code(await app.call("contractor", "update_driver", body)) == (422, "INVALID_REQUEST")


async def test_a_closed_depot_stays_readable_and_is_not_listed(app: App) -> None:
    depot_id = await make_depot(app)
    moved = (await app.answer("employee", "update_depot", {"depot_id": depot_id, "address": "2 Front St"})).depot
    assert (moved.name, moved.address, moved.lat) == ("Main depot", "2 Front St", 43.64)
    assert (await app.answer("admin", "close_depot", {"depot_id": depot_id})).depot.closed
    assert (await app.answer("driver", "list_depots")).total == 0
    assert (await app.answer("driver", "list_depots", {"closed": True})).total == 1
    for operation in ("get_depot", "update_depot", "close_depot"):
        assert status_and_code(await app.call("rival", operation, {"depot_id": depot_id})) == (404, "NOT_FOUND")
    body = {"day": "2026-06-10", "depot_id": depot_id}
    assert status_and_code(await app.call("admin", "create_route", body)) == (422, "INVALID_REQUEST")
