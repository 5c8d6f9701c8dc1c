"""Order summaries by period, and the overview of a day."""

import asyncio
import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from msgspec import UNSET, to_builtins
from sqlalchemy import delete, update
from tests.contexts.control_tower.overview.makers import (
    deliver,
    fail,
    give_to_driver,
    make_delivered_order,
    sum_faults,
    take_step,
)
from tests.support.app import App
from tests.support.transport import DAY, make_driver, make_order, make_route, order_row, set_order

from haulier.contexts.analytics.public import fold_sums
from haulier.contexts.analytics.sums.jobs import fold_all_sums
from haulier.contexts.analytics.sums.store import daily_sums
from haulier.contexts.orders.delivery_orders.queries import visible_orders
from haulier.contexts.orders.delivery_orders.store.tables import changes, orders
from haulier.contexts.orders.public import OrderStep, assign_orders_to_contractor, set_order_window
from haulier.kernel.call import call_as_system

JUNE: dict[str, Any] = {"date_from": "2026-06-01", "date_to": "2026-06-30"}


async def summary(app: App, who: str = "admin", **words: Any) -> Any:
    return await app.answer(who, "get_orders_summary", JUNE | words)


async def counts(app: App, **words: Any) -> dict[str, int]:
    return {line.key: line.orders for line in (await summary(app, **words)).lines}


async def test_an_order_counts_once_under_its_status_before_and_after_aggregation(app: App) -> None:
    await make_delivered_order(app)
    await make_order(app)
    held = await make_order(app)
    await take_step(app, held, OrderStep.HOLD)
    for _ in range(2):
        assert await counts(app, group_by="status") == {"NEW_ORDER": 1, "HOLD": 1, "DELIVERED": 1}
        await fold_all_sums.handler(app.application)
    await take_step(app, held, OrderStep.RELEASE)
    assert await counts(app, group_by="status") == {"NEW_ORDER": 2, "DELIVERED": 1}
    assert await sum_faults(app) == {}


async def test_an_open_order_counts_on_its_day_and_a_finished_one_on_its_end_day(app: App) -> None:
    order_id = await make_order(app, scheduled_date="2026-06-20")
    undated = await make_order(app, scheduled_date=None)
    assert await counts(app) == {"2026-06-20": 1, DAY: 1}
    app.clock.forward(days=2)
    await deliver(app, order_id)
    await take_step(app, undated, OrderStep.CANCEL)
    assert await counts(app) == {"2026-06-12": 2}
    await take_step(app, order_id, OrderStep.UNDO_DELIVERY)
    assert await counts(app) == {"2026-06-12": 1, "2026-06-20": 1}
    assert await sum_faults(app) == {}


async def test_a_rescheduled_order_counts_on_its_new_day(app: App) -> None:
    order_id = await make_order(app)
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await set_order_window(call, [order_id], None, None, date(2026, 6, 15))
    assert await counts(app) == {"2026-06-15": 1}
    assert await sum_faults(app) == {}


async def test_the_on_time_rate_covers_deliveries_with_a_promised_time(app: App) -> None:
    await make_delivered_order(app, scheduled_date=None)
    await make_delivered_order(app)
    late = await make_order(app)
    app.clock.forward(days=1)
    await deliver(app, late)
    total = (await summary(app)).total
    assert (total.delivered, total.judged, total.on_time, total.on_time_share) == (3, 2, 1, 0.5)


async def test_failed_attempts_stay_counted_by_reason_and_driver(app: App) -> None:
    order_id = await make_order(app)
    await give_to_driver(app, order_id, "driver")
    await fail(app, order_id, "recipient_unavailable")
    await give_to_driver(app, order_id, "driver2")
    await fail(app, order_id, "address_issue")
    await deliver(app, order_id)
    total = (await summary(app)).total
    assert (total.delivered, total.failed_attempts) == (1, 2)
    reasons = {each.reason: each.attempts for each in total.failed_by_reason}
    assert reasons == {"recipient_unavailable": 1, "address_issue": 1}
    by_driver = {
        line.name: (line.orders, line.failed_attempts) for line in (await summary(app, group_by="driver")).lines
    }
    assert by_driver == {"Driver": (0, 1), "Driver2": (1, 1)}
    assert await sum_faults(app) == {}


async def test_rows_per_customer_include_names_and_order_costs(app: App) -> None:
    order_id = await make_delivered_order(app, customer_id=app.ids["customer"])
    await make_order(app, customer_id=app.ids["customer"])
    await make_order(app)
    price = (await order_row(app, order_id)).price["total"]
    lines = (await summary(app, group_by="customer")).lines
    (customer, nobody) = lines
    assert (customer.key, customer.name, customer.orders) == (str(app.ids["customer"]), "Customer", 2)
    (money,) = customer.money
    assert (money.currency, money.ordered_minor, money.delivered_minor) == ("CAD", 2 * price, price)
    assert (nobody.key, nobody.name, nobody.orders) == ("", None, 1)
    only = (await summary(app, customer_id=app.ids["customer"])).total
    assert only.orders == 2


async def test_a_contractor_sees_their_own_orders_without_money_and_customers(app: App) -> None:
    for who in ("contractor", "contractor2"):
        order_id = await make_order(app)
        async with app.database.write(app.clients["demo"]) as work:
            call = await call_as_system(app.application, app.clients["demo"], work)
            await assign_orders_to_contractor(call, [order_id], app.ids[who])
    await make_order(app)
    own = await summary(app, "contractor")
    assert own.total.orders == 1
    assert not own.total.money
    asked = {**JUNE, "contractor_id": app.ids["contractor2"]}
    assert (await app.answer("contractor", "get_orders_summary", asked)).total.orders == 1
    refused = await app.call("contractor", "get_orders_summary", {**JUNE, "group_by": "customer"})
    assert refused.error
    assert refused.error["code"] == "INVALID_REQUEST"
    assert (await app.answer("contractor", "daily_digest")).orders.orders == 1
    assert await sum_faults(app) == {}


async def test_an_inverted_or_too_long_period_is_refused(app: App) -> None:
    for days in (("2026-06-02", "2026-06-01"), ("2025-01-01", "2026-06-01")):
        result = await app.call("admin", "get_orders_summary", dict(zip(("date_from", "date_to"), days, strict=True)))
        assert result.error
        assert result.error["code"] == "INVALID_REQUEST"


async def test_a_summary_can_be_exported_as_csv(app: App) -> None:
    await make_delivered_order(app)
    answer = await app.rest(
        "admin", "GET", "/v1/analytics/orders?date_from=2026-06-10&date_to=2026-06-10", headers={"Accept": "text/csv"}
    )
    (line,) = csv.DictReader(io.StringIO(answer.text))
    assert (line["key"], line["orders"], line["delivered"], line["cancelled"]) == (DAY, "1", "1", "0")


async def test_the_overview_of_a_day_is_complete(app: App) -> None:
    await make_delivered_order(app)
    await fail(app, await make_order(app), "recipient_unavailable")
    held = await make_order(app)
    await take_step(app, held, OrderStep.HOLD)
    digest = await app.answer("admin", "daily_digest", {"day": DAY})
    assert (digest.orders.orders, digest.orders.delivered, digest.orders.failed_attempts) == (3, 1, 1)
    assert {each.kind.value: each.count for each in digest.needs_attention} == {"failed_orders": 1, "held_orders": 1}
    assert (digest.exceptions_open, digest.routes.routes, digest.cash) == (2, 0, [])


async def test_many_orders_in_one_status_do_not_hide_problems_in_another(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible_orders, "ORDER_PROBLEMS_MOST", 2)
    for _ in range(3):
        await take_step(app, await make_order(app), OrderStep.HOLD)
    await fail(app, await make_order(app), "recipient_unavailable")
    digest = await app.answer("admin", "daily_digest", {"day": DAY})
    assert {each.kind.value: each.count for each in digest.needs_attention} == {"failed_orders": 1, "held_orders": 2}
    assert digest.exceptions_open == 2


async def test_totals_stay_correct_under_concurrent_orders_and_aggregation(app: App) -> None:
    async def fold() -> None:
        for _ in range(5):
            async with app.database.write(app.clients["demo"]) as work:
                await fold_sums(work, 3)

    await asyncio.gather(*(make_delivered_order(app) for _ in range(6)), fold(), fold())
    assert await counts(app, group_by="status") == {"DELIVERED": 6}
    assert await sum_faults(app) == {}


async def test_days_follow_the_business_time_zone_across_clock_changes(app: App) -> None:
    # Toronto: 8 March 2026 has 23 hours, and 1 November 25. Midnight is 5:00 UTC in winter and 4:00 UTC in summer.
    moments = {
        datetime(2026, 3, 8, 4, 59, tzinfo=UTC): "2026-03-07",
        datetime(2026, 3, 8, 5, 0, tzinfo=UTC): "2026-03-08",
        datetime(2026, 3, 9, 3, 59, tzinfo=UTC): "2026-03-08",
        datetime(2026, 3, 9, 4, 0, tzinfo=UTC): "2026-03-09",
        datetime(2026, 11, 1, 3, 59, tzinfo=UTC): "2026-10-31",
        datetime(2026, 11, 1, 4, 0, tzinfo=UTC): "2026-11-01",
        datetime(2026, 11, 2, 4, 59, tzinfo=UTC): "2026-11-01",
        datetime(2026, 11, 2, 5, 0, tzinfo=UTC): "2026-11-02",
    }
    order_ids = [await make_order(app, scheduled_date=None) for _ in moments]
    for order_id, moment in zip(order_ids, moments, strict=True):
        for step in (OrderStep.PLAN, OrderStep.START):
            await take_step(app, order_id, step)
        await take_step(app, order_id, OrderStep.DELIVER, at=moment)
    expected: dict[str, int] = {}
    for day in moments.values():
        expected[day] = expected.get(day, 0) + 1
    answer = await app.answer("admin", "get_orders_summary", {"date_from": "2026-01-01", "date_to": "2026-12-31"})
    assert {line.key: line.delivered for line in answer.lines} == expected


async def test_a_summary_uses_a_constant_number_of_statements(app: App) -> None:
    async def cost(operation: str, **words: Any) -> int:
        before = app.statements
        await app.answer("admin", operation, words)
        return app.statements - before

    await make_delivered_order(app, customer_id=app.ids["customer"])
    asked = {
        "get_orders_summary": {**JUNE, "group_by": "customer"},
        "get_orders_insights": JUNE,
        "daily_digest": {},
        "get_earnings_report": JUNE,
    }
    few = {name: await cost(name, **words) for name, words in asked.items()}
    for who in ("customer", "customer2"):
        for _ in range(5):
            await make_delivered_order(app, customer_id=app.ids[who])
    assert {name: await cost(name, **words) for name, words in asked.items()} == few


async def test_insights_match_the_summaries(app: App) -> None:
    await give_to_driver(app, await make_delivered_order(app, customer_id=app.ids["customer"]), "driver")
    await fail(app, await make_order(app, customer_id=app.ids["customer2"]), "nobody_home")
    await make_order(app, customer_id=app.ids["customer2"])
    insights = await app.answer("admin", "get_orders_insights", JUNE)
    by_day = await summary(app)
    assert to_builtins([insights.total, *insights.days]) == to_builtins([by_day.total, *by_day.lines])
    for name in ("drivers", "contractors", "customers"):
        alone = [line for line in (await summary(app, group_by=name.removesuffix("s"))).lines if line.key]
        most_first = sorted(alone, key=lambda line: -line.orders)
        assert to_builtins(getattr(insights, name).lines) == to_builtins(most_first)
        assert getattr(insights, name).count == len(alone)
    assert [line.orders for line in insights.customers.lines] == [2, 1]
    foremost = (await app.answer("admin", "get_orders_insights", {**JUNE, "top": 1})).customers
    assert (foremost.count, len(foremost.lines)) == (2, 1)


async def test_rows_per_driver_add_up_to_the_total(app: App) -> None:
    with_account, without = await make_driver(app, user="driver", name="Dana"), await make_driver(app, name="Ben")
    for name, driver_id in (("Dana", with_account), ("Ben", without)):
        order_ids = [await make_order(app) for _ in range(2)]
        await make_route(app, order_ids=order_ids, driver_id=driver_id, name=name)
        for order_id in order_ids:
            await take_step(app, order_id, OrderStep.START)
            await take_step(app, order_id, OrderStep.DELIVER)
    await make_delivered_order(app)
    for top in (10, 1):
        insights = await app.answer("admin", "get_orders_insights", {**JUNE, "top": top})
        group = insights.drivers
        lines = [*group.lines, *filter(None, (group.others, group.nobody))]
        assert sum(line.delivered for line in lines) == insights.total.delivered == 5
    assert {line.name: line.delivered for line in (await summary(app, group_by="driver")).lines} == {
        "Dana": 2,
        "Ben": 2,
        None: 1,
    }
    assert (await summary(app, driver_id=without)).total.delivered == 2
    assert await sum_faults(app) == {}


async def test_contractors_get_daily_insights_into_their_own_orders(app: App) -> None:
    await make_delivered_order(app)
    insights = await app.answer("contractor", "get_orders_insights", JUNE)
    assert (insights.total.orders, insights.days) == (0, [])
    assert (insights.drivers, insights.contractors, insights.customers) == (UNSET, UNSET, UNSET)
    assert (await app.answer("rival", "get_orders_insights", JUNE)).total.orders == 0
    inverted = await app.call("admin", "get_orders_insights", {"date_from": "2026-06-02", "date_to": "2026-06-01"})
    assert [each["field"] for each in inverted.error["errors"]] == ["date_from"]


async def test_a_rebuild_counts_orders_without_aggregates_once(app: App) -> None:
    from haulier.cli.analytics import _check, _rebuild

    order_id = await make_delivered_order(app)
    await fail(app, await make_order(app), "recipient_unavailable")
    client = app.clients["demo"]
    await set_order(app, order_id, status=8)
    assert await _check(app.application, client)
    assert await _rebuild(app.application, client)
    assert await counts(app, group_by="status") == {"FAILED": 1, "RETURNED": 1}
    assert await _rebuild(app.application, client) == 0


async def test_a_rebuild_gives_earlier_orders_their_hours(app: App) -> None:
    from haulier.cli.analytics import _check, _rebuild

    await make_delivered_order(app)
    await fail(app, await make_order(app), "recipient_unavailable")
    client = app.clients["demo"]
    async with app.database.write(client) as work:
        await fold_sums(work)
        await work.run(update(orders).values(counted_hour=None))
        await work.run(update(changes).values(failed_hour=None))
        await work.run(delete(daily_sums).where(daily_sums.c.dimension == "hour", daily_sums.c.subject_id > 0))
    app.clock.forward(hours=5)
    assert await _check(app.application, client)
    assert await _rebuild(app.application, client)
    assert await counts(app, group_by="hour") == {"10": 2}
    summary = await app.answer("admin", "get_orders_summary", {**JUNE, "group_by": "hour"})
    assert [(line.key, line.failed_attempts, line.failed_by_reason[0].reason) for line in summary.lines] == [
        ("10", 1, "recipient_unavailable")
    ]
    assert await _rebuild(app.application, client) == 0
