"""Warehouses and their locations."""

from base64 import b64decode

from tests.contexts.warehouse.makers import make_warehouse, some_locations
from tests.support.app import App


async def test_locations_are_listed_in_walking_order_and_found_by_barcode(app: App) -> None:
    warehouse_id = await make_warehouse(app)
    await some_locations(app, warehouse_id, "B-02", "A-01", zone="A")
    (dock,) = await some_locations(app, warehouse_id, "DOCK", kind="receiving", barcode="DOOR 7")
    listed = await app.answer("admin", "list_locations", {"warehouse_id": warehouse_id, "zone": "A"})
    assert [location.code for location in listed.locations] == ["B-02", "A-01"]
    assert [location.barcode for location in listed.locations] == ["YYZ-B-02", "YYZ-A-01"]
    wanted = {"warehouse_id": warehouse_id, "barcode": "DOOR 7"}
    assert [location.id for location in (await app.answer("admin", "list_locations", wanted)).locations] == [dock]


async def test_new_locations_are_created_all_or_none(app: App) -> None:
    warehouse_id = await make_warehouse(app)
    await some_locations(app, warehouse_id, "A-01")
    refused = await app.call(
        "admin",
        "create_locations",
        {"warehouse_id": warehouse_id, "locations": [{"code": "A-00"}, {"code": "A-01"}]},
    )
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "LOCATION_TAKEN")
    assert (await app.answer("admin", "list_locations", {"warehouse_id": warehouse_id})).total == 1


async def test_a_closed_warehouse_is_listed_only_on_request(app: App) -> None:
    warehouse_id = await make_warehouse(app)
    await app.answer("admin", "update_warehouse", {"warehouse_id": warehouse_id, "closed": True})
    assert (await app.answer("admin", "get_warehouses")).warehouses == []
    assert [each.code for each in (await app.answer("admin", "get_warehouses", {"closed": True})).warehouses] == ["YYZ"]


async def test_a_warehouse_is_invisible_to_other_clients(app: App) -> None:
    warehouse_id = await make_warehouse(app)
    assert (await app.call("rival", "get_warehouse", {"warehouse_id": warehouse_id})).status == 404
    assert (await app.answer("rival", "create_warehouse", {"code": "YYZ", "name": "Ours"})).warehouse.id != warehouse_id


async def test_location_labels_are_printed_in_walking_order(app: App) -> None:
    warehouse = await make_warehouse(app)
    await some_locations(app, warehouse, "A-01", "A-02", zone="A")
    await some_locations(app, warehouse, "B-01", zone="B", barcode="long " * 12)
    wanted = {"warehouse_id": warehouse, "format": "zpl"}
    printed = await app.answer("admin", "print_location_labels", wanted)
    zpl = b64decode(printed.document).decode()
    assert (printed.labels, zpl.count("^XA"), zpl.index("YYZ-A-01") < zpl.index("YYZ-A-02")) == (3, 3, True)
    path = f"/v1/wms/warehouses/{warehouse}/location-labels"
    sheet = await app.rest("admin", "GET", f"{path}?zone=A", headers={"Accept": "application/pdf"})
    assert (sheet.headers["content-type"], sheet.content[:5]) == ("application/pdf", b"%PDF-")
