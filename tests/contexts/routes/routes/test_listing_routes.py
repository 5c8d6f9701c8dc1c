"""Route lists: filters, order and pages."""

from tests.support.app import App
from tests.support.transport import make_driver, make_route, status_and_code


async def listed(app: App, who: str = "admin", **words: object) -> list[int]:
    return [route.id for route in (await app.answer(who, "get_routes", words)).routes]


async def test_routes_can_be_filtered_by_day_driver_and_publication(app: App) -> None:
    driver_id = await make_driver(app)
    driven = await make_route(app, driver_id=driver_id)
    free = await make_route(app, published=False)
    later = await make_route(app, day="2026-06-12")
    assert await listed(app, day="2026-06-10") == [free, driven]
    assert await listed(app, unassigned=True) == [later, free]
    assert await listed(app, unassigned=False) == [driven]
    assert await listed(app, published=False) == [free]
    assert await listed(app, published=True, unassigned=True) == [later]
    assert await listed(app, date_from="2026-06-11", date_to="2026-06-12") == [later]


async def test_routes_are_sorted_as_requested(app: App) -> None:
    zoe, amy = await make_driver(app, name="Zoe"), await make_driver(app, name="Amy")
    first = await make_route(app, name="B", driver_id=zoe, planned_start_at="2026-06-10T16:00:00Z")
    second = await make_route(app, name="A", day="2026-06-12", driver_id=amy)
    third = await make_route(app, day="2026-06-11", planned_start_at="2026-06-10T15:00:00Z")
    found = {
        sort: await listed(app, sort=sort)
        for sort in ("latest_day", "earliest_day", "name", "driver", "status", "planned_start")
    }
    assert found == {
        "latest_day": [second, third, first],
        "earliest_day": [first, third, second],
        "name": [second, first, third],
        "driver": [second, first, third],
        "status": [second, first, third],
        "planned_start": [third, first, second],
    }
    assert status_and_code(await app.call("admin", "get_routes", {"sort": "luck"})) == (422, "INVALID_REQUEST")


async def test_paging_lists_every_route_once(app: App) -> None:
    made = [await make_route(app, name="Same") for _ in range(5)]
    pages = [await app.answer("admin", "get_routes", {"sort": "name", "per_page": 2, "page": n}) for n in (1, 2, 3)]
    assert [page.total for page in pages] == [5, 5, 5]
    assert [route.id for page in pages for route in page.routes] == made[::-1]


async def test_a_driver_cannot_find_unpublished_routes_by_filter(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    await make_route(app, driver_id=driver_id, published=False)
    assert await listed(app, who="driver", published=False) == []
