"""Locker sites are found by location, size, height and hours until retired."""

from tests.contexts.lockers.makers import make_cabinet, refusal, reserved
from tests.support.app import App

HERE = {"lat": 43.645, "lng": -79.38}


async def test_sites_can_be_filtered_by_distance_size_height_and_hours(app: App) -> None:
    near = await make_cabinet(app, [{"size": "s", "count": 1}, {"size": "l", "count": 1, "low": True}])
    far = await make_cabinet(app, lat=43.7, opening_hours="Mo-Su 20:00-21:00")

    async def found(**asked: object) -> list[int]:
        return [site.id for site in (await app.answer("customer", "find_locker_sites", {**HERE, **asked})).sites]

    assert await found() == [near.site_id, far.site_id]
    assert await found(radius_m=1000) == [near.site_id]
    assert await found(size="m") == [near.site_id]
    assert await found(low=True) == [near.site_id]
    assert await found(open_now=True) == [near.site_id]
    assert await found(size="xl") == []
    await app.answer("admin", "update_locker_site", {"site_id": near.site_id, "retired": True})
    assert await found() == [far.site_id]
    asked = {"site_id": near.site_id, "recipient": {"name": "Ada"}}
    assert await refusal(app, "admin", "reserve_locker_box", asked) == (409, "NO_FREE_BOX")
    await app.answer("admin", "update_locker_site", {"site_id": near.site_id, "retired": False})
    assert (await reserved(app, near.site_id, size="m")).box == 2
    shown = (await app.answer("admin", "get_locker_site", {"site_id": near.site_id})).site
    assert [(each.size, each.boxes, each.free) for each in shown.free] == [("s", 1, 1), ("l", 1, 0)]


async def test_hours_without_a_time_zone_can_be_updated_and_read(app: App) -> None:
    cabinet = await make_cabinet(app)
    hours = {"site_id": cabinet.site_id, "opening_hours": "Sa 08:00-12:00"}
    changed = (await app.answer("admin", "update_locker_site", hours)).site.opening_hours
    assert (changed.time_zone, changed.weekly[0].weekdays, changed.exceptions) == (None, [6], [])
    found = (await app.answer("customer", "find_locker_sites", HERE)).sites
    assert [(site.id, site.open_now) for site in found] == [(cabinet.site_id, False)]


async def test_a_device_opens_doors_of_one_locker_and_codes_differ_between_lockers(app: App) -> None:
    cabinet = await make_cabinet(app)
    more = {"site_id": cabinet.site_id, "code": "B", "layout": [{"size": "s", "count": 1}]}
    taken = {**more, "device_id": cabinet.device_id}
    assert await refusal(app, "admin", "add_locker_cabinet", taken) == (409, "LOCKER_DEVICE_TAKEN")
    second = (await app.answer("admin", "add_locker_cabinet", more)).cabinet
    assert await refusal(app, "admin", "add_locker_cabinet", more) == (409, "CABINET_CODE_TAKEN")
    given = {"cabinet_id": second.id, "device_id": cabinet.device_id}
    assert await refusal(app, "admin", "update_locker_cabinet", given) == (409, "LOCKER_DEVICE_TAKEN")
