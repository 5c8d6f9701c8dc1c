"""Pages of a vehicle and of a contractor."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.fleet.depots.operations import get_depot
from haulier.contexts.fleet.driver_documents.operations import list_driver_documents
from haulier.contexts.fleet.drivers.operations import create_driver, get_drivers
from haulier.contexts.fleet.vehicle_documents.operations import add_vehicle_document, list_vehicle_documents
from haulier.contexts.fleet.vehicle_log.operations import (
    add_vehicle_log_entry,
    list_vehicle_log_entries,
    remove_vehicle_log_entry,
)
from haulier.contexts.fleet.vehicles.operations import create_vehicle, list_vehicles, retire_vehicle, update_vehicle
from haulier.contexts.identity.accounts.operations import disable_user, enable_user, get_user, update_user
from haulier.contexts.settlements.pay.operations import get_pay_statement, list_earnings
from haulier.kernel.operations.enums import Account
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import act_address

SHOWN, LOG_SHOWN = 50, 12
WITH_BUTTON = frozenset({update_vehicle.name, add_vehicle_document.name, add_vehicle_log_entry.name})
CONTRACTOR_BUTTONS = frozenset({update_user.name, disable_user.name, enable_user.name})


async def load_vehicle(desk: DeskRequest, vehicle: Mapping[str, Any]) -> dict[str, Any]:
    """Return the service, documents and owner of a vehicle."""
    id: int = vehicle["id"]
    log = await desk.read_if_allowed(list_vehicle_log_entries, vehicle_id=id, per_page=LOG_SHOWN)
    documents = await desk.read_if_allowed(list_vehicle_documents, vehicle_id=id, per_page=SHOWN)
    depot = await desk.read_if_allowed(get_depot, depot_id=vehicle["depot_id"]) if vehicle["depot_id"] else {}
    owner_id = vehicle["contractor_id"]
    owner = await desk.read_if_allowed(get_user, user_id=owner_id) if owner_id else {}
    back = f"/desk/vehicles/{id}"
    named = {"vehicle_id": id, "back": back}
    metres_left = None
    if vehicle["next_service_at_m"] is not None and vehicle["odometer_m"] is not None:
        metres_left = vehicle["next_service_at_m"] - vehicle["odometer_m"]
    return {
        "log": log.get("log_entries") or [],
        "log_total": log.get("total", 0),
        "documents": documents.get("vehicle_documents") or [],
        "depot": depot.get("depot") or {},
        "owner": owner.get("user") or {},
        "metres_left": metres_left,
        "money_of": {"currency": desk.session.currency},
        "without_button": WITH_BUTTON,
        "remove_entry": _removal(desk, named),
        "at": _addresses(
            desk,
            edit=(update_vehicle, named),
            reading=(add_vehicle_log_entry, {**named, "kind": "reading"}),
            service=(add_vehicle_log_entry, {**named, "kind": "service"}),
            document=(add_vehicle_document, named),
        ),
        "retire": retire_vehicle,
    }


def _removal(desk: DeskRequest, named: Mapping[str, Any]) -> Any:
    """Return the address of a log entry's removal by id, or None if not permitted."""

    def address(entry_id: int) -> str:
        return act_address(remove_vehicle_log_entry, **named, log_entry_id=entry_id)

    return address if desk.may(remove_vehicle_log_entry) else None


async def load_user(desk: DeskRequest, user: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fleet, documents and pay of a contractor, and nothing of others."""
    if user["account"] != Account.CONTRACTOR.value:
        return {"contractor": False}
    id: int = user["id"]
    drivers = await desk.read_if_allowed(get_drivers, contractor_id=id, per_page=SHOWN)
    vehicles = await desk.read_if_allowed(list_vehicles, contractor_id=id, per_page=SHOWN)
    driver_papers = await desk.read_if_allowed(list_driver_documents, contractor_id=id, per_page=SHOWN)
    vehicle_papers = await desk.read_if_allowed(list_vehicle_documents, contractor_id=id, per_page=SHOWN)
    payee = {"payee_kind": "contractor", "payee_id": id}
    statement = await desk.read_if_allowed(get_pay_statement, week_of=str(desk.today), **payee)
    back = f"/desk/users/{id}"
    return {
        "contractor": True,
        "drivers": drivers.get("drivers") or [],
        "drivers_total": drivers.get("total", 0),
        "vehicles": vehicles.get("vehicles") or [],
        "vehicles_total": vehicles.get("total", 0),
        "driver_papers": driver_papers.get("documents") or [],
        "vehicle_papers": vehicle_papers.get("vehicle_documents") or [],
        "statement": statement,
        "earnings": f"/desk/earnings?payee_kind=contractor&payee_id={id}" if desk.may(list_earnings) else "",
        "without_button": CONTRACTOR_BUTTONS,
        "at": _addresses(
            desk,
            edit=(update_user, {"user_id": id, "back": back}),
            switch=(disable_user if user["active"] else enable_user, {"user_id": id, "back": back}),
            driver=(create_driver, {"contractor_id": id, "back": back}),
            vehicle=(create_vehicle, {"contractor_id": id, "back": back}),
            statement=(get_pay_statement, {**payee, "week_of": str(desk.today)}),
        ),
    }


def _addresses(desk: DeskRequest, **buttons: tuple[Any, Mapping[str, Any]]) -> dict[str, str]:
    """Return the addresses of the buttons that the caller may use."""
    return {name: act_address(act, **values) for name, (act, values) in buttons.items() if desk.may(act)}
