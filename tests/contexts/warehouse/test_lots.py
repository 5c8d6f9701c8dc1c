"""A lot has one expiry day, and `available` is what can be reserved."""

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App

GOOD, BAD = "2027-12-31", "2026-05-01"


async def make_place(app: App) -> tuple[int, int, int]:
    warehouse = await make_warehouse(app)
    first, second = await some_locations(app, warehouse, "A-01", "A-02")
    await make_product(app, "SERUM", tracking="lot", expires=True)
    return warehouse, first, second


async def days(app: App) -> set[tuple[str | None, str, int]]:
    levels = (await app.answer("admin", "list_stock_levels", {})).levels
    return {(level.lot, str(level.expires_on), level.on_hand) for level in levels}


def line(location: int, day: str, lot: str = "m1", quantity: int = 5) -> dict[str, Any]:
    return {"sku": "SERUM", "quantity": quantity, "location_id": location, "lot": lot, "expires_on": day}


async def test_another_expiry_date_for_a_lot_is_refused_with_the_recorded_one(app: App) -> None:
    warehouse, first, second = await make_place(app)
    await app.answer("admin", "receive_stock", {"lines": [line(first, GOOD)]})
    refused = await app.call("admin", "receive_stock", {"lines": [line(second, GOOD), line(second, "2026-11-20")]})
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "LOT_EXPIRY_DIFFERS")
    assert [each["field"] for each in refused.error["errors"]] == ["lines.1.expires_on"]
    assert GOOD in refused.error["message"]
    count = (await app.answer("admin", "create_stock_count", {"warehouse_id": warehouse})).count.id
    counted = {**line(first, BAD), "quantity": 6}
    assert (await app.call("admin", "record_stock_count", {"count_id": count, "lines": [counted]})).status == 409
    content = f"sku,location,quantity,lot,expires_on\nSERUM,YYZ-A-01,9,m1,{BAD}\n"
    for mode in ("add", "set"):
        await app.answer("admin", "import_stock", {"format": "csv", "content": content, "mode": mode})
    await app.work_off()
    assert await days(app) == {("m1", GOOD, 5)}


async def test_an_admin_can_correct_a_lot_everywhere(app: App) -> None:
    warehouse, first, second = await make_place(app)
    await app.answer("admin", "receive_stock", {"lines": [line(first, GOOD), line(second, GOOD)]})
    product = (await app.answer("admin", "list_products")).products[0].id
    corrected = {"product_id": product, "lot": "m1", "expires_on": BAD, "reason": "Misread"}
    assert (await app.call("employee", "correct_stock_lot", corrected)).status == 403
    assert str((await app.answer("admin", "correct_stock_lot", corrected)).previous) == GOOD
    assert await days(app) == {("m1", BAD, 5)}
    assert await inventory(app) == {"SERUM": (10, 0, 0)}
    wanted = {"warehouse_id": warehouse, "reference": "A-1", "lines": [{"sku": "SERUM", "quantity": 1}]}
    assert (await app.call("admin", "reserve_stock", wanted)).status == 409
    entries = (await app.answer("admin", "list_audit_entries", {"operation": "correct_stock_lot"})).entries
    assert [each.operation for each in entries] == ["correct_stock_lot"]


async def test_of_two_first_receipts_of_a_lot_with_different_dates_one_is_refused(app: App) -> None:
    _, first, second = await make_place(app)
    for n in range(4):
        both = [{"lines": [line(place, day, f"m{n}")]} for place, day in ((first, GOOD), (second, BAD))]
        answers = await asyncio.gather(*(app.call("admin", "receive_stock", one) for one in both))
        assert sorted(answer.status for answer in answers) == [200, 409]


async def test_moved_items_keep_their_expiry_date(app: App) -> None:
    _, first, second = await make_place(app)
    await make_product(app, "TEA", expires=True)
    await app.answer("admin", "receive_stock", {"lines": [line(first, GOOD)]})
    await receive(app, first, 5, "TEA", expires_on=BAD)
    way = {"from_location_id": first, "to_location_id": second, "quantity": 5}
    moves = [{"sku": "SERUM", "lot": "m1", **way}, {"sku": "TEA", **way}]
    await app.answer("admin", "move_stock", {"lines": moves})
    assert await days(app) == {("m1", GOOD, 5), (None, BAD, 5)}


async def test_items_without_a_lot_expire_on_the_earliest_date_of_their_location(app: App) -> None:
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app, "TEA", expires=True)
    for day in (GOOD, BAD, GOOD):
        await receive(app, shelf, 1, "TEA", expires_on=day)
    assert await days(app) == {(None, BAD, 3)}
    gone = {"location_id": shelf, "sku": "TEA", "change": -3, "reason": "expired"}
    await app.answer("admin", "adjust_stock", gone)
    await receive(app, shelf, 2, "TEA", expires_on=GOOD)
    assert await days(app) == {(None, GOOD, 2)}


@pytest.mark.parametrize("seed", range(3))
async def test_available_stock_equals_reservable_stock(app: App, seed: int) -> None:
    choose = random.Random(seed)
    warehouse = await make_warehouse(app)
    shelves = await some_locations(app, warehouse, "A-01", "A-02", "A-03")
    (quarantine,) = await some_locations(app, warehouse, "Q-01", kind="quarantine")
    await make_product(app, "SERUM", tracking="lot", expires=True)
    today = app.clock.now.date()
    lots = {f"m{n}": str(today + timedelta(days=choose.randint(-2, 2))) for n in range(4)}
    for n in range(10):
        lot = choose.choice(list(lots))
        where = choose.choice([*shelves, quarantine])
        state = choose.choice(["good", "good", "damaged"])
        came = {**line(where, lots[lot], lot, choose.randint(1, 5)), "condition": state}
        await app.answer("admin", "receive_stock", {"lines": [came]})
        some = {"warehouse_id": warehouse, "reference": f"R{n}", "lines": [{"sku": "SERUM", "quantity": 2}]}
        await app.call("admin", "reserve_stock", some)
    await app.answer("admin", "update_location", {"location_id": choose.choice(shelves), "blocked": True})
    app.clock.forward(days=1)
    available = (await inventory(app))["SERUM"][2]
    levels = (await app.answer("admin", "list_stock_levels", {})).levels
    assert sum(level.available for level in levels) == available
    pieces = [{"sku": "SERUM", "quantity": available + 1}]
    asked = {"warehouse_id": warehouse, "reference": "ALL", "lines": pieces}
    assert (await app.call("admin", "reserve_stock", asked)).status == 409
    pieces[0]["quantity"] = available
    assert available == 0 or (await app.call("admin", "reserve_stock", asked)).status == 200
    assert (await inventory(app))["SERUM"][2] == 0
