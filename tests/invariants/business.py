"""Records of every kind for the demo client, and the callers of operations."""

from typing import Any

from tests.contexts.control_tower.agent.makers import make_conversation
from tests.invariants.business_backorders import make_backorder
from tests.invariants.business_chats import chats
from tests.invariants.business_devices import device_orders
from tests.invariants.business_families import (
    MARK,
    make_dataset_of_sites,
    places,
    points_and_zones,
    services,
    shipments,
    warehouses,
)
from tests.invariants.business_freight import make_freight
from tests.invariants.business_loading import loading
from tests.invariants.business_luggage import luggage_relay
from tests.invariants.business_order_returns import make_order_return
from tests.invariants.business_order_stock import make_order_with_stock
from tests.invariants.business_payouts import make_payout
from tests.invariants.business_pieces import make_missing_piece
from tests.invariants.business_resale import locker_resale
from tests.invariants.business_returns import recipient_returns
from tests.invariants.business_shop import locker_shop
from tests.invariants.business_sms import sms_marketing
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


def make_order_with_items(place: dict[str, Any]) -> dict[str, Any]:
    """Create an order with a line, using the mark in its texts."""
    items = [{"sku": MARK, "description": MARK, "unit_price_minor": 1250, "hs_code": "6912.00"}]
    return {"consignee": place, "note": MARK, "items": items}


async def make_business(app: App) -> dict[str, Any]:
    """Create records of every kind for the demo client. Returns ids by field name."""
    place = {"name": MARK, "address": MARK, "city": MARK, "country": "CA", "lat": 43.65, "lng": -79.38}
    contractor = app.ids["contractor"]
    made = await app.answer("admin", "create_depot", {"name": MARK, "address": MARK, "lat": 43.6, "lng": -79.3})
    depot = made.depot
    driver = (await app.answer("admin", "create_driver", {"name": MARK, "user_id": app.ids["driver"]})).driver
    orders = [
        (await app.answer("admin", "create_order", {**make_order_with_items(place), "order_ref": f"{MARK}-{n}"})).order
        for n in range(3)
    ]
    day = {"day": "2026-06-10", "depot_id": depot.id, "driver_id": driver.id, "name": MARK}
    route = (await app.answer("admin", "create_route", day)).route
    await app.answer("admin", "add_orders_to_route", {"route_id": route.id, "order_ids": [orders[0].id]})
    stops = (await app.answer("admin", "get_route_detail", {"route_id": route.id})).route.stops
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [orders[1].id], "broker_id": contractor})
    batch = await app.answer("admin", "bulk_create_orders_async", {"orders": [{"consignee": place}]})
    reason = (await app.answer("admin", "add_return_reason", {"code": "demo", "texts": {"en": MARK}})).reason
    return {
        **await driver_people(app, driver.id),
        **await make_dataset_of_sites(app),
        **await points_and_zones(app),
        **await shipments(app),
        **await warehouses(app, orders[2].id),
        **await make_order_with_stock(app, make_order_with_items(place)),
        **await loading(app, depot.id, MARK),
        **await make_vehicle_papers(app, MARK),
        **await services(app),
        **await chats(app, orders[2].id),
        **await make_conversation(app, MARK),
        **await trades(app),
        **(await sms_marketing(app, MARK) | await make_saved_view(app)),
        "number": orders[2].tracking_number,
        "order_id": orders[2].id,
        "order_ids": [order.id for order in orders],
        "order_refs": [order.order_ref for order in orders],
        **dict.fromkeys(("query", "text"), MARK),
        "depot_id": depot.id,
        "driver_id": driver.id,
        "route_id": route.id,
        "stop_id": stops[0].id,
        "stop_ids": [stop.id for stop in stops],
        "broker_id": contractor,
        "user_id": app.ids["employee"],
        "customer_id": app.ids["customer"],
        "reason_id": reason.id,
        **await places(app, place),
        "id": batch.async_id,
        **{key: {**place, "name": "Somebody"} for key in ("consignee", "address")},
    }


async def trades(app: App) -> dict[str, Any]:
    """Create records of the locker shop, rentals, luggage relay, returns and payouts."""
    return {
        **await device_orders(app, MARK),
        **await locker_shop(app, MARK),
        **await luggage_relay(app, MARK),
        **await locker_resale(app, MARK),
        **await recipient_returns(app, MARK),
        **await make_missing_piece(app, MARK),
        **await make_order_return(app, MARK),
        **await make_backorder(app, MARK),
        **await make_payout(app, MARK),
        **await make_freight(app, MARK),
    }


async def driver_people(app: App, driver_id: int) -> dict[str, Any]:
    """Create a driver document with a photo, a skill and a driver application."""
    paper = {"driver_id": driver_id, "kind": "licence", "title": MARK, "number": MARK, "file": {**PHOTO, "name": MARK}}
    document = (await app.answer("admin", "add_driver_document", paper)).document
    named = {"code": f"{MARK}-{driver_id}", "name": MARK}
    skill = (await app.answer("admin", "create_skill", named)).skill
    who = {"name": MARK, "email": f"ada-{driver_id}@new.example", "phone": MARK, "note": MARK}
    await app.answer(None, "submit_driver_application", {"clientCode": "demo", **who})
    applied = (await app.answer("admin", "list_driver_registrations")).registrations
    return {
        "document_id": document.id,
        "file_id": document.file.id,
        "skill_id": skill.id,
        "driver_ids": [driver_id],
        "registration_id": applied[0].id,
    }


async def make_vehicle_papers(app: App, mark: str) -> dict[str, Any]:
    """Create a vehicle with a document and a log entry."""
    van = (await app.answer("admin", "create_vehicle", {"name": mark})).vehicle.id
    paper = {"vehicle_id": van, "kind": "insurance", "title": mark, "number": mark, "file": {**PHOTO, "name": mark}}
    document = (await app.answer("admin", "add_vehicle_document", paper)).vehicle_document
    read = {"vehicle_id": van, "odometer_m": 84_000_000, "note": mark}
    entry = (await app.answer("admin", "add_vehicle_log_entry", read)).log_entry
    return {"vehicle_id": van, "vehicle_document_id": document.id, "log_entry_id": entry.id}


async def make_saved_view(app: App) -> dict[str, Any]:
    """Save a shared view that its list opens with."""
    shared = {"noun": "orders", "name": MARK, "filters": {"search": [MARK]}, "for_everybody": True}
    view = (await app.answer("admin", "save_view", shared)).saved_view
    await app.answer("admin", "set_default_view", {"saved_view_id": view.id})
    return {"saved_view_id": view.id}


def actor(operation: Operation[Any, Any], people: dict[Account, str]) -> str | None:
    """Return a caller that the operation accepts, or None."""
    return next((people[account] for account in people if account in operation.audience), None)
