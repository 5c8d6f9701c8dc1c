"""Insights: metrics of a period as charts and tables."""

import re
from datetime import date
from html import unescape
from typing import Any

import pytest
from tests.contexts.control_tower.overview.makers import fail, give_to_driver, make_delivered_order
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import get_page

from haulier.web.desk.charts import HEAT_LEVELS, heat_of
from haulier.web.desk.insights import BARS_MAX, CHART_HEIGHT, bars_of
from haulier.web.desk.pages import DeskRequest

PAGE = "/desk/insights?date_from=2026-06-01&date_to=2026-06-30"


def make_line(day: str, orders: int, **by_status: int) -> dict[str, object]:
    counts = [{"status": status.upper(), "orders": count} for status, count in by_status.items()]
    return {"key": day, "orders": orders, "delivered": by_status.get("delivered", 0), "by_status": counts}


async def test_order_outcomes_are_charted_described_and_exported(app: App) -> None:
    order_id = await make_delivered_order(app)
    await give_to_driver(app, order_id, "driver")
    await fail(app, await make_order(app), "nobody_home")
    page = await get_page(app, PAGE, "admin")
    assert page.status_code == 200
    text = unescape(page.text)
    assert "Jun 10, 2026: 1 of 2 delivered, 1 failed" in text
    assert re.search(r"<h2>By driver</h2>.*?>Driver</a></th><td><a [^>]+>1</a></td><td><a [^>]+>1</a></td>", text, re.S)
    export = re.search(r'href="([^"]+group_by=driver[^"]+)"', text)
    assert export
    file = await get_page(app, export[1], "admin")
    assert file.headers["content-type"].startswith("text/csv")
    assert file.text.splitlines()[1].split(",")[1:3] == ["Driver", "1"]


async def test_numbers_lead_to_their_orders_and_stand_beside_the_earlier_ones(app: App) -> None:
    order_id = await make_delivered_order(app)
    await give_to_driver(app, order_id, "driver")
    await fail(app, await make_order(app), "nobody_home")
    text = unescape((await get_page(app, PAGE + "&compare=previous_period", "admin")).text)
    assert "Compared with" in text
    assert "before: 0" in text
    links = set(re.findall(r'href="(/desk/orders\?[^"]+)"', text))
    counts = {link: (await get_page(app, link, "admin")).text.count('<tr data-id="') for link in links}
    days = "counted_from=2026-06-01&counted_to=2026-06-30"
    assert counts[f"/desk/orders?{days}"] == 2
    assert counts[f"/desk/orders?{days}&status=DELIVERED"] == 1
    assert counts["/desk/orders?failed_from=2026-06-01&failed_to=2026-06-30&failure_reason=nobody_home"] == 1
    assert counts["/desk/orders?counted_from=2026-06-10&counted_to=2026-06-10"] == 2
    assert counts[f"/desk/orders?{days}&weekday=3"] == 2
    assert counts["/desk/orders?failed_from=2026-06-01&failed_to=2026-06-30&weekday=3"] == 1
    assert (
        "Weekday: <strong>Wednesday</strong>" in (await get_page(app, f"/desk/orders?{days}&weekday=3", "admin")).text
    )
    assert re.search(r"<h2>By weekday</h2>.*?>Wednesday</th><td><a [^>]+>2</a>", text, re.S)
    assert counts[f"/desk/orders?{days}&hour=10"] == 2
    assert counts[f"/desk/orders?{days}&weekday=3&hour=10&status=DELIVERED"] == 1
    assert counts["/desk/orders?failed_from=2026-06-01&failed_to=2026-06-30&weekday=3&hour=10"] == 1
    assert "Hour: <strong>10 AM</strong>" in (await get_page(app, f"/desk/orders?{days}&hour=10", "admin")).text
    assert 'title="Wednesday, 10 AM: 1 delivered, 0 late, 1 failed attempts"' in text
    (of_driver,) = [link for link in links if "driver_id=" in link and "status" not in link and "counted" in link]
    assert counts[of_driver] == 1


async def test_a_contractor_sees_days_and_no_other_users(app: App) -> None:
    await make_delivered_order(app)
    text = (await get_page(app, PAGE, "contractor")).text
    assert "No orders in this period" in text
    assert "By customer" not in text


async def test_the_page_loads_its_metrics_once_at_a_constant_cost(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    call = DeskRequest.call

    async def counted(desk: DeskRequest, operation: Any, values: Any, **options: Any) -> Any:
        asked.append(operation.name)
        return await call(desk, operation, values, **options)

    async def cost() -> int:
        asked.clear()
        before = app.statements
        await get_page(app, PAGE, "admin")
        return app.statements - before

    monkeypatch.setattr(DeskRequest, "call", counted)
    await make_delivered_order(app, customer_id=app.ids["customer"])
    few = await cost()
    for who in ("customer", "customer2", "customer2"):
        await give_to_driver(app, await make_delivered_order(app, customer_id=app.ids[who]), "driver")
    assert await cost() <= few + 1, "the names of drivers, once there are any"
    assert asked == ["get_orders_insights", "get_weekly_report"]


async def test_an_inverted_period_is_reported_at_its_field(app: App) -> None:
    page = await get_page(app, "/desk/insights?date_from=2026-06-30&date_to=2026-06-01", "admin")
    assert page.status_code == 422
    assert 'id="date_from-fault"' in page.text


async def test_users_without_report_access_find_no_page(app: App) -> None:
    assert (await get_page(app, "/desk/insights", "customer")).status_code == 404


def make_hour(weekday: int, hour: int, delivered: int, failed: int = 0) -> dict[str, int]:
    return {
        "weekday": weekday,
        "hour": hour,
        "delivered": delivered,
        "judged": delivered,
        "on_time": delivered,
        "failed_attempts": failed,
    }


def test_a_heat_map_covers_the_hours_with_work_and_shades_by_deliveries() -> None:
    heat = heat_of(
        [make_hour(1, 9, 10), make_hour(3, 12, 1), make_hour(7, 11, 0, failed=2)], lambda place: (None, None)
    )
    assert heat
    assert list(heat.hours) == [9, 10, 11, 12]
    assert [cell.level for cell in heat.rows[1]] == [HEAT_LEVELS, 0, 0, 0]
    assert [cell.level for cell in heat.rows[3]] == [0, 0, 0, 1]
    assert [(cell.level, cell.failed) for cell in heat.rows[7]] == [(0, 0), (0, 0), (0, 2), (0, 0)]
    assert heat_of([], lambda place: (None, None)) is None


def test_every_day_has_a_bar_including_those_without_orders() -> None:
    lines = [make_line("2026-06-02", 4, delivered=2, failed=1, new_order=1), make_line("2026-06-04", 2, delivered=2)]
    bars = bars_of(lines, date(2026, 6, 1), date(2026, 6, 4))
    assert [bar.orders for bar in bars] == [0, 4, 0, 2]
    assert bars[1].parts == (("good", 50.0, 50.0), ("bad", 25.0, 25.0), ("rest", 0.0, 25.0))
    assert bars[3].parts == (("good", CHART_HEIGHT / 2, CHART_HEIGHT / 2),)
    assert [bar.before for bar in bars] == [None] * 4
    assert bars_of([], date(2026, 6, 1), date(2026, 6, 4)) == []


def test_a_long_period_is_charted_by_weeks_from_monday() -> None:
    lines = [make_line("2026-01-01", 1, delivered=1), make_line("2026-12-31", 1)]
    bars = bars_of(lines, date(2026, 1, 1), date(2026, 12, 31))
    assert len(bars) == 53 < BARS_MAX
    assert {bar.day.weekday() for bar in bars} == {0}
    assert sum(bar.orders for bar in bars) == 2
