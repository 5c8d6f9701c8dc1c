"""Order search, and lists by status and lateness."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_contact, make_order


async def found(app: App, query: str) -> list[int]:
    return [order.id for order in (await app.answer("admin", "find_order", {"search": query})).orders]


async def listed(app: App, **words: Any) -> list[int]:
    return sorted(order.id for order in (await app.answer("admin", "get_orders", words)).orders)


async def test_search_matches_number_parts_in_any_case_and_postal_codes_without_spaces(app: App) -> None:
    order_id = await make_order(app, postal_code="M5V 2T6", packages=[{}, {}])
    await make_order(app, postal_code="K1A 0B1")
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    number, piece = order.tracking_number, order.packages[1].tracking_number
    for query in (number.lower(), piece.lower(), number[:9], number[-6:].lower(), f"{number[:6]} {number[6:]}"):
        assert await found(app, query) == [order_id], query
    for query in ("M5V 2T6", "M5V2T6", "m5v2t6", "m5v 2"):
        assert await found(app, query) == [order_id], query
    assert await found(app, "no such thing") == []


async def test_orders_can_be_filtered_by_one_or_more_statuses(app: App) -> None:
    new, held, gone = [await make_order(app) for _ in range(3)]
    await app.answer("admin", "hold_order", {"order_id": held})
    await app.answer("admin", "cancel_order", {"order_id": gone})
    assert await listed(app, status="HOLD") == [held]
    assert await listed(app, statuses=["NEW_ORDER", "CANCELLED"]) == [new, gone]
    answer = await app.rest("admin", "GET", "/v1/orders?statuses=NEW_ORDER&statuses=HOLD")
    assert sorted(order["id"] for order in answer.json()["orders"]) == [new, held]
    assert (await app.rest("admin", "GET", "/v1/orders?statuses=HOLD,LOST")).status_code == 422
    assert (await app.call("admin", "get_orders", {"statuses": ["LOST"]})).status == 422


async def test_late_orders_are_unfinished_orders_past_their_window(app: App) -> None:
    over = {"window_end": "2026-06-10T13:00:00Z"}
    late, done = await make_order(app, **over), await make_order(app, **over)
    await make_order(app, window_end="2026-06-10T15:00:00Z")
    await make_order(app)
    await app.answer("admin", "cancel_order", {"order_id": done})
    assert await listed(app, late=True) == [late]
    asked = {"consignee": make_contact(), **over}
    assert (await app.answer("rival", "create_order", asked)).order.id not in await listed(app, late=True)
