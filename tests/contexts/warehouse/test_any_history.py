"""Stock quantities match movements after any concurrent history."""

import asyncio
import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, some_locations
from tests.support.app import App

SKUS = ("MUG", "PLATE")
AT_ONCE, ROUNDS = 8, 5
BARCODES = ("YYZ-A-01", "YYZ-A-02", "YYZ-A-03", "YYZ-PACK")
Step = tuple[str, dict[str, Any]]


def any_step(choose: random.Random, warehouse: int, shelves: list[int], known: list[str]) -> Step:
    """Draw a step; many are rejected."""
    pieces = {"sku": choose.choice(SKUS), "quantity": choose.randint(1, 6)}
    here, there = choose.choice(shelves), choose.choice(shelves)
    reference = choose.choice(known)
    return choose.choice(
        [
            ("receive_stock", {"lines": [{**pieces, "location_id": here}]}),
            ("receive_stock", {"lines": [{**pieces, "location_id": here, "condition": "damaged"}]}),
            ("move_stock", {"lines": [{**pieces, "from_location_id": here, "to_location_id": there}]}),
            ("adjust_stock", {"location_id": here, "sku": pieces["sku"], "change": -2, "reason": "lost"}),
            ("reserve_stock", {"warehouse_id": warehouse, "reference": reference, "lines": [pieces]}),
            ("release_stock_reservation", {"warehouse_id": warehouse, "reference": reference}),
            (
                "create_pick_wave",
                {"warehouse_id": warehouse, "references": [reference], "staging_location_id": shelves[-1]},
            ),
            (
                "confirm_picks",
                {
                    "wave_id": choose.randint(1, 3),
                    "lines": [
                        {
                            "task_id": choose.randint(1, 4),
                            "quantity": choose.randint(0, 3),
                            "short": choose.random() < 0.3,
                        }
                    ],
                },
            ),
            ("ship_stock", {"warehouse_id": warehouse, "reference": reference, "unpicked": choose.random() < 0.5}),
        ]
    )


def any_pack_or_count(choose: random.Random, warehouse: int, shelves: list[int], known: list[str]) -> Step:
    """Draw a packing or counting step."""
    pieces = {"sku": choose.choice(SKUS), "quantity": choose.randint(1, 3)}
    count = {"count_id": choose.randint(1, 3)}
    line = {**pieces, "location_id": choose.choice(shelves)}
    return choose.choice(
        [
            ("pack_stock", {"warehouse_id": warehouse, "reference": choose.choice(known), "lines": [pieces]}),
            ("unpack_stock", {"pick_package_id": choose.randint(1, 3)}),
            ("cancel_pick_wave", {"wave_id": choose.randint(1, 3)}),
            ("create_stock_count", {"warehouse_id": warehouse, "location_ids": [choose.choice(shelves)]}),
            ("record_stock_count", {**count, "lines": [line]}),
            ("finish_stock_count", count),
            ("approve_stock_count", count),
        ]
    )


def any_scan(app: App, choose: random.Random, warehouse: int, known: list[str]) -> dict[str, Any]:
    """Draw a scan with one of few ids, so that many are sent twice or concurrently."""
    return {
        "scan_id": f"s-{choose.randint(1, 60)}",
        "kind": choose.choice(["receive", "put_away", "move", "pick", "pick", "count"]),
        "code": choose.choice(SKUS),
        "warehouse_id": warehouse,
        "location": choose.choice(BARCODES),
        "to_location": choose.choice(BARCODES),
        "quantity": choose.randint(1, 4),
        "reference": choose.choice([None, *known]),
        "occurred_at": (app.clock.now - timedelta(minutes=choose.randint(0, 90))).isoformat(),
    }


def any_scans(app: App, choose: random.Random, warehouse: int, known: list[str]) -> Step:
    """One scan, or the queue of a device."""
    scans = [any_scan(app, choose, warehouse, known) for _ in range(choose.choice([1, 1, 4]))]
    if len(scans) == 1:
        return "record_scan", {"device_id": "gun", **scans[0]}
    return "sync_scans", {"device_id": "gun", "scans": scans}


async def on_hand_by_movements(app: App) -> Counter[tuple[int, str, str]]:
    """Return the stock of locations by product and state, from movements only."""
    sums: Counter[tuple[int, str, str]] = Counter()
    cursor = None
    while True:
        page = await app.answer("admin", "list_stock_movements", {"per_page": 100, "cursor": cursor})
        for one in page.movements:
            for location, sign in ((one.from_location_id, -1), (one.to_location_id, 1)):
                if location is not None:
                    sums[location, one.sku, one.condition] += sign * one.quantity
        cursor = page.next_cursor
        if cursor is None:
            return Counter({key: pieces for key, pieces in sums.items() if pieces})


async def check_books(app: App, warehouse: int, known: list[str], *, scanned: bool) -> None:
    """Check levels against movements and reservations, and inventory against levels.

    Scans record facts even beyond the books: reservations are limited to stock only without scans.
    """
    levels = (await app.answer("admin", "list_stock_levels", {"per_page": 100})).levels
    held = Counter({(one.location_id, one.sku, one.condition): one.on_hand for one in levels if one.on_hand})
    assert held == await on_hand_by_movements(app)
    assert all(one.reserved >= 0 for one in levels)
    assert scanned or all(one.reserved <= one.on_hand for one in levels)
    reserved: Counter[tuple[int, int]] = Counter()
    for reference in known:
        found = await app.call("admin", "get_stock_reservation", {"warehouse_id": warehouse, "reference": reference})
        answer: Any = found.answer
        for piece in answer.reserved if answer else ():
            reserved[piece.location_id, piece.product_id] += piece.quantity
    assert reserved == Counter({(one.location_id, one.product_id): one.reserved for one in levels if one.reserved})
    for sku, (on_hand, taken, available) in (await inventory(app)).items():
        mine = [one for one in levels if one.sku == sku]
        assert on_hand == sum(one.on_hand for one in mine)
        assert taken == sum(one.reserved for one in mine)
        free = sum(max(0, one.on_hand - one.reserved) for one in mine if one.condition == "good")
        assert available == free == sum(one.available for one in mine)


@pytest.mark.parametrize(("seed", "scanned"), [(1, False), (2, False), (3, True), (4, True)])
async def test_stock_records_agree_after_any_sequence_of_concurrent_calls(app: App, seed: int, scanned: bool) -> None:
    choose = random.Random(seed)
    warehouse = await make_warehouse(app)
    shelves = await some_locations(app, warehouse, "A-01", "A-02", "A-03")
    shelves += await some_locations(app, warehouse, "PACK", kind="packing")
    known = [f"A-{n}" for n in range(4)]
    for sku in SKUS:
        await make_product(app, sku)
        await app.answer("admin", "receive_stock", {"lines": [{"sku": sku, "quantity": 9, "location_id": shelves[0]}]})

    def step() -> Step:
        chance = choose.random()
        if scanned and chance < 0.5:
            return any_scans(app, choose, warehouse, known)
        if chance > 0.8:
            return any_pack_or_count(choose, warehouse, shelves, known)
        return any_step(choose, warehouse, shelves, known)

    done: Counter[int] = Counter()
    for _ in range(ROUNDS):
        steps = [step() for _ in range(AT_ONCE)]
        answers = await asyncio.gather(*(app.call("admin", name, values) for name, values in steps))
        done += Counter(answer.status for answer in answers)
        await check_books(app, warehouse, known, scanned=scanned)
    assert done.keys() <= {200, 404, 409}
    assert done[200]
    assert scanned or done[409]
