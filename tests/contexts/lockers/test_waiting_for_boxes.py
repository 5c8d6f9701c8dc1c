"""Orders queue for compartments of a site and get free ones in order."""

import asyncio
from typing import Any

from tests.contexts.lockers.makers import (
    Cabinet,
    deposited,
    make_cabinet,
    make_order_for,
    parcel_now,
    refusal,
    reserved,
)
from tests.support.app import App
from tests.support.transport import make_contact, make_order, make_started_route, order_row

from haulier.contexts.lockers.deliveries.jobs import serve_queue, sweep_queues
from haulier.contexts.lockers.deliveries.rules import QueueAtSite
from haulier.kernel.job_run import JobRun

ONE_BOX = [{"size": "s", "count": 1}]


async def waiting_for(app: App, cabinet: Cabinet, **terms: Any) -> int:
    """An order that waits for a box; its id."""
    return await make_order_for(app, cabinet, wait=True, **terms)


async def delivery_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_locker_delivery", {"order_id": order_id})).delivery


async def statuses_of(app: App, *orders: int) -> list[str]:
    return [(await delivery_of(app, order_id)).status for order_id in orders]


async def freed(app: App, parcel_id: int) -> None:
    """A reservation is given up, and all that follows is done."""
    await app.answer("admin", "cancel_locker_reservation", {"locker_parcel_id": parcel_id})
    await app.work_off()


async def test_an_order_gets_the_first_free_compartment_and_is_delivered_home_until_then(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX, address="65 Front St W")
    taken = await reserved(app, cabinet.site_id)
    order_id = await waiting_for(app, cabinet)
    waits = await delivery_of(app, order_id)
    assert (waits.status, waits.waiting_before, waits.locker_parcel_id) == ("waiting", 0, None)
    assert waits.waiting_since == app.clock()
    assert (await order_row(app, order_id)).consignee["address"] == make_contact()["address"]
    await freed(app, taken.id)
    has_box = await delivery_of(app, order_id)
    assert (has_box.status, has_box.box, has_box.waiting_since, has_box.waiting_before) == ("planned", 1, None, None)
    assert (await parcel_now(app, has_box.locker_parcel_id)).order_id == order_id
    assert (await order_row(app, order_id)).consignee["address"] == "65 Front St W"


async def test_the_longest_waiting_order_is_first_and_a_repeat_keeps_its_place(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    taken = await reserved(app, cabinet.site_id)
    first, second = await waiting_for(app, cabinet), await waiting_for(app, cabinet)
    app.clock.forward(minutes=1)
    await app.answer("admin", "deliver_to_locker", {"order_id": first, "site_id": cabinet.site_id, "wait": True})
    assert [(await delivery_of(app, each)).waiting_before for each in (first, second)] == [0, 1]
    await freed(app, taken.id)
    assert await statuses_of(app, first, second) == ["planned", "waiting"]
    listed = await app.answer("admin", "list_locker_deliveries", {"status": "waiting"})
    assert [each.order_id for each in listed.deliveries] == [second]


async def test_freed_compartments_go_to_waiting_orders_before_new_ones(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    taken = await reserved(app, cabinet.site_id)
    waits, late = await waiting_for(app, cabinet), await make_order(app, consignee=make_contact())
    await app.answer("admin", "cancel_locker_reservation", {"locker_parcel_id": taken.id})
    asked = {"order_id": late, "site_id": cabinet.site_id}
    assert await refusal(app, "admin", "deliver_to_locker", asked) == (409, "NO_FREE_BOX")
    await app.answer("admin", "deliver_to_locker", {**asked, "wait": True})
    await app.work_off()
    assert await statuses_of(app, waits, late) == ["planned", "waiting"]


async def test_a_small_parcel_does_not_wait_behind_one_that_needs_a_large_compartment(app: App) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 2}, {"size": "l", "count": 1}])
    taken = await reserved(app, cabinet.site_id, size="l")
    large, small = await waiting_for(app, cabinet, size="l"), await waiting_for(app, cabinet)
    assert await statuses_of(app, large, small) == ["waiting", "planned"]
    low = await waiting_for(app, cabinet, size="m")
    await app.answer("admin", "cancel_locker_delivery", {"order_id": small})
    await app.work_off()
    assert await statuses_of(app, large, low) == ["waiting", "waiting"]
    await freed(app, taken.id)
    assert await statuses_of(app, large, low) == ["planned", "waiting"]


async def test_orders_cannot_wait_for_sizes_the_site_does_not_have(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    asked = {"order_id": await make_order(app, consignee=make_contact()), "site_id": cabinet.site_id, "wait": True}
    assert await refusal(app, "admin", "deliver_to_locker", {**asked, "size": "xl"}) == (409, "NO_FREE_BOX")
    assert await refusal(app, "admin", "deliver_to_locker", {**asked, "low": True}) == (409, "NO_FREE_BOX")
    await app.answer("admin", "update_locker_site", {"site_id": cabinet.site_id, "retired": True})
    assert await refusal(app, "admin", "deliver_to_locker", asked) == (409, "NO_FREE_BOX")


async def test_compartments_freed_otherwise_are_assigned_within_a_minute(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    await reserved(app, cabinet.site_id)
    order_id = await waiting_for(app, cabinet)
    await app.work_off()
    more = {"site_id": cabinet.site_id, "code": "B", "layout": ONE_BOX}
    await app.answer("admin", "add_locker_cabinet", more)
    await sweep_queues.handler(app.application)
    await app.work_off()
    assert (await delivery_of(app, order_id)).cabinet == "B"


async def test_repaired_and_emptied_compartments_are_assigned(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet)
    boxes = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes
    broken = next(box.id for box in boxes if box.number != parcel.box)
    await app.answer("admin", "update_locker_box", {"box_id": broken, "state": "disabled"})
    orders = [await waiting_for(app, cabinet), await waiting_for(app, cabinet)]
    await app.answer("admin", "update_locker_box", {"box_id": broken, "state": "ready"})
    await app.work_off()
    assert await statuses_of(app, *orders) == ["planned", "waiting"]
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": parcel.id}, confirmed=True)
    await cabinet.does()
    await app.work_off()
    assert await statuses_of(app, *orders) == ["planned", "planned"]


async def test_an_order_out_for_delivery_stops_waiting_and_stays_on_its_route(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    taken = await reserved(app, cabinet.site_id)
    order_id, behind = await waiting_for(app, cabinet), await waiting_for(app, cabinet)
    route = await make_started_route(app, [order_id])
    await freed(app, taken.id)
    ended = await delivery_of(app, order_id)
    assert (ended.status, ended.fell_back_because, ended.waiting_since) == ("fallen_back", "no_free_box", None)
    assert await statuses_of(app, behind) == ["planned"]
    stop = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_deliver", {**stop, "recipient": "Ada"})
    assert (await order_row(app, order_id)).status == 6


async def test_an_order_stops_waiting_when_it_is_cancelled_or_its_site_is_retired(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    await reserved(app, cabinet.site_id)
    cancelled, left, given_up = [await waiting_for(app, cabinet) for _ in range(3)]
    await app.answer("admin", "cancel_locker_delivery", {"order_id": given_up})
    await app.answer("admin", "cancel_order", {"order_id": cancelled}, confirmed=True)
    await app.answer("admin", "update_locker_site", {"site_id": cabinet.site_id, "retired": True})
    before_it_is_told = JobRun(app.application, app.clients["demo"], 0, 1)
    await serve_queue.handler(before_it_is_told, QueueAtSite(cabinet.site_id))
    await app.work_off()
    assert await statuses_of(app, cancelled, left, given_up) == ["cancelled", "fallen_back", "cancelled"]
    assert (await delivery_of(app, left)).fell_back_because == "site_retired"


async def test_an_order_that_releases_a_compartment_to_wait_elsewhere_is_delivered_home_meanwhile(app: App) -> None:
    cabinet, full = await make_cabinet(app, ONE_BOX, address="65 Front St W"), await make_cabinet(app, ONE_BOX)
    await reserved(app, full.site_id)
    order_id = await make_order_for(app, cabinet)
    await app.answer("admin", "deliver_to_locker", {"order_id": order_id, "site_id": full.site_id, "wait": True})
    assert (await order_row(app, order_id)).consignee["address"] == make_contact()["address"]
    assert (await reserved(app, cabinet.site_id)).box == 1


async def test_compartments_freed_concurrently_are_each_assigned_to_one_waiting_order(app: App) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 4}])
    taken = [await reserved(app, cabinet.site_id) for _ in range(4)]
    orders = [await waiting_for(app, cabinet) for _ in range(6)]
    ends = [app.answer("admin", "cancel_locker_reservation", {"locker_parcel_id": each.id}) for each in taken]
    await asyncio.gather(*ends)
    await app.work_off()
    assert await statuses_of(app, *orders) == ["planned"] * 4 + ["waiting"] * 2
    assert {(await delivery_of(app, each)).box for each in orders[:4]} == {1, 2, 3, 4}
