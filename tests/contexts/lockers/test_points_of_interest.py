"""Locker sites follow their points of interest, which recipients can find."""

from typing import Any

from tests.contexts.lockers.examples import LAYOUT
from tests.contexts.lockers.makers import make_cabinet
from tests.contexts.places.zone_makers import import_and_read
from tests.support.app import App

HERE = {"lat": 43.645, "lng": -79.38}
SHOP: dict[str, Any] = {
    "name": "Front St News",
    "category": "pickup_point",
    "address": "1 Front St W",
    **HERE,
    "opening_hours": "Mo-Fr 08:00-20:00",
}
ALWAYS = "Mo-Su 00:00-24:00"


async def make_point(app: App, **said: Any) -> Any:
    """A point of interest: a shop where parcels wait unless something else is said."""
    return (await app.answer("admin", "create_point_of_interest", {**SHOP, **said})).point_of_interest


async def the_site(app: App, site_id: int) -> Any:
    """A site as it is shown now."""
    return (await app.answer("admin", "get_locker_site", {"site_id": site_id})).site


async def pickup_points(app: App, **asked: Any) -> list[Any]:
    """Return the pickup points near a customer."""
    return list((await app.answer("customer", "find_pickup_points", {**HERE, **asked})).pickup_points)


async def test_a_site_inherits_location_and_hours_from_its_point_of_interest(app: App) -> None:
    point = await make_point(app)
    made = (await app.answer("admin", "create_locker_site", {"point_of_interest_id": point.id})).site
    assert (made.name, made.address, made.lat, made.opening_hours) == (
        "Front St News",
        "1 Front St W",
        43.645,
        point.opening_hours,
    )
    moved = {**SHOP, "point_of_interest_id": point.id, "name": "News", "lat": 43.65, "opening_hours": ALWAYS}
    await app.answer("admin", "update_point_of_interest", moved)
    await app.work_off()
    now = await the_site(app, made.id)
    assert (now.name, now.lat, len(now.opening_hours.weekly)) == ("Front St News", 43.65, 7)
    await app.answer("admin", "delete_point_of_interest", {"point_of_interest_id": point.id})
    await app.work_off()
    left = await the_site(app, made.id)
    assert (left.point_of_interest_id, left.lat) == (None, 43.65)


async def test_a_site_follows_changes_by_an_import(app: App) -> None:
    point = await make_point(app, reference="S1")
    site = (await app.answer("admin", "create_locker_site", {"point_of_interest_id": point.id})).site
    table = b"reference,name,category,lat,lng\nS1,Front St News,pickup_point,43.7,-79.4\n"
    await import_and_read(app, "/v1/points-of-interest/imports", table, "text/csv")
    await app.work_off()
    now = await the_site(app, site.id)
    assert (now.lat, now.lng, now.opening_hours) == (43.7, -79.4, None)


async def test_inherited_fields_cannot_be_set_on_the_site(app: App) -> None:
    point = await make_point(app)
    outcome = await app.call("admin", "create_locker_site", {"point_of_interest_id": point.id, "lat": 1, "lng": 2})
    assert [(fault["field"], fault["code"]) for fault in outcome.error["errors"]] == [
        ("lat", "OF_POINT_OF_INTEREST"),
        ("lng", "OF_POINT_OF_INTEREST"),
    ]
    outcome = await app.call("admin", "create_locker_site", {"name": "Nowhere"})
    assert [fault["code"] for fault in outcome.error["errors"]] == ["SITE_PLACE_NEEDED"]
    outcome = await app.call("admin", "create_locker_site", {"point_of_interest_id": 10**6})
    assert outcome.status == 404
    own = (await app.answer("admin", "create_locker_site", {"name": "Hall B", **HERE})).site
    linked = {"site_id": own.id, "point_of_interest_id": point.id}
    assert (await app.answer("admin", "update_locker_site", linked)).site.address == "1 Front St W"
    outcome = await app.call("admin", "update_locker_site", {"site_id": own.id, "opening_hours": ALWAYS})
    assert [fault["field"] for fault in outcome.error["errors"]] == ["opening_hours"]
    noted = await app.answer("admin", "update_locker_site", {"site_id": own.id, "access_notes": "Left of the till"})
    assert noted.site.access_notes == "Left of the till"


async def test_customers_find_counters_and_lockers_nearest_first(app: App) -> None:
    near = await make_point(app, lat=43.646)
    far = await make_point(app, lat=43.66, name="Far", opening_hours=None)
    await make_point(app, category="dock", name="Dock 4")
    cabinet = await make_cabinet(app, LAYOUT, lat=43.65)
    found = [(each.kind, each.point_of_interest_id or each.locker_site_id) for each in await pickup_points(app)]
    assert found == [("counter", near.id), ("locker", cabinet.site_id), ("counter", far.id)]
    assert [each.kind for each in await pickup_points(app, kind="locker", size="m")] == ["locker"]
    assert await pickup_points(app, kind="locker", size="xl") == []
    assert [each.point_of_interest_id for each in await pickup_points(app, kind="counter", limit=1)] == [near.id]
    assert [each.open_now for each in await pickup_points(app, kind="counter")][1] is None
    sunday = await pickup_points(app, open_at="2026-06-14T16:00:00Z")
    assert [each.locker_site_id for each in sunday] == [cabinet.site_id]


async def test_a_counter_with_lockers_is_listed_as_a_locker_site(app: App) -> None:
    point = await make_point(app)
    site = (await app.answer("admin", "create_locker_site", {"point_of_interest_id": point.id})).site
    await app.answer("admin", "add_locker_cabinet", {"site_id": site.id, "code": "A", "layout": LAYOUT})
    assert [(each.kind, each.free) for each in await pickup_points(app)] == [("locker", 3)]
