"""Stock: receipts, movements, shipments and levels."""

import asyncio
from collections import Counter

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App


async def move(app: App, source: int, target: int, quantity: int, sku: str = "MUG") -> int:
    line = {"sku": sku, "quantity": quantity, "from_location_id": source, "to_location_id": target}
    return (await app.call("admin", "move_stock", {"lines": [line]})).status


async def test_levels_follow_movements_and_the_inventory_totals_them(app: App) -> None:
    here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
    dock, shelf = await some_locations(app, here, "DOCK", "A-01")
    (other,) = await some_locations(app, there, "B-01")
    await make_product(app)
    await receive(app, dock, 10)
    assert await move(app, dock, shelf, 6) == 200
    assert await move(app, shelf, other, 2) == 200
    (item,) = (await app.answer("admin", "get_inventory")).inventory
    assert (item.on_hand, item.available) == (10, 10)
    assert {held.warehouse_id: held.on_hand for held in item.warehouses} == {here: 8, there: 2}
    levels = (await app.answer("admin", "list_stock_levels", {"sku": "MUG"})).levels
    assert {level.location_id: level.on_hand for level in levels} == {dock: 4, shelf: 4, other: 2}
    moved = (await app.answer("admin", "list_stock_movements", {"warehouse_id": there})).movements
    assert [(one.from_location_id, one.to_location_id, one.quantity) for one in moved] == [(shelf, other, 2)]


async def test_missing_or_reserved_stock_cannot_be_moved(app: App) -> None:
    warehouse = await make_warehouse(app)
    dock, shelf = await some_locations(app, warehouse, "DOCK", "A-01")
    await make_product(app)
    await receive(app, dock, 5)
    wanted = {"warehouse_id": warehouse, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 3}]}
    await app.answer("admin", "reserve_stock", wanted)
    refused = await app.call(
        "admin",
        "move_stock",
        {"lines": [{"sku": "MUG", "quantity": 3, "from_location_id": dock, "to_location_id": shelf}]},
    )
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "INSUFFICIENT_STOCK")
    assert await inventory(app) == {"MUG": (5, 3, 2)}
    assert await move(app, dock, shelf, 2) == 200


async def test_a_location_respects_its_capacity_and_a_blocked_one_accepts_nothing(app: App) -> None:
    warehouse = await make_warehouse(app)
    small, blocked = await some_locations(app, warehouse, "A-01", "A-02", capacity=3)
    await app.answer("admin", "update_location", {"location_id": blocked, "blocked": True})
    await make_product(app)
    for location, quantity, code in ((small, 4, "LOCATION_FULL"), (blocked, 1, "LOCATION_NOT_USABLE")):
        line = {"sku": "MUG", "quantity": quantity, "location_id": location}
        refused = await app.call("admin", "receive_stock", {"lines": [line]})
        assert refused.error
        assert refused.error["code"] == code
    await receive(app, small, 3)


async def test_items_are_tracked_individually_as_the_product_requires(app: App) -> None:
    (shelf,) = await some_locations(app, await make_warehouse(app), "A-01")
    await make_product(app, "SERUM", tracking="lot", expires=True)
    await make_product(app, "PHONE", tracking="serial")
    await make_product(app, "MUG")
    refused = {
        ("SERUM", "lot"): {},
        ("PHONE", "serial"): {},
        ("PHONE", "quantity"): {"serial": "S-1", "quantity": 2},
        ("MUG", "lot"): {"lot": "L1"},
    }
    for (sku, field), words in refused.items():
        line = {"sku": sku, "quantity": 1, "location_id": shelf, "expires_on": "2026-12-01", **words}
        answer = await app.call("admin", "receive_stock", {"lines": [line]})
        assert answer.error
        assert (answer.status, answer.error["errors"][0]["field"]) == (422, f"lines.0.{field}")
    await receive(app, shelf, sku="PHONE", serial="S-1")
    again = {"lines": [{"sku": "PHONE", "quantity": 1, "location_id": shelf, "serial": "S-1"}]}
    twice = await app.call("admin", "receive_stock", again)
    assert twice.error
    assert twice.error["code"] == "SERIAL_IN_STOCK"
    undated = {"lines": [{"sku": "SERUM", "quantity": 1, "location_id": shelf, "lot": "L1"}]}
    answer = await app.call("admin", "receive_stock", undated)
    assert answer.error
    assert answer.error["errors"][0]["field"] == "lines.0.expires_on"


async def test_the_earliest_expiring_stock_is_reserved_first_without_expired_or_damaged_items(app: App) -> None:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    await make_product(app, "SERUM", tracking="lot", expires=True)
    for lot, location, day in (
        ("OLD", first, "2026-06-01"),
        ("LATE", first, "2027-01-01"),
        ("SOON", second, "2026-07-01"),
    ):
        await receive(app, location, 2, "SERUM", lot=lot, expires_on=day)
    await receive(app, first, 9, "SERUM", lot="BAD", expires_on="2027-01-01", condition="damaged")
    lines = [{"sku": "SERUM", "quantity": 2}, {"sku": "SERUM", "quantity": 1}]
    wanted = {"warehouse_id": warehouse, "reference": "A-1", "lines": lines}
    reserved = (await app.answer("admin", "reserve_stock", wanted)).reserved
    assert {piece.lot: piece.quantity for piece in reserved} == {"SOON": 2, "LATE": 1}
    more = await app.call("admin", "reserve_stock", {**wanted, "reference": "A-2"})
    assert more.error
    assert more.error["code"] == "INSUFFICIENT_STOCK"


async def test_a_released_reservation_becomes_available(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 2)
    wanted = {"warehouse_id": warehouse, "lines": [{"sku": "MUG", "quantity": 2}]}
    await app.answer("admin", "reserve_stock", {**wanted, "reference": "A-1"})
    assert (await app.call("admin", "reserve_stock", {**wanted, "reference": "A-1"})).status == 409
    await app.answer("admin", "release_stock_reservation", {"warehouse_id": warehouse, "reference": "A-1"})
    assert await inventory(app) == {"MUG": (2, 0, 2)}
    await app.answer("admin", "reserve_stock", {**wanted, "reference": "A-2"})
    assert (
        await app.call("admin", "get_stock_reservation", {"warehouse_id": warehouse, "reference": "A-1"})
    ).status == 404


async def test_reservations_are_listed_with_the_quantity_to_pick(app: App) -> None:
    here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
    (shelf,) = await some_locations(app, here, "A-01")
    (bench,) = await some_locations(app, here, "PACK", kind="packing")
    (far,) = await some_locations(app, there, "A-01")
    for sku in ("MUG", "PLATE"):
        await make_product(app, sku)
        for location in (shelf, bench, far):
            await receive(app, location, 5, sku)
    for warehouse, reference, skus, quantity in ((here, "A-1", ("MUG", "PLATE"), 7), (there, "A-2", ("MUG",), 1)):
        lines = [{"sku": sku, "quantity": quantity} for sku in skus]
        asked = {"warehouse_id": warehouse, "reference": reference, "lines": lines}
        await app.answer("admin", "reserve_stock", asked)
    every = await app.answer("employee", "list_stock_reservations")
    assert [(one.reference, one.products, one.pieces, one.to_pick) for one in every.reservations] == [
        ("A-1", 2, 14, 10),
        ("A-2", 1, 1, 1),
    ]
    for wanted, found in (
        ({"warehouse_id": there}, ["A-2"]),
        ({"sku": "PLATE"}, ["A-1"]),
        ({"sku": "NOBODY"}, []),
        ({"picked": True}, []),
        ({"picked": False, "per_page": 1, "page": 2}, ["A-2"]),
    ):
        listed = await app.answer("admin", "list_stock_reservations", wanted)
        assert [one.reference for one in listed.reservations] == found
    assert (await app.answer("rival", "list_stock_reservations")).total == 0


async def test_returned_items_stay_in_quarantine_until_moved(app: App) -> None:
    warehouse = await make_warehouse(app)
    (apart,) = await some_locations(app, warehouse, "Q-01", kind="quarantine")
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    line = {"sku": "MUG", "quantity": 2, "location_id": apart}
    came = await app.answer("admin", "receive_stock", {"lines": [line], "returned": True, "reference": "RMA-1"})
    assert [(one.kind, one.reference) for one in came.movements] == [("return", "RMA-1")]
    assert await inventory(app) == {"MUG": (2, 0, 0)}
    wanted = {"warehouse_id": warehouse, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 2}]}
    assert (await app.call("admin", "reserve_stock", wanted)).status == 409
    moved = {"sku": "MUG", "quantity": 2, "from_location_id": apart, "to_location_id": shelf}
    await app.answer("admin", "move_stock", {"lines": [moved]})
    await app.answer("admin", "reserve_stock", wanted)
    assert await inventory(app) == {"MUG": (2, 2, 0)}


async def test_concurrent_requests_for_the_last_items_reserve_exactly_the_available_ones(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 5)
    wanted = {"warehouse_id": warehouse, "lines": [{"sku": "MUG", "quantity": 1}]}
    answers = await asyncio.gather(
        *(app.call("admin", "reserve_stock", {**wanted, "reference": f"A-{n}"}) for n in range(12))
    )
    assert Counter(answer.status for answer in answers) == {200: 5, 409: 7}
    assert await inventory(app) == {"MUG": (5, 5, 0)}


async def test_a_correction_has_a_reason_and_cannot_remove_missing_stock(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app, reorder_below=5)
    await receive(app, shelf, 5)
    lost = {"location_id": shelf, "sku": "MUG", "change": -2, "reason": "lost", "note": "not found"}
    (movement,) = (await app.answer("admin", "adjust_stock", lost)).movements
    assert (movement.kind, movement.reason, movement.note) == ("adjust", "lost", "not found")
    (item,) = (await app.answer("admin", "get_inventory")).inventory
    assert (item.on_hand, item.short) == (3, True)
    assert (await app.call("admin", "adjust_stock", {**lost, "change": -4})).status == 409
    nothing = await app.call("admin", "adjust_stock", {**lost, "change": 0})
    assert (nothing.status, nothing.error and nothing.error["errors"][0]["field"]) == (422, "change")


async def test_statement_count_of_receipts_and_inventories_does_not_grow_with_lines(app: App) -> None:
    warehouse = await make_warehouse(app)
    shelves = await some_locations(app, warehouse, *(f"A-{n}" for n in range(20)))
    for n in range(20):
        await make_product(app, f"P-{n:02}")
    counted = []
    for lines in (2, 20):
        before = app.statements
        pieces = [{"sku": f"P-{n:02}", "quantity": 1, "location_id": shelves[n]} for n in range(lines)]
        await app.answer("admin", "receive_stock", {"lines": pieces})
        received = app.statements
        await app.answer("admin", "get_inventory", {"per_page": lines})
        counted.append((received - before, app.statements - received))
    assert counted[0] == counted[1]
