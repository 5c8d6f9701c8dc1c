"""Orders that need attention, with their reasons."""

from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_order, set_order

OVER = {"window_end": "2026-06-10T13:00:00Z"}


async def listed(app: App, who: str = "admin", **words: Any) -> dict[int, list[str]]:
    """The kinds of problems of each order that is listed."""
    answer = await app.answer(who, "list_exceptions", words)
    return {order.order_id: [problem.kind.value for problem in order.problems] for order in answer.exceptions}


async def make_troubled_day(app: App) -> dict[str, int]:
    """An order for each kind of problem, and some without any."""
    late, failed, held, disabled, done = [await make_order(app) for _ in range(5)]
    day = {"unplanned": await make_order(app, **OVER), "late": late, "failed": failed, "held": held}
    nowhere = await app.answer("admin", "create_order", {"consignee": ADDRESS, "order_ref": "nowhere"})
    await set_order(app, late, status=5, window_end=app.clock.now.replace(hour=13))
    await set_order(app, failed, status=7)
    await app.answer("admin", "hold_order", {"order_id": held, "reason": "Unpaid."})
    await set_order(app, disabled, contractor_id=app.ids["contractor"])
    await app.answer("admin", "disable_user", {"user_id": app.ids["contractor"]})
    await set_order(app, done, status=6, window_end=app.clock.now.replace(hour=13))
    await make_order(app, window_end="2026-06-10T15:00:00Z")
    return {**day, "contractor_disabled": disabled, "no_coordinates": nowhere.order.id}


async def test_each_kind_of_problem_is_found_without_false_positives(app: App) -> None:
    day = await make_troubled_day(app)
    assert await listed(app) == {order_id: [kind] for kind, order_id in day.items()}
    for kind, order_id in day.items():
        assert await listed(app, kinds=[kind]) == {order_id: [kind]}, kind
    app.clock.forward(days=1)
    over = await listed(app, kinds=["unplanned", "late"])
    assert over[day["contractor_disabled"]] == ["unplanned", "contractor_disabled"]  # its day is over, too


async def test_an_exception_states_its_start_and_reason(app: App) -> None:
    day = await make_troubled_day(app)
    answer = await app.answer("admin", "list_exceptions")
    problems = {order.order_id: order.problems[0] for order in answer.exceptions}
    assert problems[day["held"]].reason == "Unpaid."
    assert problems[day["held"]].since == app.clock.now
    assert problems[day["unplanned"]].since.isoformat() == "2026-06-10T09:00:00-04:00"
    assert problems[day["no_coordinates"]].since is None


async def test_the_total_matches_the_listed_exceptions(app: App) -> None:
    await make_troubled_day(app)
    pages = [await app.answer("admin", "list_exceptions", {"page": page, "per_page": 4}) for page in (1, 2, 3)]
    walked = [order.order_id for page in pages for order in page.exceptions]
    assert (len(walked), len(set(walked))) == (6, 6)
    assert {page.total for page in pages} == {6}
    assert {kind: getattr(pages[0].counts, kind) for kind in pages[0].counts.__struct_fields__} == {
        **dict.fromkeys(("late", "unplanned", "failed", "held", "no_coordinates", "contractor_disabled"), 1),
        **dict.fromkeys(("stock_short", "piece_missing", "piece_damaged"), 0),
    }


async def test_listing_exceptions_uses_a_constant_number_of_statements(app: App) -> None:
    costs: list[int] = []
    for _ in range(2):
        await make_order(app, **OVER)
        await app.answer("admin", "list_exceptions")
        before = app.statements
        await app.answer("admin", "list_exceptions")
        costs.append(app.statements - before)
        await app.answer("admin", "bulk_create_orders", {"orders": [{"consignee": ADDRESS}] * 30})
    assert costs[0] == costs[1]


async def test_contractors_see_their_own_exceptions_and_another_business_sees_none(app: App) -> None:
    own = await make_order(app, **OVER)
    await make_order(app, **OVER)
    await set_order(app, own, contractor_id=app.ids["contractor"])
    assert await listed(app, "contractor") == {own: ["unplanned"]}
    assert await listed(app, "contractor", contractor_id=app.ids["contractor2"]) == {own: ["unplanned"]}
    assert await listed(app, "rival") == {}


async def test_exceptions_can_be_filtered_by_customer_name(app: App) -> None:
    own = await make_order(app, "customer", **OVER)
    await make_order(app, **OVER)
    settings = {"customer_id": app.ids["customer"]}
    email = (await app.answer("admin", "get_customer_settings", settings)).email
    assert await listed(app, customer=email) == {own: ["unplanned"]}
    refused = await app.call("admin", "list_exceptions", {"customer": "nobody at all"})
    assert refused.status == 404
