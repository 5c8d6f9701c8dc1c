"""Errors of warehouses: codes in use, unknown products, missing stock."""

from typing import Any

from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create a warehouse with three locations, a serialized item and a reservation."""
    warehouse = await make_warehouse(app)
    large, blocked = await some_locations(app, warehouse, "A-01", "A-02")
    (small,) = await some_locations(app, warehouse, "A-03", capacity=1)
    await app.answer("admin", "update_location", {"location_id": blocked, "blocked": True})
    await make_product(app, barcodes=["MUG-1"])
    plate = await make_product(app, "PLATE")
    await make_product(app, "PHONE", tracking="serial")
    await receive(app, large, 3)
    await receive(app, large, sku="PHONE", serial="S-1")
    await make_product(app, "SALVE", tracking="lot", expires=True)
    await receive(app, large, sku="SALVE", lot="L-1", expires_on="2027-12-31")
    wanted = {"warehouse_id": warehouse, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 1}]}
    await app.answer("admin", "reserve_stock", wanted)
    advice, closed = [
        (
            await app.answer(
                "admin", "create_stock_advice", {**wanted, "reference": reference, "warehouse_id": warehouse}
            )
        ).advice.id
        for reference in ("PO-1", "PO-2")
    ]
    await app.answer("admin", "close_stock_advice", {"advice_id": closed})
    scan = {"device_id": "gun", "scan_id": "1", "kind": "receive", "code": "MUG", "warehouse_id": warehouse}
    await app.answer("admin", "record_scan", {**scan, "occurred_at": "2026-06-10T08:00:00Z"})
    file = {"format": "csv", "content": "sku,location,quantity\nMUG,YYZ-A-01,1\n", "reference": "DN-1"}
    await app.answer("admin", "import_stock", file)
    (elsewhere,) = await some_locations(app, await make_warehouse(app, "YUL"), "A-01")
    rows = {"format": "csv", "content": "sku,name\nBOWL,Bowl\n"}
    over = (await app.answer("admin", "import_products", rows)).stock_import.id
    await app.answer("admin", "cancel_stock_import", {"stock_import_id": over})
    more = {"over": over, "advice": advice, "closed_advice": closed, "elsewhere": elsewhere}
    return more | {"warehouse": warehouse, "large": large, "small": small, "blocked": blocked, "plate": plate}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    warehouse, large = {"warehouse_id": ids["warehouse"]}, ids["large"]
    met: Attempts = {
        ("create_warehouse", "WAREHOUSE_CODE_TAKEN"): ("admin", {"code": "YYZ", "name": "x"}),
        ("create_locations", "LOCATION_TAKEN"): ("admin", {**warehouse, "locations": [{"code": "A-01"}]}),
        ("update_location", "LOCATION_TAKEN"): ("admin", {"location_id": large, "barcode": "YYZ-A-03"}),
        ("print_location_labels", "NO_SUCH_LOCATIONS"): ("admin", {**warehouse, "zone": "Z"}),
        ("create_product", "SKU_TAKEN"): ("admin", {"sku": "MUG", "name": "x"}),
        ("create_product", "PRODUCT_BARCODE_TAKEN"): ("admin", {"sku": "x", "name": "x", "barcodes": ["MUG-1"]}),
        ("update_product", "PRODUCT_BARCODE_TAKEN"): (
            "admin",
            {"product_id": ids["plate"], "name": "x", "barcodes": ["MUG-1"]},
        ),
    }
    lines = {
        "UNKNOWN_SKU": {"sku": "x"},
        "PIECES_NOT_TOLD_APART": {"lot": "L"},
        "LOCATION_NOT_USABLE": {"to": ids["blocked"]},
        "LOCATION_FULL": {"to": ids["small"], "quantity": 2},
        "SERIAL_IN_STOCK": {"sku": "PHONE", "serial": "S-1"},
        "LOT_EXPIRY_DIFFERS": {"sku": "SALVE", "lot": "L-1", "expires_on": "2027-06-30"},
        "INSUFFICIENT_STOCK": {"quantity": 3, "to": ids["small"]},
    }
    for code, said in lines.items():
        line = {"sku": "MUG", "quantity": 1, "to": large, **said}
        to = line.pop("to")
        if code != "INSUFFICIENT_STOCK":
            met["receive_stock", code] = ("admin", {"lines": [{**line, "location_id": to}]})
        if code == "LOT_EXPIRY_DIFFERS":
            continue
        change = -9 if code == "INSUFFICIENT_STOCK" else line["quantity"]
        rest = {name: line[name] for name in line.keys() - {"quantity"}}
        met["adjust_stock", code] = ("admin", {"location_id": to, "change": change, "reason": "found", **rest})
        if code != "SERIAL_IN_STOCK":
            met["move_stock", code] = ("admin", {"lines": [{**line, "from_location_id": large, "to_location_id": to}]})
    wanted = {**warehouse, "reference": "A-2"}
    return (
        receiving(ids, lines)
        | files_and_keys(ids)
        | met
        | {
            ("reserve_stock", "UNKNOWN_SKU"): ("admin", {**wanted, "lines": [{"sku": "x", "quantity": 1}]}),
            ("reserve_stock", "INSUFFICIENT_STOCK"): ("admin", {**wanted, "lines": [{"sku": "MUG", "quantity": 3}]}),
            ("reserve_stock", "STOCK_RESERVED_ALREADY"): (
                "admin",
                {**warehouse, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 1}]},
            ),
        }
    )


def files_and_keys(ids: dict[str, Any]) -> Attempts:
    """Return attempts for errors of files and of reused keys."""
    scan = {"device_id": "gun", "scan_id": "1", "kind": "receive", "code": "MUG", "warehouse_id": ids["warehouse"]}
    file = {"format": "csv", "content": "sku,location,quantity\nMUG,YYZ-A-01,2\n", "reference": "DN-1"}
    return {
        ("record_scan", "CLIENT_KEY_REUSED"): ("admin", {**scan, "occurred_at": "2026-06-10T08:05:00Z"}),
        ("import_stock", "CLIENT_KEY_REUSED"): ("admin", file),
        ("cancel_stock_import", "STOCK_IMPORT_IS_OVER"): ("admin", {"stock_import_id": ids["over"]}),
    }


def receiving(ids: dict[str, Any], lines: dict[str, dict[str, Any]]) -> Attempts:
    """Return attempts for errors of announced goods and put-away."""
    warehouse, large = {"warehouse_id": ids["warehouse"]}, ids["large"]
    piece = {"sku": "MUG", "quantity": 1, "location_id": large}
    advice, closed = {"advice_id": ids["advice"]}, {"advice_id": ids["closed_advice"]}
    new = {**warehouse, "reference": "PO-1", "lines": [{"sku": "MUG", "quantity": 1}]}
    way = {"sku": "MUG", "quantity": 1, "from_location_id": large}
    met: Attempts = {
        ("create_stock_advice", "UNKNOWN_SKU"): ("admin", {**new, "lines": [{"sku": "x", "quantity": 1}]}),
        ("create_stock_advice", "STOCK_ADVICE_TAKEN"): ("admin", new),
        ("receive_stock_advice", "STOCK_ADVICE_CLOSED"): ("admin", {**closed, "lines": [piece]}),
        ("receive_stock_advice", "STOCK_ADVICE_EXCEEDED"): ("admin", {**advice, "lines": [{**piece, "quantity": 2}]}),
        ("receive_stock_advice", "LOCATION_ELSEWHERE"): (
            "admin",
            {**advice, "lines": [{**piece, "location_id": ids["elsewhere"]}]},
        ),
        ("close_stock_advice", "STOCK_ADVICE_CLOSED"): ("admin", closed),
        ("suggest_put_away", "UNKNOWN_SKU"): ("admin", {**warehouse, "sku": "x", "quantity": 1}),
        ("put_stock_away", "NO_ROOM_TO_PUT_AWAY"): (
            "admin",
            {**warehouse, "lines": [{**way, "sku": "MUG", "condition": "damaged"}]},
        ),
        ("put_stock_away", "LOCATION_ELSEWHERE"): (
            "admin",
            {**warehouse, "lines": [{**way, "to_location_id": ids["elsewhere"]}]},
        ),
    }
    for code, said in lines.items():
        line = {"sku": "MUG", "quantity": 1, "to": large, **said}
        to = line.pop("to")
        if code != "INSUFFICIENT_STOCK":
            met["receive_stock_advice", code] = ("admin", {**advice, "lines": [{**line, "location_id": to}]})
        if code not in ("SERIAL_IN_STOCK", "LOT_EXPIRY_DIFFERS"):
            gone = {**line, "from_location_id": large, "to_location_id": to}
            met["put_stock_away", code] = ("admin", {**warehouse, "lines": [gone]})
    return met
