"""Recipients return deliveries once, within the period, at a locker or from home."""

import asyncio
import re
from typing import Any

from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.makers import make_cabinet, make_order_for
from tests.contexts.lockers.return_makers import REASONS, Keeper, allow_returns, make_keeper, returning
from tests.contexts.recipients.makers import make_awaited_order, make_recipient
from tests.support.app import App
from tests.support.transport import make_started_route, status_and_code


async def return_orders(app: App) -> list[Any]:
    """The orders that bring returns back, newest first."""
    return (await app.answer("admin", "get_orders", {"type": "P"})).orders


async def listed(app: App, who: str = "admin", **words: Any) -> list[Any]:
    return (await app.answer(who, "list_recipient_returns", words)).returns


async def test_a_return_is_dropped_off_at_a_nearby_locker_and_sent_back(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    offer = (await keeper.sees()).offer
    assert (offer.ways, [each.code for each in offer.reasons]) == (["locker", "pickup"], ["too_small", "damaged"])
    (place,) = offer.places
    assert (place.name, place.free, place.distance_m < 1000) == ("Union Station, hall B", 2, True)
    made = await keeper.begins(place.site_id, note="One sleeve is shorter.")
    assert (made.begun.status, len(made.code), made.begun.site_name) == ("drop_off", 8, place.name)
    assert (made.begun.hand_in_until - app.clock.now).total_seconds() == 48 * 3600
    (order,) = await return_orders(app)
    detail = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert (detail.references, detail.customer_id) == ({"return_of": keeper.order.tracking_number}, app.ids["customer"])
    assert (detail.shipper.address, detail.note) == ("65 Front St W", "It does not fit\nOne sleeve is shorter.")
    verdict = await cabinet.says("present_locker_code", code=made.code)
    await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    await app.work_off()
    seen = await keeper.sees()
    assert (seen.begun.status, seen.begun.can_cancel, seen.offer) == ("handed_in", False, None)
    for operation in ("cancel_return", "renew_return_code"):
        assert await keeper.refused(operation) == (409, "RETURN_UNDER_WAY")
    (parcel,) = (await app.answer("admin", "list_locker_parcels", {"kind": "drop_off"})).parcels
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": parcel.id}, confirmed=True)
    await cabinet.does()
    assert (await keeper.sees()).begun.status == "on_the_way"
    timeline = (await app.answer("admin", "otep_tracking", {"tracking_number": order.tracking_number})).data
    assert {"awaiting_pickup", "picked_up"} <= {event.status_code for event in timeline.events}


async def test_a_driver_picks_up_a_return_at_the_delivery_address(app: App) -> None:
    await allow_returns(app, ways=["pickup"])
    keeper = await make_keeper(app)
    made = await keeper.begins()
    assert (made.begun.status, made.code, made.begun.can_cancel) == ("pickup", None, True)
    (order,) = await return_orders(app)
    detail = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert (detail.shipper.address, detail.status) == ("100 Queen St W", "NEW_ORDER")
    for who in ("admin", "customer"):
        (row,) = await listed(app, who, order_id=keeper.order.id)
        assert (row.return_order_id, row.status, row.reason) == (order.id, "pickup", "too_small")
    assert await listed(app, "customer2") == await listed(app, "rival") == []


async def test_of_concurrent_requests_one_starts_a_return(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    asked = [returning(), *(returning(cabinet.site_id) for _ in range(3))]
    tries = [
        status_and_code(each)
        for each in await asyncio.gather(*(keeper.tries("create_delivery_return", **a) for a in asked))
    ]
    assert sorted(tries, key=str) == [(200, None), *[(409, "RETURN_BEGUN")] * 3]
    assert (len(await listed(app)), len(await return_orders(app))) == (1, 1)


async def test_a_return_can_be_cancelled_and_restarted_a_limited_number_of_times(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app, [{"size": "s", "count": 1}]), await make_keeper(app)
    for _ in range(5):
        await keeper.begins(cabinet.site_id)
        assert await keeper.refused("create_delivery_return", **returning()) == (409, "RETURN_BEGUN")
        assert (await keeper.does("cancel_return")).begun.status == "cancelled"
        await app.work_off()  # its box is free again
    assert [each.status for each in await return_orders(app)] == ["CANCELLED"] * 5
    assert [each.status for each in await listed(app, outcome="cancelled")] == ["cancelled"] * 5
    assert await keeper.refused("create_delivery_return", **returning()) == (409, "RETURN_NOT_OFFERED")
    assert await keeper.refused("cancel_return") == (404, "NOT_FOUND")


async def test_a_return_not_dropped_off_in_time_expires_and_can_be_restarted(app: App) -> None:
    await allow_returns(app, hold_hours=2)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    await keeper.begins(cabinet.site_id)
    app.clock.forward(hours=3)
    await app.work_off()
    await keeper.opens()
    seen = await keeper.sees()
    assert (seen.begun.status, seen.offer.ways) == ("lapsed", ["locker", "pickup"])
    assert [each.status for each in await return_orders(app)] == ["CANCELLED"]
    assert (await keeper.begins()).begun.status == "pickup"


async def test_a_new_code_opens_the_compartment_and_the_previous_one_does_not(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    first = (await keeper.begins(cabinet.site_id)).code
    second = (await keeper.does("renew_return_code")).code
    assert not (await cabinet.says("present_locker_code", code=first)).accepted
    assert (await cabinet.says("present_locker_code", code=second)).accepted


async def test_a_return_with_a_cancelled_order_can_be_restarted(app: App) -> None:
    await allow_returns(app)
    keeper = await make_keeper(app)
    await keeper.begins()
    (order,) = await return_orders(app)
    await app.answer("admin", "cancel_order", {"order_id": order.id})
    await app.work_off()
    seen = await keeper.sees()
    assert (seen.begun, seen.offer is not None) == (None, True)


async def test_only_returns_the_business_accepts_can_be_started(app: App) -> None:
    keeper = await make_keeper(app)
    no = (409, "RETURN_NOT_OFFERED")
    assert ((await keeper.sees()).offer, await keeper.refused("create_delivery_return", **returning())) == (None, no)
    await allow_returns(app, ways=["pickup"], days=7)
    cabinet = await make_cabinet(app)
    assert await keeper.refused("create_delivery_return", **returning(cabinet.site_id)) == no
    for said in (returning(reason="no_such"), returning(way="locker")):
        assert (await keeper.refused("create_delivery_return", **said))[0] == 422
    waiting = Keeper(app, await make_awaited_order(app))
    await waiting.opens()
    assert await waiting.refused("create_delivery_return", **returning()) == no
    app.clock.forward(days=7)
    await keeper.opens()
    assert ((await keeper.sees()).offer, await keeper.refused("create_delivery_return", **returning())) == (None, no)
    await allow_returns(app, days=8)
    assert (await keeper.sees()).offer is not None
    await allow_returns(app, days=8, active=False)
    assert (await keeper.sees()).offer is None


async def test_an_order_collected_from_a_locker_can_be_returned_through_one(app: App) -> None:
    await allow_returns(app)
    cabinet = await make_cabinet(app)
    order_id = await make_order_for(app, cabinet, consignee=make_recipient())
    route = await make_started_route(app, [order_id])
    stop = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_open_locker", stop)
    await cabinet.does()
    await app.answer("driver", "rider_deliver", stop)
    await app.work_off()
    code = next(found for mail in await received_mails(app) if (found := re.search(r"\b\d{8}\b", mail.text)))
    verdict = await cabinet.says("present_locker_code", code=code[0])
    await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    keeper = Keeper(app, (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order)
    await keeper.opens()
    assert (await keeper.sees()).offer.ways == ["locker"]
    assert (await keeper.begins(cabinet.site_id)).begun.status == "drop_off"


async def test_without_a_large_enough_compartment_only_a_driver_pickup_is_offered(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    assert (await keeper.sees(size="xl")).offer.ways == ["pickup"]
    assert await keeper.refused("create_delivery_return", **returning(cabinet.site_id, size="xl")) == (
        409,
        "RETURN_NOT_OFFERED",
    )


async def test_reasons_are_configured_once_and_shown_in_the_readers_language(app: App) -> None:
    twice = await app.call("admin", "set_return_settings", {"reasons": [*REASONS, REASONS[0]]})
    assert twice.status == 422
    assert (await app.call("employee", "set_return_settings", {"reasons": REASONS})).status == 403
    await allow_returns(app)
    keeper = await make_keeper(app)
    shown: Any = await app.call(None, "get_delivery_return", {"access": keeper.access}, accept_language="de")
    assert [each.text for each in shown.answer.offer.reasons] == ["Es passt nicht", "It is damaged"]
