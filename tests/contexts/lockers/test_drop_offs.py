"""Senders drop parcels off at lockers, and couriers collect them."""

from typing import Any

import pytest
from tests.contexts.lockers.makers import drop_off, make_cabinet, make_return, parcel_now, refusal
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_order

from haulier.contexts.identity.ports import Mailer


async def order_now(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def test_a_sender_drops_off_a_return_and_a_courier_collects_it(app: App) -> None:
    cabinet = await make_cabinet(app)
    order_id = await make_return(app)
    made = await drop_off(app, order_id, cabinet)
    assert (made.parcel.kind, made.parcel.status, len(made.code)) == ("drop_off", "reserved", 8)
    assert (await order_now(app, order_id)).shipper.address == "65 Front St W"
    verdict = await cabinet.says("present_locker_code", code=made.code)
    await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    assert (await parcel_now(app, made.parcel.id)).status == "deposited"
    # The parcel now awaits the courier, so the sender's code no longer opens it.
    assert not (await cabinet.says("present_locker_code", code=made.code)).accepted
    await app.work_off()
    letter = app.application.adapter(Mailer).mails[-1]
    assert letter.to == "ada@example.com"
    assert "compartment A-1" in letter.text
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": made.parcel.id}, confirmed=True)
    await cabinet.does()
    order = await order_now(app, order_id)
    assert ((await parcel_now(app, made.parcel.id)).status, order.status) == ("removed", "PICKED_UP")
    timeline = (await app.answer("admin", "otep_tracking", {"tracking_number": order.tracking_number})).data
    assert [event.status_code for event in timeline.events][-1] == "picked_up"


@pytest.mark.parametrize("way", ["cancelled", "lapsed", "stuck"])
async def test_an_order_that_is_not_dropped_off_is_picked_up_at_home(app: App, way: str) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 1}])
    order_id = await make_return(app)
    made = await drop_off(app, order_id, cabinet, hold_hours=1)
    if way == "cancelled":
        await app.answer("admin", "cancel_locker_drop_off", {"order_id": order_id})
    elif way == "lapsed":
        app.clock.forward(hours=2)
        await app.work_off()
    else:
        verdict = await cabinet.says("present_locker_code", code=made.code)
        await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="failed", fault="stuck")
    assert (await parcel_now(app, made.parcel.id)).status == "cancelled"
    assert (await order_now(app, order_id)).shipper.address == ADDRESS["address"]


async def test_a_stuck_door_gives_the_sender_another_compartment_for_the_same_code(app: App) -> None:
    cabinet = await make_cabinet(app)
    made = await drop_off(app, await make_return(app), cabinet)
    first = await cabinet.says("present_locker_code", code=made.code)
    await cabinet.says("report_device_command", command_id=first.command.id, outcome="failed", fault="stuck")
    second = await cabinet.says("present_locker_code", code=made.code)
    assert (first.command.box, second.command.box) == (1, 2)


async def test_a_repeated_request_assigns_another_compartment_and_keeps_the_home_address(app: App) -> None:
    cabinet = await make_cabinet(app)
    order_id = await make_return(app)
    first, second = [await drop_off(app, order_id, cabinet) for _ in range(2)]
    assert (await parcel_now(app, first.parcel.id)).status == "cancelled"
    assert not (await cabinet.says("present_locker_code", code=first.code)).accepted
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.work_off()
    assert (await parcel_now(app, second.parcel.id)).status == "cancelled"


async def test_only_collectable_orders_are_dropped_off_and_customers_use_their_own(app: App) -> None:
    cabinet = await make_cabinet(app)
    named = {"site_id": cabinet.site_id}
    sent = {**named, "order_id": await make_order(app)}
    assert await refusal(app, "admin", "drop_off_at_locker", sent) == (409, "NOT_FOR_LOCKERS")
    of_others = {**named, "order_id": await make_return(app)}
    assert (await refusal(app, "customer", "drop_off_at_locker", of_others))[0] == 404
    assert (await refusal(app, "admin", "cancel_locker_drop_off", {"order_id": of_others["order_id"]}))[0] == 404
    own = await app.answer("customer", "drop_off_at_locker", {**named, "order_id": await make_return(app, "customer")})
    stored = (await app.answer("customer", "otep_client_locker_storage", {})).items
    assert [item.locker_parcel_id for item in stored] == [own.parcel.id]
