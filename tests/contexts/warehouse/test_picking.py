"""Reserved items are picked in walking order, packed and shipped."""

import asyncio
from collections import Counter
from typing import Any

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App


async def reserve(app: App, warehouse: int, reference: str, quantity: int, sku: str = "MUG") -> None:
    lines = [{"sku": sku, "quantity": quantity}]
    await app.answer("admin", "reserve_stock", {"warehouse_id": warehouse, "reference": reference, "lines": lines})


async def make_wave(app: App, warehouse: int, staging: int, *references: str) -> Any:
    asked = {"warehouse_id": warehouse, "references": references, "staging_location_id": staging}
    return await app.answer("admin", "create_pick_wave", asked)


async def confirm(app: App, wave: int, *lines: dict[str, Any]) -> Any:
    return await app.answer("employee", "confirm_picks", {"wave_id": wave, "lines": lines})


async def ship(app: App, warehouse: int, reference: str, **words: Any) -> Any:
    return await app.call("admin", "ship_stock", {"warehouse_id": warehouse, "reference": reference, **words})


async def test_orders_are_picked_in_one_wave_packed_and_shipped(app: App) -> None:
    warehouse = await make_warehouse(app)
    far, near = await some_locations(app, warehouse, "B-01", "A-01")
    await app.answer("admin", "update_location", {"location_id": far, "walk_order": 9})
    (pack,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await make_product(app, "PLATE")
    await receive(app, far, 5)
    await receive(app, near, 5, "PLATE")
    await reserve(app, warehouse, "A-1", 3)
    await reserve(app, warehouse, "A-2", 2, "PLATE")
    made = await make_wave(app, warehouse, pack, "A-1", "A-2")
    assert [(task.location, task.reference, task.quantity) for task in made.tasks] == [
        ("A-01", "A-2", 2),
        ("B-01", "A-1", 3),
    ]
    plate, mug = (task.id for task in made.tasks)
    assert (await ship(app, warehouse, "A-1")).status == 409
    half = await confirm(app, made.wave.id, {"task_id": mug, "quantity": 1})
    assert (half.wave.open, half.wave.picked, half.movements[0].kind) == (True, 1, "pick")
    whole = await confirm(app, made.wave.id, {"task_id": mug, "quantity": 2}, {"task_id": plate, "quantity": 2})
    assert (whole.wave.open, await inventory(app)) == (False, {"MUG": (5, 3, 2), "PLATE": (5, 2, 3)})
    piece = {"warehouse_id": warehouse, "reference": "A-1", "weight_g": 900, "barcode": "HL-1"}
    package = (await app.answer("admin", "pack_stock", {**piece, "lines": [{"sku": "MUG", "quantity": 3}]})).package
    assert (await app.call("admin", "pack_stock", {**piece, "lines": [{"sku": "MUG", "quantity": 1}]})).status == 409
    left = (await ship(app, warehouse, "A-1")).answer
    assert (left.package_ids, [(one.kind, one.quantity) for one in left.movements]) == ([package.id], [("ship", 3)])
    assert await inventory(app) == {"MUG": (2, 0, 2), "PLATE": (5, 2, 3)}
    assert (await ship(app, warehouse, "A-1")).status == 404
    (kept,) = (await app.answer("admin", "list_pick_packages", {"reference": "A-1"})).packages
    assert kept.shipped_at is not None
    assert (await app.call("admin", "unpack_stock", {"pick_package_id": package.id})).status == 409


async def test_short_items_are_picked_elsewhere_and_missing_ones_reported(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    (pack,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await receive(app, first, 6)
    await receive(app, second, 2)
    await reserve(app, warehouse, "A-1", 5)
    made = await make_wave(app, warehouse, pack, "A-1")
    (task,) = made.tasks
    done = await confirm(app, made.wave.id, {"task_id": task.id, "quantity": 1, "short": True})
    assert [(each.location, each.quantity, each.picked, each.short) for each in done.tasks] == [
        ("A-01", 5, 1, 4),
        ("A-02", 2, 0, 0),
    ]
    assert [(one.sku, one.quantity) for one in done.missing] == [("MUG", 2)]
    assert await inventory(app) == {"MUG": (8, 3, 5)}
    last = await confirm(app, made.wave.id, {"task_id": done.tasks[1].id, "quantity": 2})
    assert last.wave.open is False
    assert [one.quantity for one in (await ship(app, warehouse, "A-1")).answer.movements] == [3]


async def test_the_earliest_expiring_lots_are_picked_first_and_serial_numbers_are_listed(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    (pack,) = await some_locations(app, warehouse, "PACK", kind="shipping")
    await make_product(app, "SERUM", tracking="lot", expires=True)
    await make_product(app, "PHONE", tracking="serial")
    await receive(app, first, 2, "SERUM", lot="LATE", expires_on="2027-01-01")
    await receive(app, second, 2, "SERUM", lot="SOON", expires_on="2026-07-01")
    await receive(app, first, sku="PHONE", serial="S-1")
    await reserve(app, warehouse, "A-1", 3, "SERUM")
    await reserve(app, warehouse, "A-2", 1, "PHONE")
    made = await make_wave(app, warehouse, pack, "A-1", "A-2")
    assert {(task.sku, task.lot, task.serial): task.quantity for task in made.tasks} == {
        ("SERUM", "SOON", None): 2,
        ("SERUM", "LATE", None): 1,
        ("PHONE", None, "S-1"): 1,
    }
    await confirm(app, made.wave.id, *({"task_id": task.id, "quantity": task.quantity} for task in made.tasks))
    line = {"sku": "PHONE", "quantity": 1, "serial": "S-1"}
    packed = await app.answer("admin", "pack_stock", {"warehouse_id": warehouse, "reference": "A-2", "lines": [line]})
    assert packed.package.lines[0].serial == "S-1"
    await app.answer("admin", "unpack_stock", {"pick_package_id": packed.package.id})
    assert await app.answer("admin", "pack_stock", {"warehouse_id": warehouse, "reference": "A-2", "lines": [line]})


async def test_a_released_reservation_leaves_nothing_to_pick_and_unpicked_stock_ships_on_request(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    (pack,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await receive(app, shelf, 6)
    for reference in ("A-1", "A-2"):
        await reserve(app, warehouse, reference, 2)
    made = await make_wave(app, warehouse, pack, "A-1", "A-2")
    again = {"warehouse_id": warehouse, "references": ["A-1"], "staging_location_id": pack}
    assert (await app.call("admin", "create_pick_wave", again)).status == 409
    await app.answer("admin", "release_stock_reservation", {"warehouse_id": warehouse, "reference": "A-1"})
    gone = {"wave_id": made.wave.id, "lines": [{"task_id": made.tasks[0].id, "quantity": 1}]}
    assert (await app.call("admin", "confirm_picks", gone)).status == 409
    assert (await ship(app, warehouse, "A-2", unpicked=True)).status == 200
    assert (await app.answer("admin", "list_pick_waves", {"open": True})).waves == []
    assert await inventory(app) == {"MUG": (4, 0, 4)}


async def test_unstarted_picks_can_be_moved_to_another_wave(app: App) -> None:
    warehouse = await make_warehouse(app)
    shelf, other = await some_locations(app, warehouse, "A-01", "A-02")
    (bench,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await receive(app, shelf, 3)
    await receive(app, other, 9)
    for reference in ("A-1", "A-2", "A-3"):
        await reserve(app, warehouse, reference, 3)
    first = await make_wave(app, warehouse, bench, "A-1", "A-2", "A-3")
    begun = next(task.id for task in first.tasks if task.reference == "A-1")
    await confirm(app, first.wave.id, {"task_id": begun, "quantity": 1})
    wave = {"wave_id": first.wave.id}
    some = await app.answer("employee", "cancel_pick_wave", {**wave, "references": ["A-3"]})
    assert (some.removed, some.tasks) == (1, 2)
    rest = await app.answer("employee", "cancel_pick_wave", wave)
    assert (rest.removed, rest.tasks) == (1, 1)
    assert (await app.answer("employee", "cancel_pick_wave", wave)).removed == 0
    assert await inventory(app) == {"MUG": (12, 9, 3)}
    second = await make_wave(app, warehouse, bench, "A-2", "A-3")
    assert {task.reference for task in second.tasks} == {"A-2", "A-3"}
    gone = await app.answer("admin", "cancel_pick_wave", {"wave_id": second.wave.id})
    assert (gone.removed, gone.tasks) == (2, 0)
    assert (await app.call("admin", "get_pick_wave", {"wave_id": second.wave.id})).status == 404
    assert [one.id for one in (await app.answer("admin", "list_pick_waves")).waves] == [first.wave.id]
    assert (await app.call("rival", "cancel_pick_wave", wave)).status == 404


async def test_picking_during_a_wave_cancellation_loses_nothing(app: App) -> None:
    warehouse = await make_warehouse(app)
    shelf, bench = await some_locations(app, warehouse, "A-01", "PACK", kind="packing")
    await app.answer("admin", "update_location", {"location_id": shelf, "kind": "storage"})
    await make_product(app)
    await receive(app, shelf, 4)
    await reserve(app, warehouse, "A-1", 4)
    wave = await make_wave(app, warehouse, bench, "A-1")
    what = {"wave_id": wave.wave.id}
    picks = {**what, "lines": [{"task_id": wave.tasks[0].id, "quantity": 4}]}
    picked, cancelled = await asyncio.gather(
        app.call("admin", "confirm_picks", picks), app.call("admin", "cancel_pick_wave", what)
    )
    assert (picked.status, cancelled.status) in {(200, 200), (404, 200)}
    assert await inventory(app) == {"MUG": (4, 4, 0)}


async def test_picking_during_a_release_leaves_no_orphaned_reservation(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    (bench,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await receive(app, shelf, 40)
    for number in range(10):
        reference = f"A-{number}"
        await reserve(app, warehouse, reference, 2)
        wave = await make_wave(app, warehouse, bench, reference)
        picks = {"wave_id": wave.wave.id, "lines": [{"task_id": wave.tasks[0].id, "quantity": 2}]}
        what = {"warehouse_id": warehouse, "reference": reference}
        await asyncio.gather(
            app.call("admin", "confirm_picks", picks), app.call("admin", "release_stock_reservation", what)
        )
        await app.call("admin", "release_stock_reservation", what)
        assert await inventory(app) == {"MUG": (40, 0, 40)}


async def test_concurrent_picks_packs_and_shipments_move_each_item_once(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    (pack,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app)
    await receive(app, shelf, 5)
    await reserve(app, warehouse, "A-1", 3)
    made = await make_wave(app, warehouse, pack, "A-1")
    one = {"wave_id": made.wave.id, "lines": [{"task_id": made.tasks[0].id, "quantity": 1}]}
    answers = await asyncio.gather(*(app.call("admin", "confirm_picks", one) for _ in range(5)))
    assert Counter(answer.status for answer in answers) == {200: 3, 409: 2}
    piece = {"warehouse_id": warehouse, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 2}]}
    answers = await asyncio.gather(*(app.call("admin", "pack_stock", piece) for _ in range(3)))
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 2}
    answers = await asyncio.gather(*(ship(app, warehouse, "A-1") for _ in range(3)))
    assert Counter(answer.status for answer in answers) == {200: 1, 404: 2}
    assert await inventory(app) == {"MUG": (2, 0, 2)}


async def test_statement_count_does_not_grow_with_the_tasks_of_a_wave(app: App) -> None:
    warehouse = await make_warehouse(app)
    shelves = await some_locations(app, warehouse, *(f"A-{n:02}" for n in range(20)))
    (pack,) = await some_locations(app, warehouse, "PACK", kind="packing")
    skus = [f"P-{n:02}" for n in range(20)]
    for sku, shelf in zip(skus, shelves, strict=True):
        await make_product(app, sku)
        await receive(app, shelf, 9, sku)
    counted = []
    for some in (2, 20):
        lines = [{"sku": sku, "quantity": 1} for sku in skus[:some]]
        reference = f"A-{some}"
        asked = {"warehouse_id": warehouse, "reference": reference, "lines": lines}
        await app.answer("admin", "reserve_stock", asked)
        before = app.statements
        made = await make_wave(app, warehouse, pack, reference)
        await confirm(app, made.wave.id, *({"task_id": task.id, "quantity": 1} for task in made.tasks))
        await app.answer("admin", "pack_stock", asked)
        assert (await ship(app, warehouse, reference)).status == 200
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
