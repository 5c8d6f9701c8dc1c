"""Extra characters of scanners and phones around a code are removed."""

import pytest
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, some_locations
from tests.support.app import App

from haulier.contexts.warehouse.products.rules import clean_scan

EAN = "4006381333931"


@pytest.mark.parametrize(
    ("scanned", "code"),
    [
        (f"{EAN} ", EAN),
        (f"{EAN}\r\n", EAN),
        (f"\t{EAN}\t", EAN),
        (f"]E0{EAN}", EAN),
        (f"]C0{EAN}\r", EAN),
        (f"]C101{EAN.zfill(14)}", f"]C101{EAN.zfill(14)}"),
        (f"https://id.gs1.org/01/{EAN.zfill(14)}/10/ABC?17=270331", f"(01){EAN.zfill(14)}(10)ABC(17)270331"),
        (f"https://shop.example/goods/01/{EAN}", f"(01){EAN.zfill(14)}"),
        ("https://id.gs1.org/00/106141412345678908", "(00)106141412345678908"),
        ("https://shop.example/goods", "https://shop.example/goods"),
        ("https://shop.example/01", "https://shop.example/01"),
        ("https://[", "https://["),
        ("PKG-1", "PKG-1"),
    ],
)
def test_a_scanned_text_is_parsed_to_its_code(scanned: str, code: str) -> None:
    assert clean_scan(scanned) == code


async def test_goods_are_received_with_any_text_around_their_code(app: App) -> None:
    warehouse = await make_warehouse(app)
    await some_locations(app, warehouse, "A-01")
    await make_product(app, barcodes=[EAN])
    link = f"https://id.gs1.org/01/{EAN.zfill(14)}/10/ABC?17=270331"
    codes = (f"{EAN} ", f"{EAN}\r\n", f"{EAN}\t", f"]E0{EAN}", link)
    for n, code in enumerate(codes):
        scan = {"device_id": "gun", "scan_id": f"{n}", "kind": "receive", "code": code, "warehouse_id": warehouse}
        where = {"location": "YYZ-A-01\r", "occurred_at": "2026-06-10T08:00:00Z"}
        answer = await app.answer("employee", "record_scan", {**scan, **where})
        assert (answer.scan.outcome, answer.scan.sku) == ("done", "MUG")
    assert await inventory(app) == {"MUG": (len(codes), 0, len(codes))}
