"""Storage: goods of customers with their cost, inbound orders and ship-outs."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.storage.shipouts.operations import confirm_shipout, list_customer_shipouts, ship_shipout
from haulier.contexts.storage.storage_orders.operations import (
    close_storage_order,
    confirm_storage_order,
    get_storage_overview,
    list_customer_storage_orders,
    list_storage_tariffs,
    receive_stored_packages,
    set_storage_tariff,
)
from haulier.contexts.storage.stored_packages.operations import list_customer_packages, return_stored_package
from haulier.contexts.warehouse.warehouses.operations import get_warehouses, list_locations
from haulier.kernel.application import Application
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.live import LIVE_PARTS
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.pickers import load_names
from haulier.web.desk.places import act_address

STORAGE = "/desk/storage"
PER_PAGE, UNITS_SHOWN, JOBS_SHOWN, WAREHOUSES_MAX, LOCATIONS_READ = 50, 50, 8, 100, 100
ORDER_STEPS = {"pending": confirm_storage_order, "confirmed": receive_stored_packages}
SHIPOUT_STEPS = {"pending": confirm_shipout, "confirmed": ship_shipout}


def module_routes(app: Application) -> list[BaseRoute]:
    """Return the route of the page, and let its part update by itself."""
    LIVE_PARTS[STORAGE_PART.name] = STORAGE_PART
    return [Route(STORAGE, make_endpoint(app, storage_page), methods=["GET"])]


async def storage_page(desk: DeskRequest) -> Response:
    """Show what customers store, or the units of one of them."""
    found = await load_storage(desk)
    if found is None:
        return not_found(desk)
    tariffs = await desk.read_if_allowed(list_storage_tariffs)
    return desk.page(
        "desk_storage.html",
        **found,
        **STORAGE_PART.shown(desk, found),
        done=desk.find(desk.request.query_params.get("done", "")),
        tariff=set_storage_tariff if desk.may(set_storage_tariff) else None,
        priced=bool(tariffs.get("tariffs")),
        call=get_storage_overview,
        values=_asked(desk),
    )


def _asked(desk: DeskRequest) -> dict[str, int]:
    """Return the customer and page of the address."""
    customer = desk.number("customer")
    return {**({"customer_id": customer} if customer else {}), "page": desk.page_number, "per_page": PER_PAGE}


async def load_storage(desk: DeskRequest) -> dict[str, Any] | None:
    """Return customers, units, orders and ship-outs, in a constant number of reads."""
    asked = _asked(desk)
    overview = await desk.read_if_allowed(get_storage_overview, **asked)
    if not overview:
        return None
    customer = {"customer_id": asked["customer_id"]} if "customer_id" in asked else {}
    inbound = await _waiting(desk, list_customer_storage_orders, "storage_orders", customer)
    outbound = await _waiting(desk, list_customer_shipouts, "shipouts", customer)
    units = await _units(desk, customer) if customer else {}
    rows = [*overview["customers"], *inbound["rows"], *outbound["rows"], *([customer] if customer else [])]
    await load_names(desk, rows, ["customer_id"])
    back = f"{STORAGE}?{urlencode({'customer': customer['customer_id']})}" if customer else STORAGE
    return {
        "overview": overview,
        "customer": customer,
        "inbound": inbound,
        "outbound": outbound,
        "charges": [each for each in overview["customers"] if each.get("next_charge_minor")],
        "step_of": partial(_step, desk, back),
        "per_page": PER_PAGE,
        "address": back,
        **units,
    }


async def _waiting(desk: DeskRequest, read: Any, rows: str, customer: Mapping[str, int]) -> dict[str, Any]:
    """Return records that wait for staff, the oldest step first."""
    found = [
        await desk.read_if_allowed(read, status=status, per_page=JOBS_SHOWN, **customer)
        for status in ("pending", "confirmed")
    ]
    return {
        "rows": [each for page in found for each in page.get(rows) or []],
        "total": sum(page.get("total", 0) for page in found),
    }


def _step(desk: DeskRequest, back: str, kind: str, row: Mapping[str, Any]) -> tuple[Any, str] | None:
    """Return the next action of an order or ship-out, and its address."""
    steps, id = (ORDER_STEPS, "storage_order_id") if kind == "order" else (SHIPOUT_STEPS, "shipout_id")
    act = steps.get(row["status"])
    return (act, act_address(act, **{id: row["id"], "back": back})) if act and desk.may(act) else None


async def _units(desk: DeskRequest, customer: Mapping[str, int]) -> dict[str, Any]:
    """Return the units of a customer in stock, with the codes of their locations."""
    stored = await desk.read_if_allowed(list_customer_packages, state="stored", per_page=UNITS_SHOWN, **customer)
    promised = await desk.read_if_allowed(list_customer_packages, state="promised", per_page=UNITS_SHOWN, **customer)
    orders = await desk.read_if_allowed(list_customer_storage_orders, status="stored", per_page=JOBS_SHOWN, **customer)
    units = [*(stored.get("stored_packages") or []), *(promised.get("stored_packages") or [])]
    units.sort(key=lambda each: each["received_at"])
    houses = await desk.read_if_allowed(get_warehouses, per_page=WAREHOUSES_MAX)
    codes: dict[int, str] = {}
    for id in list(dict.fromkeys(each["warehouse_id"] for each in units))[:2]:
        listed = await desk.read_if_allowed(list_locations, warehouse_id=id, per_page=LOCATIONS_READ)
        codes |= {each["id"]: each["code"] for each in listed.get("locations") or []}
    return {
        "units": units,
        "more_units": stored.get("total", 0) + promised.get("total", 0) > len(units),
        "orders": orders.get("storage_orders") or [],
        "houses": {each["id"]: each["name"] for each in houses.get("warehouses") or []},
        "codes": codes,
        "give_back": return_stored_package if desk.may(return_stored_package) else None,
        "close": close_storage_order if desk.may(close_storage_order) else None,
    }


STORAGE_PART = LivePart(
    name="storage",
    template="desk_storage_live.html",
    load=load_storage,
    reads=(get_storage_overview,),
    about=("storage_order", "stored_package", "shipout", "inbound_parcel"),
    pause_s=5.0,
)
