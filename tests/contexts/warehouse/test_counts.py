"""Stock counts, with differences posted after approval by an administrator."""

import asyncio
from collections import Counter
from typing import Any

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App


async def make_count(app: App, warehouse: int, **words: Any) -> int:
    asked = {"warehouse_id": warehouse, **words}
    return (await app.answer("employee", "create_stock_count", asked)).count.id


async def record(app: App, count: int, location: int, quantity: int, sku: str = "MUG", **words: Any) -> Any:
    line = {"location_id": location, "sku": sku, "quantity": quantity, **words}
    return (await app.answer("employee", "record_stock_count", {"count_id": count, "lines": [line]})).count


async def finish(app: App, count: int, **words: Any) -> Any:
    return (await app.answer("employee", "finish_stock_count", {"count_id": count, **words})).count


async def lines_of(app: App, count: int, **words: Any) -> list[tuple[Any, ...]]:
    answer = await app.answer("employee", "get_stock_count", {"count_id": count, **words})
    return [(line.location, line.sku, line.expected, line.counted, line.difference) for line in answer.lines]


async def test_a_blind_count_hides_stock_levels_until_done_and_posts_on_approval(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    await make_product(app)
    await make_product(app, "PLATE")
    await receive(app, first, 10)
    await receive(app, second, 4)
    count = await make_count(app, warehouse)
    shown = await record(app, count, first, 8)
    assert (shown.state, shown.lines, shown.counted, shown.differences) == ("open", 2, 1, None)
    assert await lines_of(app, count) == [("A-01", "MUG", None, 8, None), ("A-02", "MUG", None, None, None)]
    await record(app, count, second, 3, "PLATE")
    assert (await app.call("employee", "finish_stock_count", {"count_id": count})).status == 409
    await record(app, count, second, 4)
    assert (await finish(app, count)).state == "counted"
    differing = await lines_of(app, count, differences=True)
    assert differing == [("A-01", "MUG", 10, 8, -2), ("A-02", "PLATE", 0, 3, 3)]
    assert await inventory(app) == {"MUG": (14, 0, 14), "PLATE": (0, 0, 0)}
    assert (await app.call("employee", "approve_stock_count", {"count_id": count})).status == 403
    posted = await app.answer("admin", "approve_stock_count", {"count_id": count})
    assert (posted.count.state, [one.kind for one in posted.movements]) == ("approved", ["count", "count"])
    assert await inventory(app) == {"MUG": (12, 0, 12), "PLATE": (3, 0, 3)}


async def test_movements_between_count_and_approval_do_not_change_the_difference(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    await make_product(app)
    await receive(app, first, 10)
    count = await make_count(app, warehouse, location_ids=[first])
    await record(app, count, first, 9)
    line = {"sku": "MUG", "quantity": 5, "from_location_id": first, "to_location_id": second}
    await app.answer("admin", "move_stock", {"lines": [line]})
    await finish(app, count)
    await app.answer("admin", "approve_stock_count", {"count_id": count})
    levels = (await app.answer("admin", "list_stock_levels", {})).levels
    assert {level.location_id: level.on_hand for level in levels} == {first: 4, second: 5}


async def test_differences_are_recounted_and_a_rejected_count_posts_nothing(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    await make_product(app)
    await receive(app, first, 10)
    await receive(app, second, 4)
    count = await make_count(app, warehouse, blind=False)
    await record(app, count, first, 1)
    await record(app, count, second, 4)
    await finish(app, count)
    again = (await app.answer("employee", "recount_stock", {"count_id": count})).count
    assert (again.state, again.counted) == ("open", 1)
    assert await lines_of(app, count) == [("A-01", "MUG", 10, None, None), ("A-02", "MUG", 4, 4, 0)]
    done = await finish(app, count, rest_is_gone=True)
    assert done.differences == 1
    assert (await app.answer("employee", "reject_stock_count", {"count_id": count})).count.state == "rejected"
    assert (await app.call("admin", "approve_stock_count", {"count_id": count})).status == 409
    assert await inventory(app) == {"MUG": (14, 0, 14)}


async def test_a_cycle_count_selects_the_longest_uncounted_locations(app: App) -> None:
    warehouse = await make_warehouse(app)
    await some_locations(app, warehouse, "A-01", "A-02", "A-03")
    shelves = {
        row.id: row.code for row in (await app.answer("admin", "list_locations", {"warehouse_id": warehouse})).locations
    }
    await make_product(app)
    for location in shelves:
        await receive(app, location, 1)
    taken: list[str] = []
    for _ in range(4):
        count = await make_count(app, warehouse, locations=1)
        taken += [line[0] for line in await lines_of(app, count)]
        await app.answer("employee", "reject_stock_count", {"count_id": count})
    assert taken == ["A-01", "A-02", "A-03", "A-01"]


async def test_of_concurrent_counts_one_is_refused_and_of_concurrent_approvals_one_posts(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 10)
    asked = {"warehouse_id": warehouse, "location_ids": [shelf]}
    answers = await asyncio.gather(*(app.call("admin", "create_stock_count", asked) for _ in range(4)))
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 3}
    made: list[Any] = [answer.answer for answer in answers if answer.answer]
    count = made[0].count.id
    await record(app, count, shelf, 7)
    await finish(app, count)
    answers = await asyncio.gather(*(app.call("admin", "approve_stock_count", {"count_id": count}) for _ in range(4)))
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 3}
    assert await inventory(app) == {"MUG": (7, 0, 7)}
    assert await make_count(app, warehouse, location_ids=[shelf])


async def test_statement_count_does_not_grow_with_count_lines(app: App) -> None:
    warehouse = await make_warehouse(app)
    shelves = await some_locations(app, warehouse, *(f"A-{n:02}" for n in range(20)))
    await make_product(app)
    for shelf in shelves:
        await receive(app, shelf, 3)
    counted = []
    for some in (shelves[:2], shelves):
        before = app.statements
        count = await make_count(app, warehouse, location_ids=some)
        lines = [{"location_id": shelf, "sku": "MUG", "quantity": 2} for shelf in some]
        await app.answer("employee", "record_stock_count", {"count_id": count, "lines": lines})
        await finish(app, count)
        await lines_of(app, count)
        await app.answer("admin", "approve_stock_count", {"count_id": count})
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
