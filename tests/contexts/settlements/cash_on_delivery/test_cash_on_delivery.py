"""Cash on delivery: shown, collected, handed in, reported and reconciled."""

import random
from typing import Any

from tests.contexts.driver_app.makers import device_event, event_statuses, sync_events
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, make_started_route, status_and_code

DUE = 2500


def cash(amount: int, method: str = "cash") -> dict[str, Any]:
    return {"method": method, "amount_minor": amount}


async def make_cod_stop(app: App, cod_minor: int = DUE, **words: Any) -> dict[str, Any]:
    """The only stop of a route under way, whose order has money to be taken."""
    order_id = await make_order(app, cod_minor=cod_minor, **words)
    route = await make_started_route(app, [order_id])
    return {"route_id": route.id, "stop_id": route.stops[0].id, "order_id": order_id, "driver_id": route.driver_id}


def at(stop: dict[str, Any], *cod: dict[str, Any], **words: Any) -> dict[str, Any]:
    return {"route_id": stop["route_id"], "stop_id": stop["stop_id"], "cod": list(cod), **words}


async def report_line(app: App, who: str = "admin", **words: Any) -> Any:
    (line,) = (await app.answer(who, "get_cod_report", words)).lines
    return line


async def balance(app: App) -> int:
    return (await app.answer("driver", "get_my_cash")).cash.balance_minor


async def test_cash_is_collected_on_delivery_and_held_by_the_driver(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("driver", "rider_deliver", at(stop, cash(2000), cash(500, "card")))
    own = await app.answer("driver", "get_my_cash")
    assert (own.cash.balance_minor, own.cash.collected_minor, own.cash.currency) == (2000, 2000, "CAD")
    assert [(entry.method, entry.amount_minor, entry.order_id) for entry in own.entries] == [
        ("cash", 2000, stop["order_id"]),
        ("card", 500, stop["order_id"]),
    ]
    line = await report_line(app)
    assert (line.due_minor, line.cash_minor, line.card_minor, line.open_minor) == (DUE, 2000, 500, 0)


async def test_overpayment_underpayment_and_missing_cash_are_reported_by_field(app: App) -> None:
    stop = await make_cod_stop(app)
    for cod, reason, field in (
        ([], None, "cod"),
        ([cash(2501)], None, "cod"),
        ([cash(2501)], "Rounded up.", "cod"),
        ([cash(2000)], None, "cod_reason"),
    ):
        refused = await app.call(
            "driver", "rider_deliver", at(stop, *cod, **({"cod_reason": reason} if reason else {}))
        )
        assert status_and_code(refused) == (422, "PROOF_INCOMPLETE")
        assert [fault["field"] for fault in refused.error["errors"]] == [field]
    await app.answer("driver", "rider_deliver", at(stop, cash(2000), cod_reason="Had no more."))
    line = await report_line(app)
    assert (line.collected_minor, line.open_minor) == (2000, 500)


async def test_an_order_without_cash_on_delivery_collects_none(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    asked = {"route_id": route.id, "stop_id": route.stops[0].id, "cod": [cash(1)]}
    assert (await app.call("driver", "rider_deliver", asked)).status == 422
    assert (await app.answer("admin", "get_cod_report", {})).lines == []


async def test_a_delivery_repeated_offline_collects_cash_once(app: App) -> None:
    stop = await make_cod_stop(app)
    event = device_event("a", "deliver", "13:30", **at(stop, cash(DUE)))
    other = device_event("b", "deliver", "13:30", **at(stop, cash(DUE)))
    assert event_statuses(await sync_events(app, event)) == {"a": "applied"}
    assert event_statuses(await sync_events(app, event, other)) == {"a": "applied", "b": "applied"}
    assert await balance(app) == DUE


async def test_cash_collected_by_a_driver_is_kept_after_an_earlier_report_by_the_office(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("admin", "deliver_stop", {"route_id": stop["route_id"], "stop_id": stop["stop_id"]})
    await app.work_off()
    assert (await report_line(app)).open_minor == DUE
    await sync_events(app, device_event("a", "deliver", "13:30", **at(stop, cash(DUE))))
    assert (await report_line(app)).open_minor == 0
    assert await balance(app) == DUE


async def test_cash_is_handed_in_as_counted(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("driver", "rider_deliver", at(stop, cash(DUE)))
    part = {"driver_id": stop["driver_id"], "counted_minor": 1000, "settles": False}
    assert (await app.answer("admin", "hand_in_cash", part)).cash.balance_minor == 1500
    short = {"driver_id": stop["driver_id"], "counted_minor": 1400}
    assert status_and_code(await app.call("admin", "hand_in_cash", short)) == (422, "HAND_IN_NEEDS_REASON")
    told = await app.answer("admin", "hand_in_cash", {**short, "reason": "A coin fell into a drain."})
    assert (told.expected_minor, told.difference_minor, told.cash.balance_minor) == (1500, -100, 0)
    (of_driver,) = (await app.answer("admin", "list_driver_cash")).drivers
    assert (of_driver.collected_minor, of_driver.handed_in_minor, of_driver.difference_minor) == (2500, 2400, -100)


async def test_an_open_amount_can_be_paid_at_the_office_or_written_off(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("driver", "rider_deliver", at(stop, cod_reason="Forgot the purse."))
    order = {"order_id": stop["order_id"]}
    paid = await app.answer("admin", "record_cod_payment", {**order, "method": "other", "amount_minor": 2000})
    assert paid.open_minor == 500
    over = {**order, "method": "cash", "amount_minor": 501}
    assert status_and_code(await app.call("admin", "record_cod_payment", over)) == (409, "COD_TOO_MUCH")
    assert (await app.answer("admin", "write_off_cod", {**order, "reason": "Discount"})).open_minor == 0
    again = await app.call("admin", "write_off_cod", {**order, "reason": "Discount"})
    assert status_and_code(again) == (409, "COD_NOTHING_OPEN")
    assert await balance(app) == 0


async def test_a_wrong_entry_is_reversed_by_another(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("driver", "rider_deliver", at(stop, cash(DUE)))
    entries = (await app.answer("admin", "list_cod_entries", {})).entries
    ids = {entry.kind.value: entry.id for entry in entries}
    back = {"entry_id": ids["collected"], "reason": "Card, not cash."}
    taken_back = await app.answer("admin", "reverse_cod_entry", back)
    assert (taken_back.entry.amount_minor, taken_back.entry.reverses_id, taken_back.open_minor) == (
        -DUE,
        ids["collected"],
        DUE,
    )
    assert await balance(app) == 0
    for entry_id in (ids["collected"], ids["due"], taken_back.entry.id):
        again = await app.call("admin", "reverse_cod_entry", {**back, "entry_id": entry_id})
        assert status_and_code(again) == (409, "COD_NOT_REVERSIBLE")
    assert len((await app.answer("admin", "list_cod_entries", {})).entries) == len(entries) + 1


async def test_undoing_a_delivery_reverses_its_cash_and_allows_a_new_one(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("driver", "rider_deliver", at(stop, cash(DUE)))
    await app.answer("admin", "undo_delivery", {"order_id": stop["order_id"], "reason": "The wrong stop."})
    assert await balance(app) == 0
    line = await report_line(app)
    assert (line.due_minor, line.collected_minor, line.open_minor) == (0, 0, 0)
    shown = (await app.answer("admin", "get_order_detail", {"order_id": stop["order_id"]})).order
    assert [piece.outcome for piece in shown.packages] == [None]
    await app.answer("driver", "rider_deliver", at(stop, cash(2000), cod_reason="Had no more."))
    line = await report_line(app)
    assert (line.due_minor, line.collected_minor, line.open_minor, await balance(app)) == (DUE, 2000, 500, 2000)


async def test_users_see_only_their_own_cash(app: App) -> None:
    stop = await make_cod_stop(app, customer_id=app.ids["customer"])
    await app.answer("driver", "rider_deliver", at(stop, cash(DUE)))
    line = await report_line(app, "customer")
    assert (line.open_minor, line.driver_id, line.driver_name) == (0, None, None)
    assert (await report_line(app, group_by="driver")).driver_id == stop["driver_id"]
    assert (await app.call("customer", "get_cod_report", {"group_by": "driver"})).status == 422
    told = (await app.answer("customer", "list_cod_entries", {})).entries
    assert {entry.driver_id for entry in told} == {None}
    for who in ("customer2", "contractor", "rival"):
        assert (await app.answer(who, "get_cod_report", {})).lines == []
        assert (await app.answer(who, "list_cod_entries", {})).entries == []
    assert (await app.answer("contractor", "list_driver_cash")).drivers == []
    await make_driver(app, user="driver2")
    assert (await app.answer("driver2", "get_my_cash")).entries == []


async def test_a_contractor_sees_the_cash_of_their_drivers(app: App) -> None:
    order_id = await make_order(app, cod_minor=DUE)
    given = {"order_ids": [order_id], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", given)
    driver_id = await make_driver(app, user="driver", contractor_id=app.ids["contractor"])
    route_id = await make_route(app, "contractor", order_ids=[order_id], driver_id=driver_id)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    stop = {"route_id": route_id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_deliver", at(stop, cash(DUE)))
    assert (await report_line(app, "contractor")).collected_minor == DUE
    (carried,) = (await app.answer("contractor", "list_driver_cash")).drivers
    assert carried.balance_minor == DUE
    assert (await app.answer("contractor2", "get_cod_report", {})).lines == []


async def test_entries_can_be_exported_as_csv(app: App) -> None:
    stop = await make_cod_stop(app)
    await app.answer("driver", "rider_deliver", at(stop, cash(2000), cod_reason="=HYPERLINK(1)"))
    answer = await app.rest("admin", "GET", "/v1/cod/entries", headers={"accept": "text/csv"})
    header, due, taken, end = answer.text.split("\r\n")
    assert answer.headers["content-type"].startswith("text/csv")
    assert header.startswith("id,kind,order_id,driver_id,day,method,amount_minor,cod_currency,reason")
    assert f",due,{stop['order_id']}," in due
    assert ",cash,2000,CAD,'=HYPERLINK(1)," in taken
    assert end == ""


async def test_webhooks_report_cash_events(app: App) -> None:
    stop = await make_cod_stop(app)
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.cod_collected", "cash.handed_in")
        await app.answer("driver", "rider_deliver", at(stop, cash(2000), cod_reason="Had no more."))
        await app.answer("admin", "hand_in_cash", {"driver_id": stop["driver_id"], "counted_minor": 2000})
        await app.work_off()
        heard = {message.document["event"]: message.document["data"] for message in receiver.received}
    collected = heard["order.cod_collected"]
    assert (collected["order_id"], collected["settled"]) == (stop["order_id"], False)
    assert (heard["cash.handed_in"]["counted_minor"], heard["cash.handed_in"]["difference_minor"]) == (2000, 0)


async def test_any_day_of_events_keeps_all_amounts_balanced(app: App) -> None:
    """Random days of deliveries, payments and corrections keep balanced totals."""
    chance = random.Random(14)
    ids = [await make_order(app, cod_minor=chance.randint(1, 5000)) for _ in range(8)]
    route = await make_started_route(app, ids)
    open_stops = [{"route_id": route.id, "stop_id": stop.id, "order_id": stop.order_id} for stop in route.stops]
    for _ in range(24):
        await _one_step(app, chance, open_stops, ids, route.driver_id)
        for by in ("order", "day", "driver"):
            report = await app.answer("admin", "get_cod_report", {"group_by": by})
            for each in (*report.lines, report.sum):
                assert each.due_minor == each.collected_minor + each.open_minor + each.written_off_minor
                assert each.collected_minor == each.cash_minor + each.card_minor + each.other_minor
                assert each.open_minor >= 0
        for carried in (await app.answer("admin", "list_driver_cash")).drivers:
            assert carried.collected_minor + carried.difference_minor == carried.handed_in_minor + carried.balance_minor


async def _one_step(app: App, chance: random.Random, stops: list[Any], ids: list[int], driver_id: int) -> None:
    order, method = {"order_id": chance.choice(ids)}, chance.choice(["cash", "card", "other"])
    step = chance.choice(["deliver", "deliver", "pay", "write_off", "reverse", "hand_in"])
    if step == "deliver" and stops:
        amount = {"cod": [cash(chance.randint(1, 5000), method)], "cod_reason": "Had no more."}
        stop = stops.pop()
        delivered = await app.call("driver", "rider_deliver", {**at(stop), **amount})
        if delivered.status == 422:  # more than is due
            await app.answer("driver", "rider_deliver", at(stop, cod_reason="Had nothing."))
    elif step == "pay":
        paid = {**order, "method": method, "amount_minor": chance.randint(1, 3000)}
        assert (await app.call("admin", "record_cod_payment", paid)).status in {200, 409}
    elif step == "write_off":
        assert (await app.call("admin", "write_off_cod", {**order, "reason": "x"})).status in {200, 409}
    elif step == "reverse":
        entries = (await app.answer("admin", "list_cod_entries", {})).entries
        if entries:
            asked = {"entry_id": chance.choice(entries).id, "reason": "x"}
            assert (await app.call("admin", "reverse_cod_entry", asked)).status in {200, 409}
    elif step == "hand_in":
        counted = {"driver_id": driver_id, "counted_minor": chance.randint(0, 4000), "reason": "x"}
        await app.answer("admin", "hand_in_cash", counted)
