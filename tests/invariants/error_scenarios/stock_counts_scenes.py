"""Errors of stock counts: too large, in progress, unfinished, or not postable."""

from typing import Any

from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

LINES_AT_ONCE, MOST_LINES = 200, 1000


async def scene(app: App) -> dict[str, Any]:
    """Create counts in every state, and a warehouse with too many lots for one count.

    Two of the counts cannot be posted.
    """
    hall = await make_warehouse(app)
    await make_product(app)
    await make_product(app, "PHONE", tracking="serial")
    place, short, twice = await some_locations(app, hall, "A-01", "A-02", "A-03")
    (elsewhere,) = await some_locations(app, await make_warehouse(app, "YUL"), "A-01")
    await receive(app, place, 4)
    await receive(app, short, 4)
    await receive(app, place, sku="PHONE", serial="S-1")
    found = {"short": (short, {"sku": "MUG", "quantity": 0}), "twice": (twice, {"sku": "PHONE", "serial": "S-1"})}
    ids: dict[str, Any] = {"hall": hall, "place": place, "elsewhere": elsewhere}
    for name, (location, line) in found.items():
        count = await make_count(app, hall, location)
        lines = [{"quantity": 1, **line, "location_id": location}]
        await app.answer("admin", "record_stock_count", {"count_id": count, "lines": lines})
        await app.answer("admin", "finish_stock_count", {"count_id": count})
        ids[name] = count
    await make_product(app, "SALVE", tracking="lot")
    await receive(app, place, sku="SALVE", lot="L-1", expires_on="2027-12-31")
    ids["gone"] = await make_count(app, hall, place)
    await app.answer("admin", "reject_stock_count", {"count_id": ids["gone"]})
    ids["open"] = await make_count(app, hall, place)
    return ids | {"empty": await make_warehouse(app, "NIL"), "full": await make_full_warehouse(app)}


async def make_count(app: App, warehouse: int, location: int) -> int:
    """Create a count of a location and return its id."""
    asked = {"warehouse_id": warehouse, "location_ids": [location]}
    return (await app.answer("admin", "create_stock_count", asked)).count.id


async def make_full_warehouse(app: App) -> int:
    """Create a warehouse with one lot too many for a count, and return its id."""
    warehouse = await make_warehouse(app, "FULL")
    (place,) = await some_locations(app, warehouse, "A-01")
    await make_product(app, "LOTS", tracking="lot")
    piece = {"sku": "LOTS", "quantity": 1, "location_id": place}
    lots = [{**piece, "lot": f"L-{n}"} for n in range(MOST_LINES + 1)]
    for start in range(0, len(lots), LINES_AT_ONCE):
        await app.answer("admin", "receive_stock", {"lines": lots[start : start + LINES_AT_ONCE]})
    return warehouse


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    hall, open_one, short = {"warehouse_id": ids["hall"]}, {"count_id": ids["open"]}, {"count_id": ids["short"]}
    piece = {"sku": "MUG", "quantity": 1, "location_id": ids["place"]}
    elsewhere = ids["elsewhere"]
    return {
        ("create_stock_count", "UNKNOWN_SKU"): ("admin", {**hall, "skus": ["x"]}),
        ("create_stock_count", "LOCATION_ELSEWHERE"): ("admin", {**hall, "location_ids": [elsewhere]}),
        ("create_stock_count", "NOTHING_TO_COUNT"): ("admin", {"warehouse_id": ids["empty"]}),
        ("create_stock_count", "STOCK_COUNT_UNDERWAY"): ("admin", hall),
        ("create_stock_count", "STOCK_COUNT_TOO_LARGE"): ("admin", {"warehouse_id": ids["full"]}),
        ("record_stock_count", "UNKNOWN_SKU"): ("admin", {**open_one, "lines": [{**piece, "sku": "x"}]}),
        ("record_stock_count", "PIECES_NOT_TOLD_APART"): ("admin", {**open_one, "lines": [{**piece, "lot": "L"}]}),
        ("record_stock_count", "STOCK_COUNT_STATE"): ("admin", {**short, "lines": [piece]}),
        ("record_stock_count", "NOT_IN_STOCK_COUNT"): (
            "admin",
            {**open_one, "lines": [{**piece, "location_id": elsewhere}]},
        ),
        ("record_stock_count", "LOT_EXPIRY_DIFFERS"): (
            "admin",
            {**open_one, "lines": [{**piece, "sku": "SALVE", "lot": "L-1", "expires_on": "2027-06-30"}]},
        ),
        ("finish_stock_count", "STOCK_COUNT_STATE"): ("admin", short),
        ("finish_stock_count", "STOCK_COUNT_INCOMPLETE"): ("admin", open_one),
        ("recount_stock", "STOCK_COUNT_STATE"): ("admin", open_one),
        ("approve_stock_count", "STOCK_COUNT_STATE"): ("admin", open_one),
        ("approve_stock_count", "SERIAL_IN_STOCK"): ("admin", {"count_id": ids["twice"]}),
        ("reject_stock_count", "STOCK_COUNT_STATE"): ("admin", {"count_id": ids["gone"]}),
    }
