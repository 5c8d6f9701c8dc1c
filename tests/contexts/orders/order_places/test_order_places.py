"""Locating of orders without coordinates, and the queue of unlocated ones."""

from typing import Any

from tests.adapters.fake_geocoder import HOUSE, run_geocoder
from tests.contexts.places.makers import CSV
from tests.support.app import App

from haulier.adapters.geocoders import geocoder_for
from haulier.contexts.places.geocoding.actions import import_open_data
from haulier.contexts.places.ports import Geocoder

QUEEN = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
NOWHERE = {**QUEEN, "address": "9 Unknown Rd"}


async def make_order(app: App, consignee: dict[str, Any] = QUEEN, **more: Any) -> int:
    """An order that the background has seen."""
    order = (await app.answer("admin", "create_order", {"consignee": consignee, **more})).order
    await app.work_off()
    return order.id


async def place_of(app: App, order_id: int) -> tuple[float | None, float | None]:
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.consignee.lat, order.consignee.lng) == (order.lat, order.lng)
    return order.lat, order.lng


async def queue(app: App, who: str = "admin") -> list[Any]:
    return (await app.answer(who, "list_unplaced_orders")).orders


async def test_an_order_gets_the_coordinates_of_its_address(app: App) -> None:
    await import_open_data(app.database, CSV.splitlines(keepends=True), source="file", country="CA")
    assert await place_of(app, await make_order(app)) == (43.6534, -79.3841)
    assert await queue(app) == []


async def test_an_order_is_never_placed_at_the_centre_of_its_town(app: App) -> None:
    order_id = await make_order(app, NOWHERE)
    assert await place_of(app, order_id) == (None, None)
    (waiting,) = await queue(app)
    assert (waiting.order_id, waiting.reason, waiting.quality, waiting.lat) == (order_id, "rough", "town", 43.706)
    await make_order(app, {**NOWHERE, "city": "Atlantis"})
    assert [each.reason for each in await queue(app)] == ["rough", "unknown"]
    assert await queue(app, "rival") == []


async def test_a_manual_pin_applies_to_the_order_and_later_orders_to_the_address(app: App) -> None:
    order_id = await make_order(app, NOWHERE)
    await app.answer("admin", "set_order_location", {"order_id": order_id, "lat": 43.6, "lng": -79.3})
    assert await place_of(app, order_id) == (43.6, -79.3)
    assert await queue(app) == []
    assert await place_of(app, await make_order(app, {**NOWHERE, "address": "9 unknown road"})) == (43.6, -79.3)


async def test_an_order_is_geocoded_again_when_its_address_is_completed(app: App) -> None:
    order_id = await make_order(app)
    assert not (await app.answer("admin", "locate_order", {"order_id": order_id})).result
    await import_open_data(app.database, CSV.splitlines(keepends=True), source="file", country="CA")
    assert (await app.answer("admin", "locate_order", {"order_id": order_id})).result
    assert await place_of(app, order_id) == (43.6534, -79.3841)
    assert await queue(app) == []


async def test_a_finished_order_leaves_the_queue(app: App) -> None:
    order_id = await make_order(app, NOWHERE)
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    assert await queue(app) == []


async def test_a_pin_set_in_the_meantime_is_kept(app: App) -> None:
    await import_open_data(app.database, CSV.splitlines(keepends=True), source="file", country="CA")
    order = (await app.answer("admin", "create_order", {"consignee": QUEEN})).order
    await app.answer("admin", "set_order_location", {"order_id": order.id, "lat": 43.6, "lng": -79.3})
    await app.work_off()
    assert await place_of(app, order.id) == (43.6, -79.3)


async def test_an_order_with_coordinates_needs_no_geocoding_job(app: App) -> None:
    order = {"consignee": {**QUEEN, "lat": 43.65, "lng": -79.38}}
    result = await app.answer("admin", "create_order", order, dry_run=True)
    assert "orders.locate" not in str(result)
    jobs = await app.answer("admin", "create_order", order)
    assert jobs.order.lat == 43.65
    async with app.database.read(None) as work:
        from sqlalchemy import select

        from haulier.kernel.background.job_table import job_table

        kinds = [row.kind for row in await work.all(select(job_table.c.kind))]
    assert "orders.locate" not in kinds


async def test_an_address_is_geocoded_once(app: App) -> None:
    with run_geocoder() as server:
        adapters: Any = app.application.adapters
        adapters[Geocoder] = geocoder_for(f"photon+{server.url}?per_second=1000")
        for _ in range(2):
            assert await place_of(app, await make_order(app)) == HOUSE
        assert len(server.asked) == 1


async def test_an_unavailable_geocoder_is_retried_later(app: App) -> None:
    with run_geocoder() as server:
        adapters: Any = app.application.adapters
        adapters[Geocoder] = geocoder_for(f"pelias+{server.url}?per_second=1000")
        server.status = 503
        order_id = await make_order(app)
        assert await place_of(app, order_id) == (None, None)
        server.status = None
        app.clock.forward(minutes=5)
        await app.work_off()
        assert await place_of(app, order_id) == HOUSE
