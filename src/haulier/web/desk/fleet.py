"""Fleet: drivers with their day, vehicles, contractors and invitations."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from haulier.contexts.control_tower.overview.operations import get_earnings_report
from haulier.contexts.dispatch.monitoring.operations import dispatch_drivers, dispatch_progress
from haulier.contexts.fleet.depots.operations import list_depots
from haulier.contexts.fleet.driver_documents.operations import add_driver_document, list_driver_documents
from haulier.contexts.fleet.driver_info.operations import get_driver_info
from haulier.contexts.fleet.driver_registration.operations import list_driver_registrations
from haulier.contexts.fleet.driver_sign_in.operations import create_driver_sign_in_link
from haulier.contexts.fleet.driver_skills.operations import list_skills
from haulier.contexts.fleet.drivers.operations import (
    create_driver,
    disable_driver,
    enable_driver,
    get_driver,
    get_drivers,
    invite_driver,
    update_driver,
)
from haulier.contexts.fleet.shifts.operations import get_driver_working_profile, set_driver_working_profile
from haulier.contexts.fleet.vehicle_documents.operations import list_vehicle_documents
from haulier.contexts.fleet.vehicles.operations import create_vehicle, list_vehicles
from haulier.contexts.identity.accounts.operations import get_user, list_users
from haulier.contexts.identity.invitations.operations import invite_user
from haulier.contexts.identity.public import can_send_mail
from haulier.contexts.routes.routes.operations.routes import get_driver_routes_today
from haulier.contexts.settlements.pay.operations import get_pay_statement
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.operations_client import read_form_fields
from haulier.web.session import app_of

FLEET = "/desk/fleet"
PER_PAGE, MOST = 50, 100
PAY_DAYS = timedelta(days=6)
DRIVER_BUTTONS = frozenset(
    {invite_driver.name, create_driver_sign_in_link.name, update_driver.name, add_driver_document.name}
    | {disable_driver.name, enable_driver.name, set_driver_working_profile.name}
)
"""Actions of a driver with a button of their own on the page."""


async def fleet_page(desk: DeskRequest) -> Response:
    """Show drivers, vehicles or contractors."""
    tabs = [name for name, operation in TAB_READS.items() if desk.may(operation)]
    shown = _tab(desk)
    found = await load_fleet(desk) if shown in tabs else None
    if found is None:
        return not_found(desk)
    return desk.page(
        "desk_fleet.html",
        tabs=[(name, FLEET if name == "drivers" else f"{FLEET}?show={name}") for name in tabs],
        **found,
        **FLEET_PART.shown(desk, found),
        done=desk.places.registry.get(desk.request.query_params.get("done", "")),
        call=TAB_READS[shown],
        values={},
    )


def _tab(desk: DeskRequest) -> str:
    return desk.texts.get("show", ["drivers"])[-1]


def _asked(desk: DeskRequest) -> dict[str, Any]:
    """Return the search text and page of the address."""
    text = desk.texts.get("search", [""])[-1].strip()
    return {**({"search": text} if text else {}), "page": desk.page_number, "per_page": PER_PAGE}


async def load_fleet(desk: DeskRequest) -> dict[str, Any] | None:
    """Return what the tab in the address shows, or None if there is no such tab."""
    load = LOADERS.get(_tab(desk))
    found = await load(desk) if load else None
    return None if found is None else {"tab": _tab(desk), "searched": "search" in _asked(desk), **found}


async def load_drivers(desk: DeskRequest) -> dict[str, Any] | None:
    """Return a page of drivers with route, documents, skills and pay."""
    found = await desk.read_if_allowed(get_drivers, **_asked(desk))
    if not found:
        return None
    progress = await desk.read_if_allowed(dispatch_progress, per_page=MOST)
    activity = await desk.read_if_allowed(dispatch_drivers, per_page=MOST)
    applications = await desk.read_if_allowed(list_driver_registrations, status="submitted", per_page=1)
    routes: dict[int, list[dict[str, Any]]] = {}
    for route in progress.get("routes") or []:
        routes.setdefault(route["driver_id"] or 0, []).append(route)
    papers = await _papers_due(desk)
    return {
        "drivers": found["drivers"],
        "total": found["total"],
        "routes": routes,
        "activity": {each["driver_id"]: each for each in activity.get("drivers") or []},
        "papers": papers,
        "skills": await _skill_names(desk),
        "pay": await _pay_by_user(desk),
        "figures": {
            "on_road": len([id for id, rows in routes.items() if id and any(row["started_at"] for row in rows)]),
            "stops_left": progress.get("stops_left", 0),
            "papers": sum(len(rows) for rows in papers.values()),
            "applications": applications.get("total", 0),
        },
        "add": act_address(create_driver, back=FLEET) if desk.may(create_driver) else None,
    }


async def _papers_due(desk: DeskRequest) -> dict[int, list[dict[str, Any]]]:
    """Return documents that have expired or expire soon, by driver."""
    found: dict[int, list[dict[str, Any]]] = {}
    due = await desk.read_if_allowed(list_driver_documents, due=True, per_page=MOST)
    for each in due.get("documents") or []:
        found.setdefault(each["driver_id"], []).append(each)
    return found


async def _skill_names(desk: DeskRequest) -> dict[str, str]:
    skills = await desk.read_if_allowed(list_skills, per_page=MOST)
    return {each["code"]: each["name"] for each in skills.get("skills") or []}


async def _pay_by_user(desk: DeskRequest, group_by: str = "driver") -> dict[int | None, dict[str, Any]]:
    """Return deliveries and pay of the last seven days, by user account."""
    days = {"date_from": str(desk.today - PAY_DAYS), "date_to": str(desk.today)}
    report = await desk.read_if_allowed(get_earnings_report, group_by=group_by, **days)
    return {each["subject_id"]: each for each in report.get("lines") or []}


async def load_vehicles(desk: DeskRequest) -> dict[str, Any] | None:
    """Return a page of vehicles with their depot, capacity and skills."""
    asked = {name: value for name, value in _asked(desk).items() if name != "search"}
    found = await desk.read_if_allowed(list_vehicles, **asked)
    if not found:
        return None
    depots = await desk.read_if_allowed(list_depots, per_page=MOST)
    return {
        "vehicles": found["vehicles"],
        "total": found["total"],
        "depots": {each["id"]: each["name"] for each in depots.get("depots") or []},
        "vehicle_papers": await _vehicle_papers_due(desk),
        "skills": await _skill_names(desk),
        "add": act_address(create_vehicle, back=f"{FLEET}?show=vehicles") if desk.may(create_vehicle) else None,
    }


async def _vehicle_papers_due(desk: DeskRequest) -> dict[int, list[dict[str, Any]]]:
    """Return documents that have expired or expire soon, by vehicle."""
    found: dict[int, list[dict[str, Any]]] = {}
    due = await desk.read_if_allowed(list_vehicle_documents, due=True, per_page=MOST)
    for each in due.get("vehicle_documents") or []:
        found.setdefault(each["vehicle_id"], []).append(each)
    return found


async def load_contractors(desk: DeskRequest) -> dict[str, Any] | None:
    """Return a page of contractors with their deliveries and pay."""
    found = await desk.read_if_allowed(list_users, account="contractor", **_asked(desk))
    if not found:
        return None
    invite = act_address(invite_user, account="contractor") if desk.may(invite_user) else None
    return {
        "contractors": found["users"],
        "total": found["total"],
        "pay": await _pay_by_user(desk, "contractor"),
        "add": invite,
    }


LOADERS: Mapping[str, Callable[[DeskRequest], Awaitable[dict[str, Any] | None]]] = {
    "drivers": load_drivers,
    "vehicles": load_vehicles,
    "contractors": load_contractors,
}
TAB_READS = {"drivers": get_drivers, "vehicles": list_vehicles, "contractors": list_users}


async def load_driver(desk: DeskRequest, driver: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of a driver shows besides their record."""
    id: int = driver["id"]
    statement = {"week_of": str(desk.today), "payee_kind": "driver", "payee_id": id}
    profile = await desk.read_if_allowed(get_driver_working_profile, driver_id=id)
    user = await desk.read_if_allowed(get_user, user_id=driver["user_id"]) if driver.get("user_id") else {}
    return {
        "info": await desk.read_if_allowed(get_driver_info, driver_id=id),
        "routes": (await desk.read_if_allowed(get_driver_routes_today, driver_id=id)).get("routes") or [],
        "documents": (await desk.read_if_allowed(list_driver_documents, driver_id=id)).get("documents") or [],
        "statement": await desk.read_if_allowed(get_pay_statement, **statement),
        "profile": profile.get("profile") or {},
        "user": user.get("user") or {},
        "without_button": DRIVER_BUTTONS,
        **_buttons(desk, id, driver),
    }


def _buttons(desk: DeskRequest, id: int, driver: Mapping[str, Any]) -> dict[str, Any]:
    """Return the addresses of the buttons."""
    named = {"driver_id": id, "back": f"/desk/drivers/{id}"}
    on_page = {
        "edit": (update_driver, named),
        "link": (create_driver_sign_in_link, {"driver_id": id}),
        "document": (add_driver_document, named),
        "hours": (set_driver_working_profile, named),
        "switch": (disable_driver if driver["active"] else enable_driver, named),
        "statement": (get_pay_statement, {"payee_kind": "driver", "payee_id": id, "week_of": str(desk.today)}),
    }
    at = {name: act_address(act, **values) for name, (act, values) in on_page.items() if desk.may(act)}
    if driver.get("user_id"):
        return {"at": at}
    at.pop("link", None)
    return {"at": {**at, **({"invite": invite_address(id)} if desk.may(invite_driver) else {})}}


def invite_address(driver_id: int) -> str:
    """Return the address of the page that invites a driver."""
    return f"/desk/drivers/{driver_id}/invite"


async def invite_driver_page(desk: DeskRequest) -> Response:
    """Ask for the email address of a driver."""
    driver = await _driver(desk)
    return not_found(desk) if driver is None else _invite(desk, driver, {})


async def submit_invite(desk: DeskRequest) -> Response:
    """Invite a driver, and show a sign-in link with its QR code."""
    driver = await _driver(desk)
    if driver is None:
        return not_found(desk)
    form = dict(await read_form_fields(desk.request))
    if not desk.session.is_genuine_form(desk.request, form):
        return _invite(desk, driver, form, problem=desk.say("sign_in.again"), status_code=403)
    named = {"driver_id": driver["id"]}
    if driver["user_id"] is None:
        email = {"email": form.get("email", "").strip()}
        result = await desk.call(invite_driver, {**named, **email}, idempotency_key=form.get("once"))
        if result.error is not None:
            problem = result.error["message"]
            faults = field_faults(result)
            return _invite(desk, driver, form, problem=problem, faults=faults, status_code=result.status)
    made = await desk.call(create_driver_sign_in_link, named)
    if made.error is not None:
        return _invite(desk, driver, form, problem=made.error["message"], status_code=made.status)
    return _invite(desk, driver, form, link=plain_answer(made))


async def _driver(desk: DeskRequest) -> dict[str, Any] | None:
    """Return the driver of the address, or None if the caller may not invite them."""
    id: int = desk.request.path_params["driver_id"]
    found = await desk.read_if_allowed(get_driver, driver_id=id) if desk.may(invite_driver) else {}
    return found.get("driver")


def _invite(
    desk: DeskRequest,
    driver: Mapping[str, Any],
    form: Mapping[str, Any],
    *,
    problem: str = "",
    faults: Mapping[str, str] | None = None,
    link: Mapping[str, Any] | None = None,
    status_code: int = 200,
) -> Response:
    return desk.page(
        "desk_driver_invite.html",
        status_code=status_code,
        driver=driver,
        email=form.get("email", ""),
        problem=problem,
        faults=faults or {},
        link=link,
        mail=can_send_mail(app_of(desk.request)),
        once=secrets.token_urlsafe(16),
    )


FLEET_PART = LivePart(
    name="fleet",
    template="desk_fleet_live.html",
    load=load_fleet,
    reads=(get_drivers, list_vehicles, list_users),
    about=("driver", "route", "vehicle", "driver_document", "user"),
    pause_s=5.0,
)
