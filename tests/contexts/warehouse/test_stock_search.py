"""Stock search: codes find their record, words find products and locations."""

from typing import Any

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App


async def find(app: App, query: str, **wanted: Any) -> Any:
    return await app.answer("admin", "find_stock", {"search": query, **wanted})


async def stocked(app: App) -> tuple[int, int, list[int]]:
    """Two warehouses with mugs and phones; their ids and those of three locations."""
    here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
    shelves = [*await some_locations(app, here, "A-01", "A-02"), *await some_locations(app, there, "A-01")]
    await make_product(app, "MUG-BLUE", name="Mug, blue", barcodes=["4006381333931"])
    await make_product(app, "MUG-RED", name="Mug, red")
    await make_product(app, "PHONE", tracking="serial")
    await receive(app, shelves[0], 5, "MUG-BLUE")
    await receive(app, shelves[2], 3, "MUG-BLUE")
    await receive(app, shelves[1], 2, "MUG-RED")
    await receive(app, shelves[1], 1, "PHONE", serial="SN-7")
    return here, there, shelves


async def test_a_barcode_or_sku_finds_one_product_with_its_stock(app: App) -> None:
    here, there, shelves = await stocked(app)
    for code in ("4006381333931", " MUG-BLUE "):
        found = await find(app, code)
        assert (found.exact, [each.sku for each in found.products]) == (True, ["MUG-BLUE"])
        assert found.products[0].on_hand == 8
        assert [(each.location, each.name, each.on_hand) for each in found.levels] == [
            ("A-01", "Mug, blue", 5),
            ("A-01", "Mug, blue", 3),
        ]
        assert {each.location_id for each in found.levels} == {shelves[0], shelves[2]}
    only = await find(app, "MUG-BLUE", warehouse_id=there)
    assert ([each.on_hand for each in only.levels], only.products[0].on_hand) == ([3], 3)
    assert here != there


async def test_a_location_code_finds_locations_in_all_warehouses_with_their_stock(app: App) -> None:
    here, _, shelves = await stocked(app)
    found = await find(app, "a-01")
    assert (found.exact, [each.id for each in found.locations]) == (True, [shelves[0], shelves[2]])
    assert [each.on_hand for each in found.levels] == [5, 3]
    scanned = await find(app, "YYZ-A-02")
    assert [each.id for each in scanned.locations] == [shelves[1]]
    assert {each.sku for each in scanned.levels} == {"MUG-RED", "PHONE"}
    assert [each.id for each in (await find(app, "A-01", warehouse_id=here)).locations] == [shelves[0]]


async def test_serial_and_package_numbers_can_be_searched(app: App) -> None:
    here, there, _ = await stocked(app)
    serial = await find(app, "SN-7")
    assert (serial.exact, serial.products, [each.serial for each in serial.levels]) == (True, [], ["SN-7"])
    batch = {"from_warehouse_id": here, "to_warehouse_id": there, "numbers": ["PALLET-1"]}
    transfer = (await app.answer("admin", "create_transfer", batch)).transfer.id
    (package,) = (await find(app, "pallet-1")).packages
    assert (package.number, package.warehouse_id, package.transfer_id) == ("PALLET-1", here, transfer)


async def test_words_find_products_and_locations_and_unknown_codes_find_nothing(app: App) -> None:
    await stocked(app)
    found = await find(app, "mug")
    assert (found.exact, [each.sku for each in found.products]) == (False, ["MUG-BLUE", "MUG-RED"])
    assert sum(each.on_hand for each in found.levels) == 10
    assert [each.code for each in (await find(app, "02")).locations] == ["A-02"]
    for nothing in ("nowhere", "   "):
        found = await find(app, nothing)
        assert (found.exact, found.products, found.locations, found.packages, found.levels) == (False, [], [], [], [])


async def test_statement_count_does_not_grow_with_search_results(app: App) -> None:
    here = await make_warehouse(app)
    (shelf,) = await some_locations(app, here, "A-01")
    counted = []
    for number in range(3):
        await make_product(app, f"MUG-{number}")
        await receive(app, shelf, 2, f"MUG-{number}")
        before = app.statements
        found = await find(app, "MUG")
        counted.append(app.statements - before)
        assert len(found.products) == number + 1
    assert counted[0] == counted[1] == counted[2]


async def test_stock_awaiting_put_away_is_listed_by_location_type(app: App) -> None:
    here = await make_warehouse(app)
    (dock,) = await some_locations(app, here, "DOCK", kind="receiving")
    (shelf,) = await some_locations(app, here, "A-01")
    await make_product(app)
    await receive(app, dock, 4)
    await receive(app, shelf, 6)
    waiting = (await app.answer("admin", "list_stock_levels", {"location_kind": "receiving"})).levels
    assert [(each.location, each.on_hand) for each in waiting] == [("DOCK", 4)]


async def test_low_stock_is_paged_and_can_be_filtered_by_warehouse(app: App) -> None:
    here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
    (shelf,) = await some_locations(app, here, "A-01")
    for sku, level, pieces in (("A", 5, 5), ("B", 5, 4), ("C", 0, 0), ("D", 1, 0)):
        await make_product(app, sku, reorder_below=level)
        if pieces:
            await receive(app, shelf, pieces, sku)
    assert set(await inventory(app, short=True)) == {"B", "D"}
    assert set(await inventory(app, short=True, warehouse_id=there)) == {"A", "B", "D"}
    first = await app.answer("admin", "get_inventory", {"short": True, "per_page": 1})
    assert ([each.sku for each in first.inventory], first.inventory[0].short) == (["B"], True)
    rest = await app.answer("admin", "get_inventory", {"short": True, "per_page": 1, "cursor": first.next_cursor})
    assert ([each.sku for each in rest.inventory], rest.next_cursor) == (["D"], None)


async def test_reservations_can_be_filtered_by_wave(app: App) -> None:
    here = await make_warehouse(app)
    (shelf,) = await some_locations(app, here, "A-01")
    (pack,) = await some_locations(app, here, "PACK", kind="packing")
    await make_product(app)
    await receive(app, shelf, 10)
    for reference in ("A-1", "A-2"):
        lines = [{"sku": "MUG", "quantity": 2}]
        await app.answer("admin", "reserve_stock", {"warehouse_id": here, "reference": reference, "lines": lines})
    wave = {"warehouse_id": here, "references": ["A-1"], "staging_location_id": pack}
    await app.answer("admin", "create_pick_wave", wave)
    for in_wave, expected in ((True, ["A-1"]), (False, ["A-2"]), (None, ["A-1", "A-2"])):
        listed = await app.answer("admin", "list_stock_reservations", {"in_wave": in_wave})
        assert ([each.reference for each in listed.reservations], listed.total) == (expected, len(expected))
