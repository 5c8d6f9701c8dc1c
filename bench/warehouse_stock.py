"""Stock for `bench.warehouse`: two years of movements, levels and scans."""

from collections import Counter
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import Table, select
from tests.contexts.warehouse.makers import make_product, make_warehouse, some_locations
from tests.support.app import App

from haulier.contexts.warehouse.products.store import products
from haulier.contexts.warehouse.scans.store import scans
from haulier.contexts.warehouse.stock.store.tables import levels, movements
from haulier.contexts.warehouse.warehouses.store import locations

PRODUCTS, SHELVES = 2_000, 2_000
SHELVES_OF_A_PRODUCT = 20
PERIOD = timedelta(days=730)
ROWS_AT_ONCE = 5_000
BENCH = "PACK"


class Stock(NamedTuple):
    """The measured warehouse, and another one."""

    hall: int
    other: int
    shelves: list[int]


class Places(NamedTuple):
    """Ids of products and shelves, by number."""

    products: list[int]
    shelves: list[int]


def product_of(number: int) -> int:
    """Return the product of a pair of movements: a tenth of all are of one product."""
    return 0 if number % 10 == 0 else number % PRODUCTS


def sku_of(number: int) -> str:
    """Return the SKU of a call."""
    return f"SKU-{product_of(number)}"


async def fill_stock(app: App, count: int) -> Stock:
    """Create two warehouses, one with a number of past movements."""
    hall, other = await make_warehouse(app), await make_warehouse(app, "YUL")
    await make_product(app, "SKU-0", reorder_below=5, barcodes=["4006381333931"])
    await some_locations(app, hall, "S-0")
    await some_locations(app, hall, BENCH, kind="packing")
    await _copy_rows(
        app, products, "sku", [{"sku": f"SKU-{number}", "name": f"Product {number}"} for number in range(1, PRODUCTS)]
    )
    await _copy_rows(
        app,
        locations,
        "code",
        [{"code": f"S-{number}", "barcode": f"YYZ-S-{number}", "walk_order": number} for number in range(1, SHELVES)],
    )
    places = await _places(app)
    held: Counter[tuple[int, int]] = Counter()
    for begin in range(0, count, ROWS_AT_ONCE):
        numbers = range(begin, min(begin + ROWS_AT_ONCE, count))
        async with app.database.write(app.clients["demo"]) as work:
            rows = [_movement(app, hall, places, number, count) for number in numbers]
            await work.insert_many(movements, rows)
            await work.insert_many(scans, [_scan(hall, row, number) for number, row in zip(numbers, rows, strict=True)])
        for row in rows:
            came = row["to_location_id"] is not None
            held[row["to_location_id"] or row["from_location_id"], row["product_id"]] += row["quantity"] * (
                1 if came else -1
            )
    await _insert_levels(app, hall, held)
    await _settle_statistics(app)
    return Stock(hall, other, places.shelves)


async def _copy_rows(app: App, table: Table, key: str, rows: list[dict[str, Any]]) -> None:
    """Insert copies of the first row of a table with changed columns."""
    client = app.clients["demo"]
    async with app.database.read(client) as work:
        first = (await work.all(select(table).order_by(table.c.id).limit(1)))[0]
    kept = {column.name: getattr(first, column.name) for column in table.columns if column.name not in _GIVEN}
    async with app.database.write(client) as work:
        await work.insert_many(table, [kept | row for row in rows])


_GIVEN = {"id", "client_id"}


async def _places(app: App) -> Places:
    async with app.database.read(app.clients["demo"]) as work:
        goods = await work.all(select(products.c.id, products.c.sku))
        shelves = await work.all(select(locations.c.id, locations.c.code).where(locations.c.code.like("S-%")))
    return Places(_by_number(goods), _by_number(shelves))


def _by_number(rows: Any) -> list[int]:
    return [id for id, _ in sorted(rows, key=lambda row: int(row[1].rpartition("-")[2]))]


def _movement(app: App, hall: int, places: Places, number: int, count: int) -> dict[str, Any]:
    """Return a movement: even numbers receive two items, odd ones remove one of them."""
    pair = number // 2
    product = product_of(pair)
    shelf = places.shelves[(product * 13 + pair // PRODUCTS % SHELVES_OF_A_PRODUCT) % SHELVES]
    moment = app.clock.now - PERIOD + PERIOD * number / count
    came = number % 2 == 0
    return {
        "kind": "receive" if came else "ship",
        "product_id": places.products[product],
        "quantity": 2 if came else 1,
        "lot": "",
        "serial": "",
        "condition": "good",
        "from_location_id": None if came else shelf,
        "to_location_id": shelf if came else None,
        "from_warehouse_id": None if came else hall,
        "to_warehouse_id": hall if came else None,
        "reference": f"ORD-{pair}",
        "reason": None,
        "note": None,
        "key": f"old:{number}",
        "occurred_at": moment,
        "recorded_at": moment,
        "user_id": app.ids["admin"],
    }


def _scan(hall: int, movement: dict[str, Any], number: int) -> dict[str, Any]:
    known = {name: movement[name] for name in ("quantity", "reference", "user_id", "occurred_at", "recorded_at")}
    empty = dict.fromkeys(
        (
            *("refusal", "package_number", "lot", "serial", "expires_on", "to_location_id", "note", "file_id"),
            *("belongs_to_warehouse_id", "transfer_id", "route_id", "belongs_on_route_id"),
        )
    )
    return {
        **known,
        **empty,
        "device_id": f"gun-{number % 20}",
        "scan_id": f"{number:032x}",
        "kind": "receive" if movement["to_location_id"] else "pick",
        "code": sku_of(number // 2),
        "sku": sku_of(number // 2),
        "warehouse_id": hall,
        "outcome": "done",
        "location_id": movement["to_location_id"] or movement["from_location_id"],
    }


async def _insert_levels(app: App, hall: int, held: Counter[tuple[int, int]]) -> None:
    plain = {"lot": "", "serial": "", "condition": "good", "expires_on": None, "reserved": 0, "warehouse_id": hall}
    rows = [
        {**plain, "location_id": location, "product_id": product, "on_hand": pieces}
        for (location, product), pieces in held.items()
    ]
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        async with app.database.write(app.clients["demo"]) as work:
            await work.insert_many(levels, rows[begin : begin + ROWS_AT_ONCE])


async def _settle_statistics(app: App) -> None:
    """Run ANALYZE and write to disk, as in a database that ran for a while."""
    if app.database_url.startswith("postgres"):
        from tests.support.databases import MINE, cluster

        cluster().ask("VACUUM ANALYZE", name=MINE)
