"""Stock reports: ABC classes by outbound quantity, and stock ages."""

import csv
import io
from base64 import b64decode
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.support.app import App

from haulier.contexts.warehouse.reports.rules import AbcClass, abc_classes, pieces_by_age


async def shipped(app: App, warehouse: int, sku: str, *quantities: int) -> None:
    """Ship items in batches."""
    for n, quantity in enumerate(quantities):
        wanted = {"warehouse_id": warehouse, "reference": f"{sku}-{n}", "lines": [{"sku": sku, "quantity": quantity}]}
        await app.answer("admin", "reserve_stock", wanted)
        left = {"warehouse_id": warehouse, "reference": f"{sku}-{n}", "unpicked": True}
        await app.answer("admin", "ship_stock", left)


async def test_products_are_ranked_by_outbound_quantity_and_classified(app: App) -> None:
    hall, other = await make_warehouse(app), await make_warehouse(app, "YUL")
    (shelf,), (elsewhere,) = await some_locations(app, hall, "A-01"), await some_locations(app, other, "A-01")
    for sku, worth in (("MUG", 100), ("PLATE", 9000), ("BOWL", None), ("CUP", 5)):
        await make_product(app, sku, unit_value_minor=worth)
        await receive(app, shelf, 50, sku)
    await receive(app, elsewhere, 50, "CUP")
    await shipped(app, hall, "MUG", 2, 2, 2, 2)
    await shipped(app, hall, "PLATE", 1)
    await shipped(app, other, "CUP", 40)
    statements = app.statements
    report = await app.answer("employee", "get_abc_report", {"a_percent": 60, "b_percent": 90})
    used = app.statements - statements
    assert [(one.rank, one.sku, one.movements, one.pieces, one.value_minor, one.abc_class) for one in report.lines] == [
        *[(1, "MUG", 4, 8, 800, "A"), (2, "CUP", 1, 40, 200, "B"), (3, "PLATE", 1, 1, 9000, "B")],
        (4, "BOWL", 0, 0, 0, "C"),
    ]
    assert [(one.abc_class, one.products, one.pieces) for one in report.classes] == [
        *[("A", 1, 8), ("B", 2, 41)],
        ("C", 1, 0),
    ]
    by_value = await app.answer("employee", "get_abc_report", {"measure": "value", "format": "csv", "per_page": 1})
    assert [(one.sku, one.cumulative_share) for one in by_value.lines] == [("PLATE", 0.9)]
    table = list(csv.DictReader(io.StringIO(b64decode(by_value.document).decode())))
    assert [(row["sku"], row["abc_class"]) for row in table] == [
        ("PLATE", "A"),
        ("MUG", "B"),
        ("CUP", "C"),
        ("BOWL", "C"),
    ]
    here = await app.answer("employee", "get_abc_report", {"warehouse_id": hall, "measure": "pieces", "abc_class": "A"})
    assert [one.sku for one in here.lines] == ["MUG"]
    app.clock.forward(days=2)
    assert {one.pieces for one in (await app.answer("admin", "get_abc_report", {"date_from": "2026-06-11"})).lines} == {
        0
    }
    for n in range(20):
        await make_product(app, f"MORE-{n}")
    statements = app.statements
    await app.answer("employee", "get_abc_report", {"a_percent": 60, "b_percent": 90})
    assert app.statements - statements == used
    for wrong in (
        {"a_percent": 90, "b_percent": 80},
        {"date_from": "2024-01-01"},
        {"date_to": "2026-01-01", "date_from": "2026-02-01"},
    ):
        assert (await app.call("admin", "get_abc_report", wrong)).status == 422


async def test_remaining_stock_is_the_latest_received_with_its_age(app: App) -> None:
    hall, other = await make_warehouse(app), await make_warehouse(app, "YUL")
    (shelf,), (elsewhere,) = await some_locations(app, hall, "A-01"), await some_locations(app, other, "A-01")
    await make_product(app, unit_value_minor=100)
    scans = [
        ("receive", 131, 10, {"location": "YYZ-A-01"}),
        ("receive", 31, 5, {"location": "YYZ-A-01"}),
    ]
    for n, (kind, days, quantity, where) in enumerate(scans):
        asked = {"device_id": "gun-1", "scan_id": str(n), "kind": kind, "code": "MUG", "warehouse_id": hall, **where}
        moment = (app.clock.now - timedelta(days=days)).isoformat()
        await app.answer("admin", "record_scan", {**asked, "quantity": quantity, "occurred_at": moment})
    line = {"sku": "MUG", "quantity": 2, "from_location_id": shelf, "to_location_id": elsewhere}
    await app.answer("admin", "move_stock", {"lines": [line]})
    await shipped(app, hall, "MUG", 6)
    report = await app.answer("employee", "get_stock_age", {"format": "csv"})
    (mugs,) = report.lines
    assert [(one.from_days, one.to_days, one.pieces) for one in mugs.ages if one.pieces] == [(30, 60, 5), (90, 180, 4)]
    assert (mugs.on_hand, mugs.value_minor, [one.value_minor for one in report.ages if one.pieces]) == (
        9,
        900,
        [500, 400],
    )
    (row,) = csv.DictReader(io.StringIO(b64decode(report.document).decode()))
    assert (row["sku"], row["pieces_30_60"], row["pieces_90_180"], row["pieces_365"]) == ("MUG", "5", "4", "0")
    (there,) = (await app.answer("employee", "get_stock_age", {"warehouse_id": other})).lines
    assert [(one.from_days, one.pieces) for one in there.ages if one.pieces] == [(0, 2)]


@given(st.lists(st.integers(0, 50)), st.integers(1, 99), st.integers(0, 20))
def test_classes_are_ordered_and_ages_cover_all_items(amounts: list[int], a: int, held: int) -> None:
    ranked = sorted(amounts, reverse=True)
    found = [each for each, _ in abc_classes(ranked, a, 100)]
    assert found == sorted(found)
    assert AbcClass.A in found or not sum(amounts)
    if amounts:
        ages = pieces_by_age(held, amounts)
        assert (sum(ages), min(ages) >= 0) == (held, True)
        assert all(age <= came for age, came in zip(ages[:-1], amounts, strict=False))
