"""Losses are always posted: reservations without stock become owned shortages."""

import asyncio
from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App


async def reserve(app: App, warehouse: int, reference: str, quantity: int) -> Any:
    lines = [{"sku": "MUG", "quantity": quantity}]
    wanted = {"warehouse_id": warehouse, "reference": reference, "lines": lines}
    return await app.call("admin", "reserve_stock", wanted)


async def make_finished_count(app: App, warehouse: int, found: dict[int, int]) -> int:
    asked = {"warehouse_id": warehouse, "location_ids": list(found)}
    count = (await app.answer("employee", "create_stock_count", asked)).count.id
    lines = [{"location_id": place, "sku": "MUG", "quantity": quantity} for place, quantity in found.items()]
    await app.answer("employee", "record_stock_count", {"count_id": count, "lines": lines})
    await app.answer("employee", "finish_stock_count", {"count_id": count})
    return count


async def shortages(app: App, **words: Any) -> list[tuple[str, int]]:
    answer = await app.answer("employee", "list_stock_shortages", words)
    return [(each.reference, each.quantity) for each in answer.shortages]


async def test_a_count_below_the_reservations_is_posted_and_releases_the_newest_first(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    await make_product(app)
    await receive(app, first, 5)
    await receive(app, second, 10)
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS, "order_ref": "A-2"})).order
    for reference, quantity in (("A-1", 2), ("A-2", 3)):
        await reserve(app, warehouse, reference, quantity)
    count = await make_finished_count(app, warehouse, {first: 3, second: 8})
    posted = await app.answer("admin", "approve_stock_count", {"count_id": count})
    assert [(each.reference, each.order_id, each.sku, each.quantity) for each in posted.released] == [
        ("A-2", order.id, "MUG", 2)
    ]
    assert await inventory(app) == {"MUG": (11, 3, 8)}
    (open_one,) = (await app.answer("employee", "list_stock_shortages", {})).shortages
    assert (open_one.id, open_one.order_id, open_one.source) == (
        posted.released[0].shortage_id,
        order.id,
        f"COUNT-{count}",
    )
    digest = await app.answer("admin", "daily_digest")
    assert [(each.kind, each.count) for each in digest.needs_attention if each.kind == "stock_shortages"] == [
        ("stock_shortages", 1)
    ]


async def test_an_order_ships_no_more_than_was_found(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 5)
    await reserve(app, warehouse, "A-1", 5)
    count = await make_finished_count(app, warehouse, {shelf: 1})
    await app.answer("admin", "approve_stock_count", {"count_id": count})
    shipped = await app.answer("admin", "ship_stock", {"warehouse_id": warehouse, "reference": "A-1", "unpicked": True})
    assert [each.quantity for each in shipped.movements] == [1]
    assert await inventory(app) == {"MUG": (0, 0, 0)}


async def test_a_lost_or_damaged_item_is_written_off_even_if_reserved(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 5)
    await reserve(app, warehouse, "A-1", 5)
    gone = {"location_id": shelf, "sku": "MUG"}
    lost = await app.answer("employee", "adjust_stock", {**gone, "change": -2, "reason": "lost"})
    assert [(each.reference, each.quantity) for each in lost.released] == [("A-1", 2)]
    await app.answer("employee", "adjust_stock", {**gone, "change": -1, "reason": "damaged"})
    assert await inventory(app) == {"MUG": (2, 2, 0)}
    assert (await app.call("employee", "adjust_stock", {**gone, "change": -3, "reason": "lost"})).status == 409
    assert await shortages(app) == [("A-1", 2), ("A-1", 1)]


async def test_a_stock_file_with_less_than_reserved_is_accepted(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 5)
    await reserve(app, warehouse, "A-1", 5)
    content = "sku,location,quantity\nMUG,YYZ-A-01,1\n"
    await app.answer("admin", "import_stock", {"format": "csv", "content": content, "mode": "set"})
    await app.work_off()
    assert await inventory(app) == {"MUG": (1, 1, 0)}
    assert await shortages(app) == [("A-1", 4)]


async def test_a_count_posts_no_more_than_the_remaining_stock(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 10)
    count = await make_finished_count(app, warehouse, {shelf: 3})
    gone = {"location_id": shelf, "sku": "MUG", "change": -6, "reason": "damaged"}
    await app.answer("admin", "adjust_stock", gone)
    await app.answer("admin", "approve_stock_count", {"count_id": count})
    assert await inventory(app) == {"MUG": (0, 0, 0)}


async def test_a_released_item_is_no_longer_a_task_of_its_wave(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    (bench,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await receive(app, shelf, 5)
    await reserve(app, warehouse, "A-1", 5)
    asked = {"warehouse_id": warehouse, "references": ["A-1"], "staging_location_id": bench}
    wave = await app.answer("admin", "create_pick_wave", asked)
    lost = {"location_id": shelf, "sku": "MUG", "change": -4, "reason": "lost"}
    await app.answer("admin", "adjust_stock", lost)
    pick = {"wave_id": wave.wave.id, "lines": [{"task_id": wave.tasks[0].id, "quantity": 2}]}
    assert (await app.call("admin", "confirm_picks", pick)).status == 409
    pick["lines"] = [{"task_id": wave.tasks[0].id, "quantity": 1}]
    assert (await app.answer("admin", "confirm_picks", pick)).wave.open is False
    assert await inventory(app) == {"MUG": (1, 1, 0)}


async def test_a_shortage_can_be_assigned_and_resolved(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 2)
    await reserve(app, warehouse, "A-1", 2)
    lost = {"location_id": shelf, "sku": "MUG", "change": -1, "reason": "lost"}
    id = (await app.answer("admin", "adjust_stock", lost)).released[0].shortage_id
    users = {user.account: user.id for user in (await app.answer("admin", "list_users")).users}
    owner = {"shortage_id": id, "owner_id": users["employee"]}
    assert (await app.answer("admin", "update_stock_shortage", owner)).shortage.owner_id == users["employee"]
    assert (await app.call("admin", "update_stock_shortage", {**owner, "owner_id": users["driver"]})).status == 404
    done = {"shortage_id": id, "resolved": True, "note": "Customer accepts one"}
    resolved = (await app.answer("employee", "update_stock_shortage", done)).shortage
    assert (resolved.resolved_by, resolved.note) == (users["employee"], "Customer accepts one")
    assert (await shortages(app), await shortages(app, resolved=True)) == ([], [("A-1", 1)])


async def test_concurrent_counts_picks_and_reservations_leave_no_reservation_without_stock(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    (bench,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    for turn in range(4):
        await receive(app, shelf, 6)
        for n in range(2):
            await reserve(app, warehouse, f"T{turn}-{n}", 3)
        references = [f"T{turn}-0", f"T{turn}-1"]
        asked = {"warehouse_id": warehouse, "references": references, "staging_location_id": bench}
        wave = await app.answer("admin", "create_pick_wave", asked)
        count = await make_finished_count(app, warehouse, {shelf: 1})
        picks = [{"wave_id": wave.wave.id, "lines": [{"task_id": task.id, "quantity": 3}]} for task in wave.tasks]
        answers = await asyncio.gather(
            app.call("admin", "approve_stock_count", {"count_id": count}),
            *(app.call("admin", "confirm_picks", pick) for pick in picks),
            *(reserve(app, warehouse, f"T{turn}-new-{n}", 1) for n in range(2)),
        )
        assert answers[0].status == 200
        assert {answer.status for answer in answers} <= {200, 409}
        levels = (await app.answer("admin", "list_stock_levels", {})).levels
        assert [level for level in levels if not 0 <= level.reserved <= level.on_hand] == []
        for reference in (*references, *(f"T{turn}-new-{n}" for n in range(2))):
            gone = {"warehouse_id": warehouse, "reference": reference, "unpicked": True}
            assert (await app.call("admin", "ship_stock", gone)).status in (200, 404)
        assert [
            level.reserved for level in (await app.answer("admin", "list_stock_levels", {})).levels if level.reserved
        ] == []
