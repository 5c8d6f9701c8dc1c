"""Product and stock imports in the background, with an outcome per row."""

from base64 import b64decode, b64encode
from typing import Any

from tests.contexts.custom_fields.makers import make_field
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App

from haulier.kernel.values.xlsx import write_xlsx


async def imported(app: App, operation: str, table: str, **words: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """Run a CSV import; return it with the state and faulty column of each row."""
    started = await app.answer("employee", operation, {"format": "csv", "content": table, **words})
    assert started.stock_import.state == "queued"
    await app.work_off()
    read = await app.answer("employee", "get_stock_import", {"stock_import_id": started.stock_import.id})
    return read.stock_import, [(one.state, one.errors[0].field if one.errors else one.code) for one in read.outcomes]


async def test_products_are_added_and_updated_and_keep_values_not_in_the_file(app: App) -> None:
    await make_field(app, "brand", "product", filterable=True)
    await make_field(app, "shelf_life", "product", value_schema={"type": "integer"})
    await make_field(app, "margin", "product", visible_to=[], editable_by=[])
    mug = await make_product(app, "MUG", weight_g=300, barcodes=["MUG-1"], custom_fields={"brand": "North"})
    table = (
        "sku;name;barcodes;expires;reorder_below;unit_value_minor;custom_fields.brand;custom_fields.shelf_life;Remark\n"
        "MUG;;;;7;450;;;x\n"
        "PLATE;Plate;P-1 P-2;yes;;;South;30;x\n"
        "BOWL;Bowl;MUG-1;;;;;;x\n"
        "CUP;Cup;;;many;;;;x\n"
        "POT;Pot;;;;;;soon;x\n"
        ";Nothing;;;;;;;x\n"
    )
    done, rows = await imported(app, "import_products", table)
    assert rows == [
        ("updated", None),
        ("created", None),
        ("refused", "PRODUCT_BARCODE_TAKEN"),
        ("refused", "reorder_below"),
        ("refused", "custom_fields.shelf_life"),
        ("refused", "sku"),
    ]
    assert (done.state, done.kind, done.rows, done.created, done.updated, done.refused) == (
        *("partly_done", "products", 6, 1, 1),
        4,
    )
    listed = {one.sku: one for one in (await app.answer("admin", "list_products")).products}
    assert listed.keys() == {"MUG", "PLATE"}
    changed, plate = (await app.answer("admin", "get_product", {"product_id": mug})).product, listed["PLATE"]
    assert (changed.name, changed.weight_g, changed.barcodes, changed.reorder_below, changed.unit_value_minor) == (
        *("MUG", 300, ["MUG-1"], 7),
        450,
    )
    assert changed.custom_fields == {"brand": "North"}
    assert (plate.barcodes, plate.expires, plate.custom_fields) == (
        *(["P-1", "P-2"], True),
        {"brand": "South", "shelf_life": 30},
    )
    hidden = "sku,custom_fields.margin\nMUG,9\n"
    assert (await imported(app, "import_products", hidden))[1] == [("refused", "custom_fields.margin")]


async def test_stock_is_added_or_set_and_an_invalid_row_stops_no_other(app: App) -> None:
    hall = await make_warehouse(app)
    shelf, _ = await some_locations(app, hall, "A-01", "A-02", capacity=50)
    await make_product(app)
    await make_product(app, "SERUM", tracking="lot", expires=True)
    await receive(app, shelf, 10)
    wanted = {"warehouse_id": hall, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 4}]}
    await app.answer("admin", "reserve_stock", wanted)
    header = "SKU,Location,Quantity,Lot,Expires_on,Condition\n"
    came = header + (
        "MUG,YYZ-A-01,5,,,\nSERUM,YYZ-A-02,3,L1,2026-12-31,\nSERUM,YYZ-A-02,3,L1,,\nSERUM,YYZ-A-02,3,,2026-12-31,\n"
        "MUG,NOWHERE,1,,,\nNOBODY,YYZ-A-01,1,,,\nMUG,YYZ-A-01,0,,,\nMUG,YYZ-A-01,99,,,\nMUG,YYZ-A-01,1,,,damaged\n"
    )
    done, rows = await imported(app, "import_stock", came, reference="DN-8")
    assert rows == [
        *(("created", None), ("created", None), ("refused", "expires_on"), ("refused", "lot"), ("refused", "location")),
        *(("refused", "sku"), ("refused", "quantity"), ("refused", "LOCATION_FULL"), ("created", None)),
    ]
    assert (done.kind, done.state) == ("received_stock", "partly_done")
    assert await inventory(app) == {"MUG": (16, 4, 11), "SERUM": (3, 0, 3)}
    (newest, *_) = (await app.answer("admin", "list_stock_movements", {"reference": "DN-8"})).movements
    assert (newest.kind, newest.user_id) == ("receive", app.ids["employee"])
    there = header + "MUG,YYZ-A-01,6,,,\nSERUM,YYZ-A-02,9,L1,,\nMUG,YYZ-A-02,2,,,\n"
    _, rows = await imported(app, "import_stock", there, mode="set")
    assert rows == [("updated", None)] * 3
    assert await inventory(app) == {"MUG": (9, 4, 4), "SERUM": (9, 0, 9)}
    before = (await app.answer("admin", "list_stock_movements", {"per_page": 100})).movements
    again, _ = await imported(app, "import_stock", header + "MUG,YYZ-A-01,6,,,\n", mode="set")
    assert (again.state, (await app.answer("admin", "list_stock_movements", {"per_page": 100})).movements) == (
        "done",
        before,
    )


async def test_an_excel_file_is_imported_and_an_import_can_be_ended_early(app: App) -> None:
    workbook = b64encode(write_xlsx(["sku", "name"], [["MUG", "Mug"], ["PLATE", "Plate"]])).decode()
    started = await app.answer("admin", "import_products", {"format": "xlsx", "content": workbook})
    over = {"stock_import_id": started.stock_import.id}
    assert (await app.answer("admin", "cancel_stock_import", over)).stock_import.state == "cancelled"
    await app.work_off()
    assert (await app.answer("admin", "list_products")).products == []
    await app.answer("admin", "import_products", {"format": "xlsx", "content": workbook})
    await app.work_off()
    assert [one.sku for one in (await app.answer("admin", "list_products")).products] == ["MUG", "PLATE"]
    states = [one.state for one in (await app.answer("admin", "list_stock_imports", {"kind": "products"})).imports]
    assert states == ["done", "cancelled"]
    for content, format in (("sku\n", "csv"), ("AAAA", "xlsx"), ("no base64", "xlsx")):
        result = await app.call("admin", "import_products", {"format": format, "content": content})
        assert (result.status, result.error and result.error["code"]) == (422, "INVALID_REQUEST")


async def test_an_export_contains_what_the_caller_sees_and_can_be_imported_again(app: App) -> None:
    await make_field(app, "brand", "product")
    await make_field(app, "sizes", "product", value_schema={"type": "array", "items": {"type": "integer"}})
    await make_field(app, "margin", "product", value_schema={"type": "integer"}, visible_to=[], editable_by=[])
    own = {"brand": "North", "sizes": [1, 2], "margin": 9}
    await make_product(app, "MUG", barcodes=["M-1", "M-2"], expires=True, unit_value_minor=450, custom_fields=own)
    await make_product(app, "PLATE")
    first = await app.answer("admin", "export_products", {"limit": 1, "format": "xlsx"})
    rest = await app.answer("admin", "export_products", {"limit": 1, "cursor": first.next_cursor})
    assert (first.count, rest.count, rest.next_cursor) == (1, 1, None)
    seen = b64decode((await app.answer("employee", "export_products")).document).decode()
    assert ("custom_fields.brand" in seen, "margin" in seen) == (True, False)
    before = (await app.answer("admin", "list_products")).products
    started = await app.answer("admin", "import_products", {"format": "xlsx", "content": first.document})
    await app.work_off()
    read = await app.answer("admin", "get_stock_import", {"stock_import_id": started.stock_import.id})
    assert [one.state for one in read.outcomes] == ["updated"]
    assert (await app.answer("admin", "list_products")).products == before
    rested = await app.rest("admin", "GET", "/v1/wms/product-export", headers={"Accept": "text/csv"})
    assert rested.text.startswith("sku,name,barcodes")
    assert "\r\nMUG,MUG,M-1 M-2,0,0,0,0,none,true,0,450,North," in rested.text
