"""Insights beside an earlier period, and the orders behind each number."""

from datetime import date
from typing import Any

import pytest
from msgspec import UNSET
from tests.contexts.control_tower.overview.makers import (
    deliver,
    fail,
    give_to_driver,
    make_delivered_order,
    sum_faults,
    take_step,
)
from tests.support.app import App
from tests.support.transport import make_order

from haulier.contexts.control_tower.overview.rules import Comparison, compared_day, counterpart
from haulier.contexts.orders.public import OrderStep

JUNE: dict[str, Any] = {"date_from": "2026-06-10", "date_to": "2026-06-16"}


async def insights(app: App, who: str = "admin", **words: Any) -> Any:
    return await app.answer(who, "get_orders_insights", {**JUNE, **words})


async def count(app: App, who: str = "admin", **filters: Any) -> int:
    days = {} if filters.keys() & {"failed_from"} else {"counted_from": "2026-06-10", "counted_to": "2026-06-16"}
    return int((await app.answer(who, "get_orders", {**days, **filters})).total)


async def make_two_weeks(app: App) -> None:
    """Deliver two orders, one of them late, and a week later one of three.

    Two of the three fail once.
    """
    await give_to_driver(app, await make_delivered_order(app, customer_id=app.ids["customer"]), "driver")
    late = await make_order(app)
    app.clock.forward(days=1)
    await deliver(app, late)
    app.clock.forward(days=6)
    again = await make_order(app, customer_id=app.ids["customer"], scheduled_date="2026-06-17")
    await give_to_driver(app, again, "driver")
    await fail(app, again, "nobody_home")
    await give_to_driver(app, again, "driver2")
    await deliver(app, again)
    await fail(app, await make_order(app, scheduled_date="2026-06-17"), "address_issue")
    await make_order(app, scheduled_date="2026-06-17")


async def make_hours(app: App) -> None:
    """Deliver at 10 and 12, and late at 2 the next night.

    Attempts fail at 10 and 2, and one order stays open.
    """
    await make_delivered_order(app)
    await fail(app, await make_order(app), "nobody_home")
    app.clock.forward(hours=2)
    await make_delivered_order(app)
    late = await make_order(app)
    app.clock.forward(hours=14)
    await fail(app, late, "nobody_home")
    await make_delivered_order(app, scheduled_date="2026-06-10")
    await make_order(app)


async def test_a_period_is_shown_beside_the_period_before(app: App) -> None:
    await make_two_weeks(app)
    found = await insights(app, date_from="2026-06-17", date_to="2026-06-23", compare="previous_period")
    assert (found.compared_from, found.compared_to) == (date(2026, 6, 10), date(2026, 6, 16))
    before = await insights(app)
    for name in ("orders", "delivered", "judged", "on_time", "failed_attempts", "by_status", "failed_by_reason"):
        assert getattr(found.total.compared, name) == getattr(before.total, name)
    compared = found.total.compared
    assert (compared.orders_change, compared.delivered_change, compared.failed_attempts_change) == (0.5, -0.5, None)
    assert compared.on_time_points == 50.0
    assert before.total.compared is UNSET


async def test_compared_orders_add_up_by_day_driver_and_customer(app: App) -> None:
    await make_two_weeks(app)
    for top in (10, 1):
        words = {"date_from": "2026-06-17", "date_to": "2026-06-23", "compare": "previous_period", "top": top}
        found = await insights(app, **words)
        assert sum(line.compared.orders for line in found.days) == found.total.compared.orders == 2
        for group in (found.drivers, found.contractors, found.customers):
            lines = [*group.lines, *filter(None, (group.others, group.nobody))]
            assert sum(line.compared.orders for line in lines) == 2
            assert sum(line.orders for line in lines) == found.total.orders == 3


async def test_a_period_without_orders_before_has_no_change(app: App) -> None:
    await make_delivered_order(app)
    compared = (await insights(app, compare="last_year")).total.compared
    assert (compared.orders, compared.orders_change, compared.on_time_points) == (0, None, None)


@pytest.mark.parametrize(
    ("comparison", "first", "last", "since", "until"),
    [
        ("previous_period", "2026-03-01", "2026-03-31", "2026-01-29", "2026-02-28"),
        ("last_year", "2026-03-01", "2026-03-31", "2025-03-01", "2025-03-31"),
        ("last_year", "2028-02-29", "2028-03-01", "2027-02-28", "2027-03-01"),
    ],
)
def test_the_compared_period(comparison: str, first: str, last: str, since: str, until: str) -> None:
    by, days = Comparison(comparison), [date.fromisoformat(each) for each in (first, last)]
    length = (days[1] - days[0]).days + 1
    compared = [compared_day(by, day, length) for day in days]
    assert [str(day) for day in compared] == [since, until]
    assert [counterpart(by, day, days[0], days[1]) for day in compared] == days


async def test_each_number_equals_the_list_of_its_orders(app: App) -> None:
    await make_two_weeks(app)
    found = await insights(app, date_to="2026-06-23")
    days = {"counted_to": "2026-06-23"}
    assert await count(app, **days) == found.total.orders == 5
    assert await count(app, **days, status="DELIVERED") == found.total.delivered == 3
    assert await count(app, **days, on_time=True) == found.total.on_time
    assert await count(app, **days, on_time=False) == found.total.judged - found.total.on_time == 1
    for line in found.days:
        assert await count(app, counted_from=line.key, counted_to=line.key) == line.orders
    for party, group in (("driver", found.drivers), ("contractor", found.contractors), ("customer", found.customers)):
        for line in group.lines:
            assert await count(app, **days, **{f"{party}_id": int(line.key)}) == line.orders
        without = group.nobody.orders if group.nobody else 0
        assert await count(app, **days, without=party) == without


async def test_weekdays_equal_their_orders_and_add_up_to_the_total(app: App) -> None:
    await make_two_weeks(app)
    for words in ({"date_to": "2026-06-23"}, {"date_from": "2026-06-17", "compare": "previous_period"}):
        found = await insights(app, **{"date_to": "2026-06-18", **words})
        first, last = str(found.date_from), str(found.date_to)
        counted, failed = {"counted_from": first, "counted_to": last}, {"failed_from": first, "failed_to": last}
        assert sum(line.orders for line in found.weekdays) == found.total.orders
        for line in found.weekdays:
            weekday = int(line.key)
            assert await count(app, **counted, weekday=weekday) == line.orders
            assert await count(app, **counted, weekday=weekday, on_time=False) == line.judged - line.on_time
            assert await count(app, **failed, weekday=weekday) == line.failed_attempts
        summary = await app.answer(
            "admin", "get_orders_summary", {"date_from": first, "date_to": last, "group_by": "weekday"}
        )
        assert {line.key: line.orders for line in summary.lines} == {
            line.key: line.orders for line in found.weekdays if line.orders
        }


async def test_weekdays_are_compared_with_the_same_weekdays(app: App) -> None:
    await make_two_weeks(app)
    for first, last in (("2026-06-17", "2026-06-23"), ("2026-06-14", "2026-06-19")):
        found = await insights(app, date_from=first, date_to=last, compare="previous_period")
        before = await insights(app, date_from=str(found.compared_from), date_to=str(found.compared_to))
        assert {line.key: line.compared.orders for line in found.weekdays if line.compared.orders} == {
            line.key: line.orders for line in before.weekdays
        }
        assert sum(line.compared.orders for line in found.weekdays) == found.total.compared.orders


@pytest.mark.parametrize("day", range(8, 15))
async def test_a_weekday_counts_from_monday(app: App, day: int) -> None:
    order_id = await make_order(app, scheduled_date=f"2026-06-{day:02}")
    found = await insights(app, date_from="2026-06-08", date_to="2026-06-14")
    assert [line.key for line in found.weekdays] == [str(day - 7)]
    period = {"counted_from": "2026-06-08", "counted_to": "2026-06-14"}
    listed = await app.answer("admin", "get_orders", {**period, "weekday": day - 7})
    assert [order.id for order in listed.orders] == [order_id]


async def test_hours_equal_their_orders_and_add_up_to_the_total(app: App) -> None:
    await make_hours(app)
    found = await insights(app, date_from="2026-06-10", date_to="2026-06-11")
    counted = {"counted_from": "2026-06-10", "counted_to": "2026-06-11"}
    failed = {"failed_from": "2026-06-10", "failed_to": "2026-06-11"}
    assert [line.key for line in found.hours] == ["2", "10", "12", ""]
    assert sum(line.orders for line in found.hours) == found.total.orders == 6
    assert sum(line.failed_attempts for line in found.hours) == found.total.failed_attempts == 2
    for line in found.hours:
        of_hour: dict[str, Any] = {"hour": int(line.key)} if line.key else {"without": "hour"}
        assert await count(app, **counted, **of_hour) == line.orders
        assert await count(app, **counted, **of_hour, status="DELIVERED") == line.delivered
        assert await count(app, **counted, **of_hour, on_time=False) == line.judged - line.on_time
        if line.key:
            assert await count(app, **failed, **of_hour) == line.failed_attempts
    words = {"date_from": "2026-06-10", "date_to": "2026-06-11", "group_by": "hour", "format": "csv"}
    summary = await app.answer("admin", "get_orders_summary", words)
    assert [(line.key, line.orders, line.on_time) for line in summary.lines] == [
        (line.key, line.orders, line.on_time) for line in found.hours
    ]
    assert await sum_faults(app) == {}


async def test_cells_of_weekdays_and_hours_equal_their_orders(app: App) -> None:
    await make_hours(app)
    found = await insights(app, date_from="2026-06-10", date_to="2026-06-24")
    days = {"date_from": "2026-06-10", "date_to": "2026-06-24"}
    cells = {(each.weekday, each.hour): (each.delivered, each.failed_attempts) for each in found.weekday_hours}
    assert cells == {(3, 10): (1, 1), (3, 12): (1, 0), (4, 2): (1, 1)}
    for (weekday, hour), (delivered, attempts) in cells.items():
        place: dict[str, Any] = {"weekday": weekday, "hour": hour}
        counted: dict[str, Any] = {
            "counted_from": days["date_from"],
            "counted_to": days["date_to"],
            "status": "DELIVERED",
        }
        assert await count(app, **counted, **place) == delivered
        assert await count(app, failed_from=days["date_from"], failed_to=days["date_to"], **place) == attempts


async def test_hours_are_compared_with_the_same_hours(app: App) -> None:
    await make_hours(app)
    found = await insights(app, date_from="2026-06-17", date_to="2026-06-23", compare="previous_period")
    before = await insights(app)
    assert {line.key: line.compared.orders for line in found.hours} == {line.key: line.orders for line in before.hours}


async def test_an_hour_is_one_of_the_business(app: App) -> None:
    await app.answer("admin", "update_client", {"time_zone": "America/Vancouver"})
    order_id = await make_delivered_order(app)
    found = await insights(app)
    assert [(line.key, line.orders) for line in found.hours] == [("7", 1)]
    listed = await app.answer("admin", "get_orders", {"hour": 7})
    assert [order.id for order in listed.orders] == [order_id]


async def test_an_undone_delivery_leaves_its_hour(app: App) -> None:
    order_id = await make_delivered_order(app)
    await take_step(app, order_id, OrderStep.UNDO_DELIVERY)
    app.clock.forward(hours=2)
    assert [line.key for line in (await insights(app)).hours] == [""]
    await take_step(app, order_id, OrderStep.DELIVER)
    assert [line.key for line in (await insights(app)).hours] == ["12"]
    assert await sum_faults(app) == {}


async def test_failed_attempts_equal_the_orders_by_reason_and_driver(app: App) -> None:
    await make_two_weeks(app)
    period = {"date_from": "2026-06-17", "date_to": "2026-06-23"}
    failed = {"failed_from": "2026-06-17", "failed_to": "2026-06-23"}
    found = await insights(app, **period)
    assert await count(app, **failed) == found.total.failed_attempts == 2
    for each in found.total.failed_by_reason:
        assert await count(app, **failed, failure_reason=each.reason) == each.attempts == 1
    for line in found.drivers.lines:
        assert await count(app, **failed, driver_id=int(line.key)) == line.failed_attempts
    assert await count(app, failed_from="2026-06-10", failed_to="2026-06-16") == 0


async def test_contractors_compare_and_list_their_own_orders(app: App) -> None:
    await make_delivered_order(app)
    found = await insights(app, "contractor", compare="last_year")
    assert (found.total.orders, found.total.compared.orders, found.drivers) == (0, 0, UNSET)
    assert found.weekdays == []
    assert (found.hours, found.weekday_hours) == (UNSET, UNSET)
    refused = await app.call("contractor", "get_orders_summary", {**JUNE, "group_by": "hour"})
    assert refused.error
    assert refused.error["errors"][0]["field"] == "group_by"
    assert (await app.answer("contractor", "get_orders_summary", {**JUNE, "group_by": "weekday"})).lines == []
    assert await count(app, "contractor") == 0
    assert await count(app, "rival") == 0
