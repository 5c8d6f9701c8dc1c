"""Dispatch board days for browser tests: separate routes and orders, and dragging."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from playwright.sync_api import Page, expect
from tests.web.browser import CONSIGNEE, DemoApi

FAR_AHEAD = datetime.now(UTC).date() + timedelta(days=30)
SPOT = """async ([route, number]) => {
  const [state, gantt] = await Promise.all([import("/static/dispatch-state.js"), import("/static/dispatch-gantt.js")]);
  const lane = state.laneOf(route), frame = document.getElementById("timeline").getBoundingClientRect();
  const spot = gantt.spotOf(lane, lane.stops[number - 1]);
  return [frame.x + spot.x, frame.y + spot.y];
}"""
"""Where the canvas draws a stop."""
BULK = "/v1/orders/bulk"


def unused_days() -> Iterator[date]:
    """Yield days without other plans, for the lifetime of the server."""
    return (FAR_AHEAD + timedelta(days=n) for n in range(1000))


def orders(admin: DemoApi, day: date, count: int) -> list[int]:
    """Orders all over the town."""
    asked = [
        {
            "consignee": {**CONSIGNEE, "lat": 60.164 + n % 41 / 2_800, "lng": 24.935 + n % 53 / 2_900},
            "scheduled_date": str(day),
        }
        for n in range(count)
    ]
    made: list[int] = []
    for at in range(0, count, 100):
        made += [each["order_id"] for each in admin.post(BULK, orders=asked[at : at + 100])["outcomes"]]
    return made


def make_day(admin: DemoApi, day: date, *sizes: int) -> list[int]:
    """Create routes with the given numbers of stops; return their ids."""
    depot = admin.get("/v1/depots")["depots"][0]["id"]
    waiting = orders(admin, day, sum(sizes))
    made: list[int] = []
    for size in sizes:
        mine, waiting = waiting[:size], waiting[size:]
        route = admin.post("/v1/routes", day=str(day), depot_id=depot, name=f"Tour {len(made) + 1:02}")["route"]["id"]
        admin.post(f"/v1/routes/{route}/orders", order_ids=mine)
        made.append(route)
    return made


def stops(admin: DemoApi, route: int) -> list[int]:
    return [stop["id"] for stop in admin.get(f"/v1/routes/{route}")["route"]["stops"]]


def open_board(page: Page, day: date) -> list[str]:
    """The board of a day; what the browser's console says against it is collected."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto(f"/dispatch?day={day}")
    expect(page.locator("#board")).to_have_attribute("data-ready", "yes")
    return said


def spot(page: Page, route: int, number: int) -> tuple[float, float]:
    x, y = page.evaluate(SPOT, [route, number])
    return x, y


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
    page.mouse.move(*end, steps=4)
