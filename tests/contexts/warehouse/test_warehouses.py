"""Warehouses and their locations."""

from tests.contexts.warehouse.makers import a_warehouse, some_locations
from tests.support.app import App


async def test_locations_are_listed_in_walking_order_and_found_by_barcode(app: App) -> None:
    warehouse_id = await a_warehouse(app)
    await some_locations(app, warehouse_id, "B-02", "A-01", zone="A")
    (dock,) = await some_locations(app, warehouse_id, "DOCK", kind="receiving", barcode="DOOR 7")
    listed = await app.answer("admin", "list_locations", {"warehouse_id": warehouse_id, "zone": "A"})
    assert [location.code for location in listed.locations] == ["B-02", "A-01"]
    assert [location.barcode for location in listed.locations] == ["YYZ-B-02", "YYZ-A-01"]
    wanted = {"warehouse_id": warehouse_id, "barcode": "DOOR 7"}
    assert [location.id for location in (await app.answer("admin", "list_locations", wanted)).locations] == [dock]


async def test_of_new_locations_all_are_made_or_none(app: App) -> None:
    warehouse_id = await a_warehouse(app)
    await some_locations(app, warehouse_id, "A-01")
    refused = await app.call(
        "admin",
        "create_locations",
        {"warehouse_id": warehouse_id, "locations": [{"code": "A-00"}, {"code": "A-01"}]},
    )
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "LOCATION_TAKEN")
    assert (await app.answer("admin", "list_locations", {"warehouse_id": warehouse_id})).total == 1


async def test_a_closed_warehouse_is_listed_only_when_asked_for(app: App) -> None:
    warehouse_id = await a_warehouse(app)
    await app.answer("admin", "update_warehouse", {"warehouse_id": warehouse_id, "closed": True})
    assert (await app.answer("admin", "get_warehouses")).warehouses == []
    assert [each.code for each in (await app.answer("admin", "get_warehouses", {"closed": True})).warehouses] == ["YYZ"]


async def test_a_warehouse_is_unknown_to_other_clients(app: App) -> None:
    warehouse_id = await a_warehouse(app)
    assert (await app.call("rival", "get_warehouse", {"warehouse_id": warehouse_id})).status == 404
    assert (await app.answer("rival", "create_warehouse", {"code": "YYZ", "name": "Ours"})).warehouse.id != warehouse_id
