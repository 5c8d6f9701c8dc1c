"""Deliveries to lockers: reserved, opened by the driver, collected, or redirected."""

import asyncio
import re
from typing import Any

from tests.contexts.driver_app.makers import make_policy
from tests.contexts.lockers.makers import Cabinet, make_cabinet, make_order_for, parcel_now, refusal, reserved
from tests.support.app import App
from tests.support.transport import make_contact, make_order, make_started_route, order_row

from haulier.contexts.identity.ports import Mailer

HOME = make_contact(email="ada@example.com")
ONE_BOX = [{"size": "s", "count": 1}]


async def sent_to_locker(app: App, cabinet: Cabinet, **terms: Any) -> int:
    """An order of Ada's that goes into a locker; its id."""
    return await make_order_for(app, cabinet, consignee=HOME, **terms)


async def in_front_of(app: App, cabinet: Cabinet, **terms: Any) -> tuple[int, dict[str, Any]]:
    """An order for a locker, and the stop of the driver at the locker."""
    order_id = await sent_to_locker(app, cabinet, **terms)
    route = await make_started_route(app, [order_id])
    return order_id, {"route_id": route.id, "stop_id": route.stops[0].id}


async def delivery_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_locker_delivery", {"order_id": order_id})).delivery


async def locker_of(app: App) -> Any:
    """Return the locker of the driver's only stop, as shown in their day."""
    (day,) = (await app.answer("driver", "get_rider_day")).routes
    return day.route.stops[0].handover.locker


async def codes_of(app: App, order_id: int) -> list[str]:
    """Return the tracking codes of an order, oldest first."""
    number = (await order_row(app, order_id)).tracking_number
    timeline = (await app.answer("admin", "otep_tracking", {"tracking_number": number})).data
    return [event.status_code for event in timeline.events]


async def fill_up(app: App, site_id: int) -> None:
    await reserved(app, site_id)


async def test_an_order_is_stored_in_a_locker_until_its_recipient_collects_it(app: App) -> None:
    cabinet = await make_cabinet(app, address="65 Front St W")
    order_id, stop = await in_front_of(app, cabinet)
    (day,) = (await app.answer("driver", "get_rider_day")).routes
    shown = day.route.stops[0].handover
    assert (shown.locker.cabinet, shown.locker.box, shown.locker.status) == ("A", 1, "planned")
    assert (shown.contact.name, shown.contact.address) == ("Ada Lovelace", "65 Front St W")
    door = await app.answer("driver", "rider_open_locker", stop)
    again = await app.answer("driver", "rider_open_locker", stop)
    assert (door.command.status, again.command.id) == ("queued", door.command.id)
    await cabinet.does()
    assert (await app.answer("driver", "rider_open_locker", stop)).delivery.status == "deposited"
    await app.answer("driver", "rider_deliver", stop)
    assert (await order_row(app, order_id)).status == 5
    await app.work_off()
    letter = next(mail for mail in app.application.adapter(Mailer).mails if re.search(r"\b\d{8}\b", mail.text))
    code = re.search(r"\b\d{8}\b", letter.text)
    assert code
    verdict = await cabinet.says("present_locker_code", code=code[0])
    await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    assert (await order_row(app, order_id)).status == 6
    assert (await delivery_of(app, order_id)).status == "collected"
    told = await codes_of(app, order_id)
    steps = ["compartment_reserved", "deposited", "retrieval_code_sent", "collected"]
    assert set(told) >= set(steps)
    await app.answer("driver", "finish_route", {"route_id": stop["route_id"]})


async def test_a_stuck_door_opens_another_compartment_and_then_a_nearby_site(app: App) -> None:
    cabinet, other = await make_cabinet(app), await make_cabinet(app, lat=43.65)
    await make_cabinet(app, lat=43.646, opening_hours="Mo-Su 22:00-23:00")  # nearer, and closed now
    order_id, stop = await in_front_of(app, cabinet)
    boxes: list[int | None] = []
    for _ in range(2):
        await app.answer("driver", "rider_open_locker", stop)
        boxes.append((await delivery_of(app, order_id)).box)
        await cabinet.does("failed", fault="door stuck")
    assert boxes == [1, 2]
    moved = (await app.answer("driver", "rider_open_locker", stop)).delivery
    assert (moved.status, moved.site_id, moved.box) == ("planned", other.site_id, 1)
    assert (await order_row(app, order_id)).consignee["lat"] == 43.65
    await app.answer("driver", "rider_open_locker", stop)
    await other.does()
    assert (await delivery_of(app, order_id)).status == "deposited"


async def test_without_a_free_compartment_an_order_is_delivered_to_the_address(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    order_id, stop = await in_front_of(app, cabinet, if_full="address", hold_hours=1)
    app.clock.forward(hours=2)
    await app.work_off()
    await fill_up(app, cabinet.site_id)
    door = await app.answer("driver", "rider_open_locker", stop)
    assert (door.delivery.status, door.delivery.fell_back_because, door.command) == (
        "fallen_back",
        "no_free_box",
        None,
    )
    assert (await order_row(app, order_id)).consignee["address"] == HOME["address"]
    await app.answer("driver", "rider_deliver", {**stop, "recipient": "Ada"})
    assert (await order_row(app, order_id)).status == 6


async def test_without_a_free_compartment_an_order_is_returned_if_configured(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    order_id, stop = await in_front_of(app, cabinet, if_full="return")
    door = await app.answer("driver", "rider_open_locker", {**stop, "give_up": True})
    assert (door.delivery.status, door.delivery.fell_back_because) == ("fallen_back", "given_up")
    route = (await app.answer("admin", "get_route_detail", {"route_id": stop["route_id"]})).route
    assert (route.stops[0].status, route.stops[0].outcome) == ("failed", "return")
    assert (await order_row(app, order_id)).status == 7
    assert await refusal(app, "driver", "rider_open_locker", stop) == (409, "STOP_CANNOT")
    assert (await reserved(app, cabinet.site_id)).box == 1


async def test_an_uncollected_parcel_is_removed_and_delivered_to_the_address(app: App) -> None:
    cabinet = await make_cabinet(app)
    order_id, stop = await in_front_of(app, cabinet, keep_days=1)
    await app.answer("driver", "rider_open_locker", stop)
    await cabinet.does()
    await app.answer("driver", "rider_deliver", stop)
    app.clock.forward(days=2)
    await app.work_off()
    parcel_id = (await delivery_of(app, order_id)).locker_parcel_id
    assert (await parcel_now(app, parcel_id)).status == "expired"
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": parcel_id}, confirmed=True)
    await cabinet.does()
    row = await order_row(app, order_id)
    assert (row.status, row.consignee["address"]) == (7, HOME["address"])
    assert (await delivery_of(app, order_id)).status == "taken_back"


async def test_a_redirected_cancelled_or_handed_over_order_releases_its_compartment(app: App) -> None:
    cabinet, other = await make_cabinet(app, ONE_BOX), await make_cabinet(app, ONE_BOX)
    first = await sent_to_locker(app, cabinet)
    await app.answer("admin", "deliver_to_locker", {"order_id": first, "site_id": other.site_id})
    second = await sent_to_locker(app, cabinet)
    await app.answer("admin", "cancel_order", {"order_id": second})
    await app.work_off()
    assert (await delivery_of(app, second)).status == "cancelled"
    _, stop = await in_front_of(app, cabinet)
    await app.answer("driver", "rider_deliver", {**stop, "recipient": "Ada"})
    ended = await app.answer("admin", "cancel_locker_delivery", {"order_id": first})
    assert ended.delivery.status == "cancelled"
    assert (await order_row(app, first)).consignee["address"] == HOME["address"]
    for site in (cabinet.site_id, other.site_id):
        assert (await reserved(app, site)).box == 1


async def test_orders_that_require_the_recipient_in_person_cannot_use_a_locker(app: App) -> None:
    cabinet = await make_cabinet(app)
    asked: list[dict[str, Any]] = [
        {"cod_minor": 100},
        {"pin_required": True},
        {"minimum_age": 19},
        {"signature_required": True},
        {"type": "P"},
    ]
    for terms in asked:
        sent = {"order_id": await make_order(app, **terms), "site_id": cabinet.site_id}
        assert await refusal(app, "admin", "deliver_to_locker", sent) == (409, "NOT_FOR_LOCKERS"), terms
    order_id = await make_order(app)
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    sent = {"order_id": order_id, "site_id": cabinet.site_id}
    assert await refusal(app, "admin", "deliver_to_locker", sent) == (409, "ORDER_STEP_REFUSED")


async def test_of_concurrent_requests_for_the_last_compartment_one_succeeds(app: App) -> None:
    cabinet = await make_cabinet(app, ONE_BOX)
    orders = [await make_order(app) for _ in range(6)]
    sent = [{"order_id": order_id, "site_id": cabinet.site_id} for order_id in orders]
    results = await asyncio.gather(*(app.call("admin", "deliver_to_locker", each) for each in sent))
    assert [each.status for each in results].count(200) == 1
    assert {each.error["code"] for each in results if each.error} == {"NO_FREE_BOX"}
    listed = (await app.answer("admin", "list_locker_deliveries", {"site_id": cabinet.site_id})).deliveries
    assert len(listed) == 1


async def test_the_office_can_complete_a_locker_stop_like_the_driver(app: App) -> None:
    cabinet = await make_cabinet(app)
    order_id, stop = await in_front_of(app, cabinet)
    await app.answer("driver", "rider_open_locker", stop)
    await cabinet.does()
    await app.answer("admin", "deliver_stop", stop)
    assert (await order_row(app, order_id)).status == 5
    assert (await delivery_of(app, order_id)).status == "deposited"


async def test_a_driver_deposits_a_parcel_with_a_code_and_completes_the_stop(app: App) -> None:
    cabinet = await make_cabinet(app)
    order_id, stop = await in_front_of(app, cabinet)
    made = await app.answer("driver", "rider_make_locker_code", stop)
    parcel = await parcel_now(app, made.delivery.locker_parcel_id)
    assert (made.expires_at, made.delivery.box) == (parcel.until, parcel.box)
    entry = {"sequence": 1, "code_id": parcel.id, "box": parcel.box, "purpose": "deposit"}
    happened = {"opened_at": app.clock().isoformat(), **entry}
    cabinet.sequence += 1
    await cabinet.says("report_offline_openings", sent_at=app.clock().isoformat(), openings=[happened])
    again = await app.answer("driver", "rider_make_locker_code", stop)
    assert (again.delivery.status, again.code) == ("deposited", None)
    await app.answer("driver", "rider_deliver", stop)
    assert (await order_row(app, order_id)).status == 5


async def test_a_driver_sees_the_locker_location_hours_and_the_fallback_when_full(app: App) -> None:
    cabinet = await make_cabinet(app, opening_hours="Mo-Fr 06:00-12:00,13:00-22:00")
    _, stop = await in_front_of(app, cabinet, if_full="return")
    shown = await locker_of(app)
    times = [(each.opens_at.strftime("%H:%M"), each.closes_at.strftime("%H:%M")) for each in shown.open_times]
    assert times == [("06:00", "12:00"), ("13:00", "22:00")]
    assert (shown.site_address, shown.if_full, shown.code_made_at) == ("65 Front St W", "return", None)
    await app.answer("admin", "update_locker_site", {"site_id": cabinet.site_id, "opening_hours": "Sa 08:00-12:00"})
    assert (await locker_of(app)).open_times == []
    made = await app.answer("driver", "rider_make_locker_code", stop)
    shown = await locker_of(app)
    assert (shown.locker_parcel_id, shown.code_made_at) == (made.delivery.locker_parcel_id, made.made_at)
    app.clock.forward(minutes=1)
    await app.answer("admin", "renew_locker_code", {"locker_parcel_id": shown.locker_parcel_id}, confirmed=True)
    assert (await locker_of(app)).code_made_at > made.made_at


async def test_checking_the_door_status_opens_no_door(app: App) -> None:
    cabinet = await make_cabinet(app)
    route = await make_started_route(app, [await sent_to_locker(app, cabinet), await make_order(app)])
    stop, at_a_door = ({"route_id": route.id, "stop_id": each.id} for each in route.stops)
    assert (await app.answer("driver", "get_rider_locker_stop", stop)).command is None
    door = await app.answer("driver", "rider_open_locker", stop)
    seen = await app.answer("driver", "get_rider_locker_stop", stop)
    assert (seen.command, seen.delivery.box) == (door.command, 1)
    await cabinet.does("failed", fault="door stuck")
    seen = await app.answer("driver", "get_rider_locker_stop", stop)
    assert (seen.command.id, seen.command.status, seen.delivery.box) == (door.command.id, "failed", 2)
    assert await cabinet.asks() == []
    for wrong in (at_a_door, {**stop, "stop_id": stop["stop_id"] + 9}, {**stop, "route_id": stop["route_id"] + 1}):
        assert await refusal(app, "driver", "get_rider_locker_stop", wrong) == (404, "NOT_FOUND")


async def test_a_stop_can_be_completed_after_an_early_collection(app: App) -> None:
    cabinet = await make_cabinet(app)
    await make_policy(app, recipient_required=True)
    order_id, stop = await in_front_of(app, cabinet)
    await app.answer("driver", "rider_open_locker", stop)
    await cabinet.does()
    parcel = {"locker_parcel_id": (await delivery_of(app, order_id)).locker_parcel_id}
    code = (await app.answer("admin", "renew_locker_code", parcel, confirmed=True)).code
    verdict = await cabinet.says("present_locker_code", code=code)
    await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    assert ((await locker_of(app)).status, (await order_row(app, order_id)).status) == ("collected", 6)
    await app.answer("driver", "rider_deliver", stop)
    route = (await app.answer("admin", "get_route_detail", {"route_id": stop["route_id"]})).route
    assert (route.stops[0].status, (await order_row(app, order_id)).status) == ("completed", 6)


async def test_a_double_tap_opens_one_door(app: App) -> None:
    cabinet = await make_cabinet(app)
    _, stop = await in_front_of(app, cabinet)
    doors = await asyncio.gather(*(app.answer("driver", "rider_open_locker", stop) for _ in range(4)))
    assert len({door.command.id for door in doors}) == 1
    assert len(await cabinet.does()) == 1


async def test_customers_can_send_only_their_own_orders_to_a_locker(app: App) -> None:
    cabinet = await make_cabinet(app)
    mine, other = await make_order(app, "customer"), await make_order(app)
    sent = {"order_id": mine, "site_id": cabinet.site_id}
    assert (await app.answer("customer", "deliver_to_locker", sent)).delivery.box == 1
    foreign = {"order_id": other, "site_id": cabinet.site_id}
    assert await refusal(app, "customer", "deliver_to_locker", foreign) == (404, "NOT_FOUND")
    assert await refusal(app, "rival", "get_locker_delivery", {"order_id": mine}) == (404, "NOT_FOUND")
