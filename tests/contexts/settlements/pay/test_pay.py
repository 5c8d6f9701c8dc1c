"""Pay of contractors and drivers: by rates, once per stop, with corrections."""

from typing import Any

from tests.contexts.driver_app.makers import device_event, make_rider, sync_events
from tests.support.app import App
from tests.support.transport import (
    make_depot,
    make_driver,
    make_order,
    make_route,
    make_started_route,
    some_orders,
    status_and_code,
)

JUNE_10 = "2026-06-10"


async def make_rate(app: App, kind: str = "driver", **words: Any) -> Any:
    values = {"payee_kind": kind, "valid_from": "2026-06-01", **words}
    return (await app.answer("admin", "set_pay_rate", values)).rate


async def earned(app: App, who: str = "admin", **words: Any) -> list[tuple[str, int]]:
    await app.work_off()
    return [(each.kind.value, each.amount_minor) for each in (await app.answer(who, "list_earnings", words)).earnings]


async def deliver(app: App, route: Any, place: int = 0) -> None:
    await app.answer("driver", "rider_deliver", {"route_id": route.id, "stop_id": route.stops[place].id})


async def fail(app: App, route: Any, place: int) -> None:
    asked = {"route_id": route.id, "stop_id": route.stops[place].id, "reason": "recipient_absent"}
    await app.answer("driver", "rider_fail", asked)


async def test_a_driver_is_paid_per_stop_route_and_planned_kilometre(app: App) -> None:
    await make_rate(app, per_route_minor=2000, per_stop_minor=250, per_failed_stop_minor=100, per_km_minor=45)
    route = await make_started_route(app, await some_orders(app, 2))
    async with app.database.write(app.clients["demo"]) as work:
        from haulier.contexts.routes.public import routes

        await work.run(routes.update().where(routes.c.id == route.id).values(planned_distance_m=12_345))
    await deliver(app, route)
    await fail(app, route, 1)
    assert sorted(await earned(app)) == [("failed_stop", 100), ("stop", 250)]  # the jobs of two stops run in any order
    await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    await app.answer("driver", "finish_route", {"route_id": route.id})
    assert (await earned(app))[2:] == [("route", 2000), ("distance", 556)]


async def test_a_repeated_stop_is_paid_once(app: App) -> None:
    await make_rate(app, per_stop_minor=250)
    route = await make_started_route(app, [await make_order(app)])
    at = {"route_id": route.id, "stop_id": route.stops[0].id}
    await sync_events(app, *(device_event(str(n), "deliver", "13:30", **at) for n in range(3)))
    await deliver(app, route)
    assert await earned(app) == [("stop", 250)]


async def test_without_a_rate_nothing_is_earned_and_a_later_rate_is_not_retroactive(app: App) -> None:
    route = await make_started_route(app, await some_orders(app, 2))
    await deliver(app, route)
    assert await earned(app) == []
    rate = await make_rate(app, per_stop_minor=250)
    await deliver(app, route, 1)
    assert await earned(app) == [("stop", 250)]
    await app.answer("admin", "end_pay_rate", {"rate_id": rate.id, "last_day": "2026-06-05"})
    await make_rate(app, per_stop_minor=900)
    assert await earned(app) == [("stop", 250)]
    too_early = {"rate_id": rate.id, "last_day": "2026-05-31"}
    refused = await app.call("admin", "end_pay_rate", too_early)
    assert status_and_code(refused) == (409, "RATE_ENDS_BEFORE_IT_BEGINS")


async def test_a_contractor_is_paid_for_the_work_of_their_drivers(app: App) -> None:
    await make_rate(app, "contractor", payee_id=app.ids["contractor"], per_stop_minor=400)
    await make_rate(app, per_stop_minor=250)
    order_id = await make_order(app)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [order_id], "broker_id": app.ids["contractor"]})
    driver_id = await make_driver(app, user="driver", contractor_id=app.ids["contractor"])
    route_id = await make_route(app, "contractor", order_ids=[], driver_id=driver_id)
    await app.answer("contractor", "add_orders_to_route", {"route_id": route_id, "order_ids": [order_id]})
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    await deliver(app, route)
    assert await earned(app, "contractor") == [("stop", 400)]
    assert await earned(app, "contractor2") == []
    statement = await app.answer("contractor", "get_pay_statement", {"week_of": JUNE_10})
    assert (statement.payee_name, statement.total_minor) == ("Contractor", 400)
    assert (await app.answer("driver", "get_my_earnings")).total_minor == 0


async def test_a_correction_of_an_earning_belongs_to_the_week_of_the_correction(app: App) -> None:
    await make_rate(app, per_stop_minor=250)
    route = await make_started_route(app, [await make_order(app)])
    await deliver(app, route)
    await app.work_off()
    (first,) = (await app.answer("admin", "list_earnings")).earnings
    app.clock.forward(days=7)
    wrong = {"earning_id": first.id, "amount_minor": 100, "reason": "In vain."}
    correction = (await app.answer("admin", "correct_earning", wrong)).earning
    assert (correction.amount_minor, correction.corrects_id, str(correction.day)) == (-150, first.id, "2026-06-17")
    assert status_and_code(await app.call("admin", "correct_earning", wrong)) == (409, "EARNING_CORRECTED")
    assert await earned(app) == [("stop", 250), ("correction", -150)]
    driver = {"payee_kind": "driver", "payee_id": route.driver_id}
    weeks = [
        (await app.answer("admin", "get_pay_statement", {**driver, "week_of": day})).total_minor
        for day in (JUNE_10, "2026-06-17")
    ]
    assert weeks == [250, -150]


async def test_an_undone_delivery_is_reversed_and_paid_by_its_final_outcome(app: App) -> None:
    await make_rate(app, per_stop_minor=250, per_failed_stop_minor=100)
    again, in_vain, twice = await some_orders(app, 3)
    route = await make_started_route(app, [again, in_vain, twice])
    for place in range(3):
        await deliver(app, route, place)
    assert await earned(app) == [("stop", 250)] * 3
    for order_id in (again, in_vain, twice, twice):
        await app.answer("admin", "undo_delivery", {"order_id": order_id, "reason": "The wrong door."})
        await app.work_off()
        if order_id == twice:
            await deliver(app, route, 2)
    await deliver(app, route, 0)
    await fail(app, route, 1)
    await app.work_off()
    statement = await app.answer("driver", "get_my_earnings", {"week_of": JUNE_10})
    assert statement.total_minor == 250 + 100 + 250
    await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    await app.answer("driver", "finish_route", {"route_id": route.id})
    await app.answer("admin", "undo_delivery", {"order_id": again, "reason": "Never there."})
    await app.work_off()
    assert (await app.answer("driver", "get_my_earnings", {"week_of": JUNE_10})).total_minor == 100 + 100 + 250


async def test_a_delivery_undone_before_payment_is_paid_once(app: App) -> None:
    await make_rate(app, per_stop_minor=250)
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    await deliver(app, route)
    await app.answer("admin", "undo_delivery", {"order_id": order_id, "reason": "The wrong door."})
    assert await earned(app) == []
    await deliver(app, route)
    assert await earned(app) == [("stop", 250)]


async def test_a_reopened_stop_is_paid_once_by_its_final_outcome(app: App) -> None:
    await make_rate(app, per_stop_minor=250, per_failed_stop_minor=100)
    delivered, failed, at_once = await some_orders(app, 3)
    route = await make_started_route(app, [delivered, failed, at_once])
    for place in (0, 1, 2):
        await fail(app, route, place)
        if place < 2:
            await app.work_off()
        await app.answer("driver", "reopen_stop", {"route_id": route.id, "stop_id": route.stops[place].id})
    await deliver(app, route, 0)
    await fail(app, route, 1)
    await deliver(app, route, 2)
    await app.work_off()
    assert (await app.answer("driver", "get_my_earnings", {"week_of": JUNE_10})).total_minor == 250 + 100 + 250


async def test_a_statement_adds_up_and_can_be_exported_as_csv(app: App) -> None:
    await make_rate(app, per_stop_minor=250, per_failed_stop_minor=100)
    route = await make_started_route(app, await some_orders(app, 3))
    for place in (0, 1):
        await deliver(app, route, place)
    await fail(app, route, 2)
    bonus = {"payee_kind": "driver", "payee_id": route.driver_id, "amount_minor": 5000, "reason": "Bonus"}
    await app.answer("admin", "adjust_pay", bonus)
    await app.work_off()
    own = await app.answer("driver", "get_my_earnings", {"week_of": JUNE_10})
    assert [(each.kind.value, each.count, each.amount_minor) for each in own.sums] == [
        ("adjustment", 1, 5000),
        ("failed_stop", 1, 100),
        ("stop", 2, 500),
    ]
    assert (own.total_minor, str(own.monday), str(own.sunday)) == (5600, "2026-06-08", "2026-06-14")
    path = f"/v1/pay/statement?week_of={JUNE_10}&payee_kind=driver&payee_id={route.driver_id}"
    shown = await app.rest("admin", "GET", path, headers={"accept": "text/csv"})
    lines = shown.text.split("\r\n")
    assert (len(lines), lines[0][:27]) == (6, "id,payee_kind,payee_id,kind")


async def test_users_cannot_see_the_earnings_of_others(app: App) -> None:
    await make_rate(app, per_stop_minor=250)
    route = await make_started_route(app, [await make_order(app)])
    await deliver(app, route)
    await make_driver(app, user="driver2")
    assert (await app.answer("driver2", "get_my_earnings")).lines == []
    assert await earned(app, "contractor") == []
    named = {"week_of": JUNE_10, "payee_kind": "driver", "payee_id": route.driver_id}
    assert (await app.answer("contractor", "get_pay_statement", named)).total_minor == 0
    for who in ("driver", "customer"):
        assert (await app.call(who, "list_earnings")).status == 403
    assert (await app.answer("rival", "list_earnings")).earnings == []
    for values in (
        {"payee_kind": "driver", "payee_id": 10**6},
        {"payee_kind": "contractor", "payee_id": app.ids["driver"]},
    ):
        asked = {**values, "valid_from": "2026-06-01"}
        assert (await app.call("admin", "set_pay_rate", asked)).status == 422


async def test_an_offer_shows_its_pay(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    await app.answer("admin", "offer_order_to_riders", {"order_id": await make_order(app, type="P2P")})
    (before,) = (await app.answer("driver", "list_my_offers")).offers
    await make_rate(app, per_route_minor=300, per_stop_minor=250)
    (after,) = (await app.answer("driver", "list_my_offers")).offers
    assert (before.pay_minor, after.pay_minor) == (None, 800)
