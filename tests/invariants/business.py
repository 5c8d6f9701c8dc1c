"""Something of everything at the demo client, and who may ask about it."""

from base64 import b64encode
from typing import Any

from tests.invariants.dry_run_day import PHOTO
from tests.support.app import App

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account

AS = {
    Account.CLIENT_ADMIN: "admin",
    Account.EMPLOYEE: "employee",
    Account.CONTRACTOR: "contractor",
    Account.DRIVER: "driver",
    Account.CUSTOMER: "customer",
    Account.PROVIDER: "provider",
}


RIVALS = {
    Account.CLIENT_ADMIN: "rival",
    Account.CONTRACTOR: "rival_contractor",
    Account.DRIVER: "rival_driver",
    Account.CUSTOMER: "rival_customer",
    Account.PROVIDER: "rival_provider",
}


MARK = "Only-For-Demo-Eyes"


async def a_business(app: App) -> dict[str, Any]:
    """Something of everything at the demo client, under a name that nobody else uses; the ids by field name."""
    place = {"name": MARK, "address": MARK, "city": MARK, "country": "CA", "lat": 43.65, "lng": -79.38}
    depot = (
        await app.answer("admin", "create_depot", {"name": MARK, "address": MARK, "lat": 43.6, "lng": -79.3})
    ).depot
    driver = (await app.answer("admin", "create_driver", {"name": MARK, "user_id": app.ids["driver"]})).driver
    orders = [
        (
            await app.answer("admin", "create_order", {"consignee": place, "order_ref": f"{MARK}-{n}", "note": MARK})
        ).order
        for n in range(3)
    ]
    day = {"day": "2026-06-10", "depot_id": depot.id, "driver_id": driver.id, "name": MARK}
    route = (await app.answer("admin", "create_route", day)).route
    await app.answer("admin", "add_orders_to_route", {"route_id": route.id, "order_ids": [orders[0].id]})
    stops = (await app.answer("admin", "get_route_detail", {"route_id": route.id})).route.stops
    who = {"order_ids": [orders[1].id], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", who)
    batch = await app.answer("admin", "bulk_create_orders_async", {"orders": [{"consignee": place}]})
    reason = (await app.answer("admin", "add_return_reason", {"code": "demo", "texts": {"en": MARK}})).reason
    return {
        **await driver_people(app, driver.id),
        **await a_dataset_of_sites(app),
        **await points_and_zones(app),
        **await shipments(app),
        **await a_warehouse_with_stock(app),
        **await a_shelf(app, orders[2].id),
        "number": orders[2].tracking_number,
        "order_id": orders[2].id,
        "order_ids": [order.id for order in orders],
        "order_refs": [order.order_ref for order in orders],
        "query": MARK,
        "text": MARK,
        "depot_id": depot.id,
        "driver_id": driver.id,
        "route_id": route.id,
        "stop_id": stops[0].id,
        "stop_ids": [stop.id for stop in stops],
        "broker_id": app.ids["contractor"],
        "user_id": app.ids["employee"],
        "customer_id": app.ids["customer"],
        "reason_id": reason.id,
        **await places(app, place),
        "id": batch.async_id,
        "consignee": {**place, "name": "Somebody"},
        "address": {**place, "name": "Somebody"},
    }


async def places(app: App, place: dict[str, Any]) -> dict[str, Any]:
    """Two addresses of one place, a file of addresses, and an order that nobody can place."""
    address = (await app.answer("admin", "create_address", place)).address
    twin = (await app.answer("admin", "create_address", place)).address
    file = b64encode(f"name,address,city,country\n{MARK},{MARK},{MARK},CA\n".encode()).decode()
    started = await app.answer("admin", "import_addresses", {"document": file, "file_name": MARK})
    nowhere = {name: value for name, value in place.items() if name not in ("lat", "lng")}
    await app.answer("admin", "create_order", {"consignee": nowhere, "order_ref": f"{MARK}-nowhere"})
    return {"address_id": address.id, "duplicate_id": twin.id, "import_id": started.import_id}


async def shipments(app: App) -> dict[str, int]:
    """A carrier of its own, a label that was bought, a draft, rates, and what was handed over."""
    end = {"name": MARK, "address": MARK, "city": MARK, "country": "CA"}
    opened = {"carrier": "HOUSE", "name": MARK, "sender": end}
    account = (await app.answer("admin", "open_carrier_account", opened)).account.id
    named = {"shipment": {"shipper": end, "consignee": end}, "service": "ground", "account_id": account}
    early = (await app.answer("admin", "create_shipping_label", named)).shipment
    await app.answer("admin", "end_of_day", {}, confirmed=True)
    bought = (await app.answer("admin", "create_shipping_label", {**named, "order_ref": f"{MARK}-s"})).shipment
    kept = {**named, "order_ref": f"{MARK}-d", "draft": True}
    draft = (await app.answer("admin", "create_shipping_label", kept)).shipment
    await app.answer("admin", "get_shipping_rate", named["shipment"])
    assert early.state == bought.state == "purchased"
    return {"account_id": account, "shipment_id": bought.id, "draft_shipment_id": draft.id}


async def points_and_zones(app: App) -> dict[str, Any]:
    """A point of interest, an import that waits, and a map with a zone in force and one drawn."""
    spot = {"name": MARK, "category": "locker", "lat": 43.65, "lng": -79.38, "access_notes": MARK}
    point = (await app.answer("admin", "create_point_of_interest", spot)).point_of_interest
    zone_map = (await app.answer("admin", "create_zone_map", {"name": MARK})).zone_map
    square = [[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.7], [-79.4, 43.6]]]
    zone = {"zone_map_id": zone_map.id, "name": MARK, "geometry": {"type": "Polygon", "coordinates": square}}
    await app.answer("admin", "put_zone", {**zone, "code": "north"})
    await app.answer("admin", "publish_zone_map", {"zone_map_id": zone_map.id, "note": MARK})
    await app.answer("admin", "put_zone", {**zone, "code": "south"})
    rows = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": MARK}}]}
    started = await app.answer("admin", "import_points_of_interest", rows)
    return {"point_of_interest_id": point.id, "zone_map_id": zone_map.id, "place_import_id": started.place_import_id}


async def driver_people(app: App, driver_id: int) -> dict[str, Any]:
    """A paper with a photo, a skill, and somebody who applied to drive."""
    paper = {"driver_id": driver_id, "kind": "licence", "title": MARK, "number": MARK, "file": {**PHOTO, "name": MARK}}
    document = (await app.answer("admin", "add_driver_document", paper)).document
    named = {"code": f"{MARK}-{driver_id}", "name": MARK}
    skill = (await app.answer("admin", "create_skill", named)).skill
    who = {"name": MARK, "email": f"ada-{driver_id}@new.example", "phone": MARK, "note": MARK}
    await app.answer(None, "apply_to_drive", {"clientCode": "demo", **who})
    applied = (await app.answer("admin", "list_driver_registrations")).registrations
    return {
        "document_id": document.id,
        "file_id": document.file.id,
        "skill_id": skill.id,
        "driver_ids": [driver_id],
        "registration_id": applied[0].id,
    }


def actor(operation: Operation[Any, Any], people: dict[Account, str]) -> str | None:
    """Somebody who may call it."""
    return next((people[account] for account in people if account in operation.audience), None)


async def a_shelf(app: App, order_id: int) -> dict[str, int]:
    """A custom field of orders, which one has."""
    field = {"kind": "order", "name": "shelf", "value_schema": {"type": "string"}, "labels": {"en": MARK}}
    shelf = (await app.answer("admin", "create_custom_field", {**field, "filterable": True})).custom_field
    values = {"order_id": order_id, "custom_fields": {"shelf": MARK}}
    await app.answer("admin", "update_order_custom_fields", values)
    return {"custom_field_id": shelf.id}


async def a_dataset_of_sites(app: App) -> dict[str, int]:
    """A dataset in a group, with a record that was changed once, and an import that waits."""
    group = (await app.answer("admin", "create_dataset_group", {"name": MARK, "readers": ["employee"]})).group.id
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "name": {"type": "string"}},
        "required": ["code"],
    }
    made = {"name": MARK, "record_schema": schema, "key_field": "code", "group_id": group}
    dataset = (await app.answer("admin", "create_dataset", made)).dataset.id
    values = {"values": {"code": "A", "name": MARK}, "lat": 43.6, "lng": -79.4}
    record = (await app.answer("admin", "create_dataset_record", {"dataset_id": dataset, **values})).record.id
    await app.answer(
        "admin", "update_dataset_record", {"dataset_id": dataset, "record_id": record, "values": {"code": "B"}}
    )
    file = {"dataset_id": dataset, "format": "csv", "content": f"code,name\nC,{MARK}\n"}
    waiting = (await app.answer("admin", "import_dataset_records", file)).dataset_import.id
    return {"dataset_id": dataset, "group_id": group, "record_id": record, "import_id": waiting}


async def a_warehouse_with_stock(app: App) -> dict[str, Any]:
    """A warehouse with two locations, a product, and pieces of which some are reserved."""
    warehouse = (await app.answer("admin", "create_warehouse", {"code": MARK, "name": MARK, "address": MARK})).warehouse
    codes = [{"code": f"A-{n}", "zone": "A"} for n in range(2)]
    made = await app.answer("admin", "create_locations", {"warehouse_id": warehouse.id, "locations": codes})
    first, second = (location.id for location in made.locations)
    cup = {"sku": "CUP", "name": MARK, "barcodes": [MARK]}
    product = (await app.answer("admin", "create_product", cup)).product
    pieces = {"sku": "CUP", "quantity": 9, "location_id": first}
    await app.answer("admin", "receive_stock", {"lines": [pieces], "reference": MARK})
    wanted = {"warehouse_id": warehouse.id, "reference": "STOCK-1", "lines": [{"sku": "CUP", "quantity": 1}]}
    await app.answer("admin", "reserve_stock", wanted)
    return {
        "warehouse_id": warehouse.id,
        "location_id": first,
        "other_location_id": second,
        "product_id": product.id,
    }
