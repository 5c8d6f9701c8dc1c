"""Storage orders: quoted, ordered, paid, received, charged monthly and closed."""

import asyncio
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call, some_credit
from tests.contexts.storage.examples import BOX
from tests.contexts.storage.makers import (
    later,
    make_order,
    make_shelf,
    make_tariff,
    order_now,
    refusal,
    stored,
    today,
    wish,
)
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.storage.storage_orders.actions import ChargeStorage
from haulier.contexts.storage.storage_orders.jobs import charge_stored_month
from haulier.contexts.storage.storage_orders.rules import first_of_next_month
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.rounding import divide_half_up


async def pay(app: App, order_id: int, who: str = "customer") -> Any:
    return await app.call(who, "pay_storage_order", {"storage_order_id": order_id}, confirmed=True)


async def cancel(app: App, order_id: int, who: str = "customer") -> Any:
    return await app.call(who, "cancel_storage_order", {"storage_order_id": order_id}, confirmed=True)


async def test_a_quote_stays_valid_when_the_tariff_changes(app: App) -> None:
    await make_tariff(app)
    quote = await app.answer("customer", "quote_storage_order", wish(app))
    assert (quote.storage_price_minor, quote.currency, quote.packages) == (2 * 30 * 50, "CAD", 2)
    await make_tariff(app, tiers=[{"from_day": 1, "price_minor": 99}])
    app.clock.forward(hours=23)
    order = (await app.answer("customer", "create_storage_order", {"quote_id": quote.quote_id})).storage_order
    assert (order.storage_price_minor, order.balance_due_minor, order.status) == (3000, 3000, "pending")
    later = await app.answer("customer", "quote_storage_order", wish(app))
    assert later.storage_price_minor == 2 * 30 * 99
    app.clock.forward(hours=25)
    asked = {"quote_id": later.quote_id}
    assert await refusal(app, "customer", "create_storage_order", asked) == (409, "STORAGE_QUOTE_EXPIRED")


async def test_a_quote_creates_one_order_under_concurrent_use(app: App) -> None:
    await make_tariff(app)
    quote = await app.answer("customer", "quote_storage_order", wish(app))
    asked = {"quote_id": quote.quote_id}
    made = await asyncio.gather(*(app.answer("customer", "create_storage_order", asked) for _ in range(4)))
    assert len({each.storage_order.id for each in made}) == 1
    assert sorted(each.existing for each in made) == [False, True, True, True]
    assert (await app.answer("customer", "list_storage_orders")).total == 1
    assert await refusal(app, "customer2", "create_storage_order", asked) == (404, "NOT_FOUND")


async def test_the_amount_due_is_paid_from_the_wallet_once_or_not_at_all(app: App) -> None:
    await make_tariff(app)
    order = await make_order(app)
    await some_credit(app, 2999)
    assert await refusal(app, "customer", "pay_storage_order", {"storage_order_id": order.id}) == (
        409,
        "CREDIT_INSUFFICIENT",
    )
    assert (await credit(app))[0] == 2999
    async with make_call(app) as call:
        await billing.top_up(call, app.ids["customer"], cad(5000), key="more")
    answers = await asyncio.gather(*(pay(app, order.id) for _ in range(4)))
    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
    assert {answer.error["code"] for answer in answers if answer.error} == {"NOTHING_OWED"}
    assert (await credit(app))[0] == 4999
    paid = (await app.answer("customer", "get_storage_order", {"storage_order_id": order.id})).storage_order
    assert (paid.paid_amount, paid.balance_due_minor, paid.can_be_paid) == (3000, 0, False)
    assert await faults(app) == []


async def test_cancelling_an_order_before_the_first_package_refunds_the_payment(app: App) -> None:
    await make_tariff(app)
    await some_credit(app, 6000)
    first, second = await make_order(app), await make_order(app)
    for order in (first, second):
        assert (await pay(app, order.id)).status == 200
    answers = await asyncio.gather(*(cancel(app, first.id) for _ in range(3)))
    assert sorted(answer.status for answer in answers) == [200, 409, 409]
    assert (await credit(app))[0] == 3000
    shelf = await make_shelf(app)
    await stored(app, second.id, shelf)
    assert await refusal(app, "customer", "cancel_storage_order", {"storage_order_id": second.id}) == (
        409,
        "STORAGE_STEP_REFUSED",
    )
    assert await faults(app) == []


async def test_storage_beyond_the_order_is_charged_once_per_month(app: App) -> None:
    await make_tariff(app, tiers=[{"from_day": 1, "price_minor": 50}])
    order = await make_order(app, packages=1, days=1)
    shelf = await make_shelf(app)
    (package,) = await stored(app, order.id, shelf)
    came = date.fromisoformat(today(app))
    months = []
    for _ in range(3):
        await later(app, 31)
        now = await order_now(app, order.id)
        months.append((now.owed_minor, now.charges))
    for owed, charges in months:
        last = charges[-1].period_end
        assert (last.day, owed) == (1, (last - came).days * 50)
        assert sum(charge.amount for charge in charges) == owed
    assert [charge.kind for charge in months[-1][1]] == ["booking", "period", "period", "period"]
    run = JobRun(app.application, app.clients["demo"], 1, 1)
    await asyncio.gather(*(charge_stored_month.handler(run, ChargeStorage(order.id)) for _ in range(3)))
    assert (await order_now(app, order.id)).charges == months[-1][1]
    await app.answer("admin", "return_stored_package", {"package_id": package})
    closed = (await app.answer("admin", "close_storage_order", {"storage_order_id": order.id})).storage_order
    left = date.fromisoformat(today(app))
    assert (closed.status, closed.owed_minor) == ("closed", (left - came).days * 50)
    await later(app, 90)
    assert (await order_now(app, order.id)).owed_minor == closed.owed_minor


async def test_an_order_closes_when_none_of_its_packages_are_in_stock(app: App) -> None:
    await make_tariff(app)
    order = await make_order(app)
    shelf = await make_shelf(app)
    first, second = await stored(app, order.id, shelf, 2)
    named = {"storage_order_id": order.id}
    await app.answer("admin", "return_stored_package", {"package_id": first})
    assert await refusal(app, "admin", "close_storage_order", named) == (409, "STORAGE_NOT_EMPTY")
    await app.answer("admin", "return_stored_package", {"package_id": second})
    closed = (await app.answer("admin", "close_storage_order", named)).storage_order
    assert (closed.status, closed.owed_minor, closed.stored) == ("closed", 3000, 0)
    assert await refusal(
        app, "admin", "receive_stored_packages", {**named, "packages": [{**BOX, "location_id": shelf}]}
    ) == (
        409,
        "STORAGE_STEP_REFUSED",
    )


async def test_a_customer_without_prices_sees_none_and_settles_with_the_business(app: App) -> None:
    await make_tariff(app, minimum_minor=100)
    await some_credit(app, 9000)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    order = await make_order(app)
    told = (await app.rest("customer", "GET", f"/v1/customer/storage-orders/{order.id}")).json()["storage_order"]
    assert told["price_hidden"] is True
    prices = {
        "storage_price_minor",
        "owed_minor",
        "paid_amount",
        "balance_due_minor",
        "currency",
        "price_details",
        "charges",
    }
    assert told.keys() & prices == set()
    config = (await app.rest("customer", "GET", "/v1/customer/storage-orders/config")).json()
    assert config["services"][0].keys() & {"price_tiers", "minimum_price_minor", "currency"} == set()
    assert not told["can_be_paid"]
    assert await refusal(app, "customer", "pay_storage_order", {"storage_order_id": order.id}) == (
        403,
        "PRICE_HIDDEN_SETTLE_OFFLINE",
    )
    assert (await credit(app))[0] == 9000


async def test_orders_can_be_filtered_by_status_reference_and_start_and_are_invisible_to_others(app: App) -> None:
    await make_tariff(app)
    first = await make_order(app)
    second = await make_order(app, start_date=today(app, 40))
    await app.answer("admin", "confirm_storage_order", {"storage_order_id": second.id})

    async def found(who: str = "customer", **wanted: Any) -> list[int]:
        return [each.id for each in (await app.answer(who, "list_storage_orders", wanted)).storage_orders]

    assert await found() == [second.id, first.id]
    assert await found(per_page=1, page=2) == [first.id]
    assert await found(status="confirmed") == [second.id]
    assert await found(start_to=today(app, 10)) == [first.id]
    assert await found(start_from=today(app, 10)) == [second.id]
    assert await found("customer2") == []
    for who, operation in (("customer2", "get_storage_order"), ("rival", "get_customer_storage_order")):
        assert await refusal(app, who, operation, {"storage_order_id": first.id}) == (404, "NOT_FOUND")
    office = await app.answer("admin", "list_customer_storage_orders", {"customer_id": app.ids["customer"]})
    assert office.total == 2


async def test_a_past_day_cannot_be_ordered(app: App) -> None:
    await make_tariff(app)
    for operation, values, field in (
        ("quote_storage_order", wish(app, start_date=today(app, -1)), "start_date"),
        ("create_storage_order", {"storage": wish(app, start_date=today(app, -1))}, "storage.start_date"),
    ):
        answer = await app.call("customer", operation, values)
        assert answer.error
        assert (answer.status, answer.error["errors"][0]["field"]) == (422, field)


async def test_an_unavailable_service_cannot_be_ordered(app: App) -> None:
    await make_tariff(app)
    await make_tariff(app, active=False)
    assert (await app.answer("customer", "get_storage_order_config")).services == []
    assert [each.active for each in (await app.answer("admin", "list_storage_tariffs")).tariffs] == [False]
    assert await refusal(app, "customer", "quote_storage_order", wish(app)) == (404, "NOT_FOUND")


async def test_statement_count_is_constant_for_orders_and_packages(app: App) -> None:
    await make_tariff(app)
    shelf = await make_shelf(app)
    order = await make_order(app)
    counted = []
    for packages in (1, 12):
        before = app.statements
        await stored(app, order.id, shelf, packages)
        received = app.statements
        await app.answer("customer", "list_storage_orders", {})
        await app.answer("customer", "list_stored_packages", {})
        await app.answer("customer", "get_storage_order", {"storage_order_id": order.id})
        counted.append((received - before, app.statements - received))
        for _ in range(5):
            await make_order(app)
    assert counted[0][1] == counted[1][1]
    before = app.statements
    await stored(app, order.id, shelf, 1)
    one = app.statements - before
    assert counted[1][0] == one


async def test_accrued_storage_ends_with_its_periods(app: App) -> None:
    """A package stored from one month to the next costs its days in both."""
    await make_tariff(app, interval="month", tiers=[{"from_day": 1, "price_minor": 3100}])
    order = await make_order(app, packages=1, days=1)
    (package,) = await stored(app, order.id, await make_shelf(app))
    came = date.fromisoformat(today(app))
    await later(app, 45)
    await app.answer("admin", "return_stored_package", {"package_id": package})
    closed = (await app.answer("admin", "close_storage_order", {"storage_order_id": order.id})).storage_order
    days = [came + timedelta(days=number) for number in range(45)]
    exact = sum(Fraction(3100, (first_of_next_month(day) - day.replace(day=1)).days) for day in days)
    assert closed.owed_minor == divide_half_up(*Fraction(exact).as_integer_ratio())
