"""Spreadsheet damage to phone numbers and codes: repaired or refused by imports."""

from base64 import b64encode
from typing import Any

from tests.support.app import App

HEADER = "order_ref,name,address,city,postal_code,country,phone\n"
DAMAGED = (
    f'{HEADER}"=""00123""",Ada,1 Main St,Cambridge,"=""02138""",United States,\'+16175550100\n'
    "A-2,Bob,1 Main St,Cambridge,'02138,USA,1.6175550100E+10\n"
    "A-3,Cleo,1 Main St,Cambridge,2138,us,+16175550100\n"
    "A-4,Dora,1 Main St,Cambridge,02138,US,1.61756E+10\n"
)


async def read_orders(app: App) -> dict[str, Any]:
    orders = (await app.answer("admin", "get_orders", {"per_page": 50})).orders
    return {
        order.name: (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order for order in orders
    }


async def test_orders_are_repaired_or_refused_and_the_check_lists_rows_to_review(app: App) -> None:
    request = {"document": b64encode(DAMAGED.encode()).decode()}
    check = await app.answer("admin", "check_order_file", request)
    assert [(fault.number, fault.errors[0].field, fault.errors[0].code) for fault in check.faults] == [
        (4, "consignee.phone", "DIGITS_LOST")
    ]
    assert "1.61756E+10" in check.faults[0].errors[0].message
    assert [(each.number, each.field, each.code) for each in check.warnings] == [
        (3, "consignee.postal_code", "ZEROS_RESTORED")
    ]
    await app.answer("admin", "import_orders", request)
    await app.work_off()
    orders = await read_orders(app)
    assert {
        name: (each.consignee.postal_code, each.consignee.country) for name, each in orders.items()
    } == dict.fromkeys(("Ada", "Bob", "Cleo"), ("02138", "US"))
    assert (orders["Ada"].order_ref, orders["Ada"].consignee.phone) == ("00123", "+16175550100")
    assert orders["Bob"].consignee.phone == "16175550100"


async def test_addresses_are_repaired_or_refused_in_the_same_way(app: App) -> None:
    document = b64encode(DAMAGED.replace("order_ref", "reference").encode()).decode()
    started = await app.answer("admin", "import_addresses", {"document": document})
    await app.work_off()
    result = await app.answer("admin", "get_address_import", {"import_id": started.import_id})
    assert [(row.state, [each.code for each in (*row.errors, *row.warnings)]) for row in result.outcomes] == [
        ("created", []),
        ("created", []),
        ("created", ["ZEROS_RESTORED"]),
        ("refused", ["DIGITS_LOST"]),
    ]
    addresses = (await app.answer("admin", "list_addresses")).addresses
    assert {address.postal_code for address in addresses} == {"02138"}


async def test_products_with_truncated_digits_are_refused_with_their_column(app: App) -> None:
    content = 'sku,name,barcodes\n"=""00123""",Mug,4006381333931\nB-2,Cup,4.00638E+12\nC-3,Jug,9.6385074E+07\n'
    started = await app.answer("admin", "import_products", {"format": "csv", "content": content})
    await app.work_off()
    detail = await app.answer("admin", "get_stock_import", {"stock_import_id": started.stock_import.id})
    assert [(row.sku, row.state, [each.code for each in row.errors]) for row in detail.outcomes] == [
        ("00123", "created", []),
        ("B-2", "refused", ["DIGITS_LOST"]),
        ("C-3", "created", []),
    ]
    products = {product.sku: product for product in (await app.answer("admin", "list_products", {})).products}
    assert products["C-3"].barcodes == ["96385074"]
