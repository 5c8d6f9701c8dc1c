"""Recipients rate deliveries; the business reads ratings and finds low ones."""

import asyncio
from typing import Any

import httpx
import pytest
from tests.contexts.control_tower.overview.makers import sum_faults
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.recipients.makers import make_awaited_order
from tests.contexts.recipients.ratings import make_access, make_delivered, rate
from tests.support.app import App
from tests.support.transport import DAY, status_and_code


async def try_to_rate(app: App, access: dict[str, str], rating: int) -> Any:
    return await app.call(None, "rate_delivery", {**access, "rating": rating})


async def test_a_recipient_rates_a_delivery_through_rest_and_graphql(app: App) -> None:
    order, access = await make_delivered(app)
    body = {**access, "rating": 4, "comment": " Friendly. "}
    answer = await app.rest(None, "POST", "/v1/tracking/deliveries/rating", body)
    shown = answer.json()["delivery"]
    assert (answer.status_code, shown["rating"], shown["rating_comment"]) == (200, 4, "Friendly.")
    query = "mutation($access: String!) { rateDelivery(access: $access, rating: 5) { delivery { rating choices } } }"
    found: httpx.Response = await app.http.post("/graphql", json={"query": query, "variables": access})
    assert found.json()["data"]["rateDelivery"]["delivery"] == {"rating": 5, "choices": ["rate"]}
    read = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert (read.rating, read.rating_comment, read.rated_at) == (5, None, app.clock.now)
    assert [(step.step, step.reason) for step in read.steps[-2:]] == [("rated", "4/5"), ("rated", "5/5")]


async def test_a_dry_run_of_a_rating_shows_it_and_stores_nothing(app: App) -> None:
    order, access = await make_delivered(app)
    shown = await app.call(None, "rate_delivery", {**access, "rating": 3}, dry_run=True)
    assert (shown.error, shown.answer.delivery.rating) == (None, 3)
    assert (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order.rating is None


async def test_only_delivered_orders_can_be_rated(app: App) -> None:
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    assert status_and_code(await try_to_rate(app, access, 5)) == (409, "RATING_NOT_OPEN")
    assert "rate" not in (await app.answer(None, "get_delivery", access)).delivery.choices


async def test_a_rating_can_be_changed_for_fourteen_days(app: App) -> None:
    order, access = await make_delivered(app)
    await rate(app, access, 1)
    app.clock.forward(days=13, hours=23)
    access = await make_access(app, order)
    await rate(app, access, 3)
    app.clock.forward(hours=1)
    access = await make_access(app, order)
    assert status_and_code(await try_to_rate(app, access, 5)) == (409, "RATING_CLOSED")
    delivery = (await app.answer(None, "get_delivery", access)).delivery
    assert (delivery.rating, delivery.choices) == (3, [])


@pytest.mark.parametrize("values", [{"rating": 0}, {"rating": 6}, {"rating": 5, "comment": "x" * 501}])
async def test_invalid_ratings_name_the_field(app: App, values: dict[str, Any]) -> None:
    _, access = await make_delivered(app)
    refused = await app.call(None, "rate_delivery", {**access, **values})
    assert status_and_code(refused) == (422, "INVALID_REQUEST")
    assert [each["field"] for each in refused.error["errors"]] == [list(values)[-1]]


async def test_concurrent_ratings_leave_one_rating_and_correct_sums(app: App) -> None:
    order, access = await make_delivered(app)
    await asyncio.gather(*(rate(app, access, stars) for stars in (1, 2, 3, 4, 5)))
    insights = await app.answer("admin", "get_orders_insights", {"date_from": DAY, "date_to": DAY})
    rating = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order.rating
    assert (insights.total.ratings, insights.total.rating_average) == (1, rating)
    assert await sum_faults(app) == {}


async def test_insights_show_ratings_by_driver_with_their_orders(app: App) -> None:
    for driver, stars in (("driver", 5), ("driver", 4), ("driver2", 2)):
        _, access = await make_delivered(app, driver=driver)
        await rate(app, access, stars)
    await make_delivered(app, driver="driver")
    period = {"date_from": DAY, "date_to": DAY}
    insights = await app.answer("admin", "get_orders_insights", period)
    assert (insights.total.ratings, insights.total.rating_average) == (3, 3.67)
    assert {(line.name, line.ratings, line.rating_average) for line in insights.drivers.lines} == {
        ("Driver", 2, 4.5),
        ("Driver2", 1, 2.0),
    }
    for line in insights.drivers.lines:
        filters = {"counted_from": DAY, "counted_to": DAY, "driver_id": int(line.key), "rating_min": 1}
        assert (await app.answer("admin", "get_orders", filters)).total == line.ratings
    assert await sum_faults(app) == {}


async def test_the_csv_of_a_summary_ends_with_ratings(app: App) -> None:
    for stars in (5, 4):
        _, access = await make_delivered(app)
        await rate(app, access, stars)
    answer = await app.rest(
        "admin", "GET", f"/v1/analytics/orders?date_from={DAY}&date_to={DAY}", headers={"Accept": "text/csv"}
    )
    head, line = answer.text.splitlines()
    assert head.split(",")[-2:] == ["ratings", "rating_average"]
    assert line.split(",")[-2:] == ["2", "4.5"]


async def test_the_weekly_report_has_ratings_if_there_are_any(app: App) -> None:
    _, access = await make_delivered(app)
    asked = {"week": DAY}
    assert "rating" not in (await app.answer("admin", "preview_weekly_report", asked)).text
    await rate(app, access, 4)
    text = (await app.answer("admin", "preview_weekly_report", asked)).text
    assert "Ratings: 1 (previous week: 0)\nAverage rating: 4 of 5 (previous week: —)" in text
    german = (await app.answer("admin", "preview_weekly_report", asked, accept_language="de")).text
    assert "Durchschnittliche Bewertung: 4 von 5 (Vorwoche: —)" in german


async def test_low_ratings_need_attention_for_a_week(app: App) -> None:
    for stars in (1, 2, 3):
        _, access = await make_delivered(app)
        await rate(app, access, stars)

    async def low() -> int:
        digest = await app.answer("admin", "daily_digest")
        return sum(each.count for each in digest.needs_attention if each.kind.value == "low_ratings")

    assert await low() == 2
    assert (await app.answer("admin", "get_orders", {"rating_max": 2})).total == 2
    app.clock.forward(days=7, minutes=1)
    assert await low() == 0


async def test_drivers_and_other_businesses_do_not_read_ratings(app: App) -> None:
    order, access = await make_delivered(app, driver="driver", customer_id=app.ids["customer"])
    await rate(app, access, 2, "Late.")
    asked = {"order_id": order.id}
    seen = (await app.answer("customer", "get_order_detail", asked)).order
    assert (seen.rating, seen.rating_comment) == (2, "Late.")
    hidden = (await app.answer("driver", "get_order_detail", asked)).order
    assert (hidden.rating, hidden.rating_comment, hidden.rated_at) == (None, None, None)
    assert (await app.answer("rival", "get_orders", {"rating_min": 1})).total == 0
    assert (await app.answer("driver", "get_orders", {"rating_max": 2})).total == 0
    assert (await app.answer("customer", "get_orders", {"rating_max": 2})).total == 1


async def test_receivers_hear_of_a_rating_once(app: App) -> None:
    order, access = await make_delivered(app)
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "delivery.rated")
        for _ in range(2):
            await rate(app, access, 5, "Thank you.")
        await app.work_off()
        (message,) = receiver.received
    assert (message.document["event"], message.document["subject"]) == ("delivery.rated", f"order:{order.id}")
    data = {"order_id": order.id, "tracking_number": order.tracking_number, "rating": 5}
    assert {name: message.document["data"][name] for name in data} == data


async def test_the_comment_is_erased_with_the_recipients_data_and_stars_stay(app: App) -> None:
    order, access = await make_delivered(app)
    await rate(app, access, 4, "My name is Ada.")
    await app.answer("admin", "erase_personal_data", {"email": "ada@home.example"}, confirmed=True)
    await app.work_off()
    read = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert (read.rating, read.rating_comment) == (4, None)
