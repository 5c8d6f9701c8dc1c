"""Step: who drives, with a link and QR code for each driver."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.fleet.driver_sign_in.operations import create_driver_sign_in_link
from haulier.contexts.fleet.drivers.operations import create_driver, get_drivers, invite_driver
from haulier.contexts.identity.public import can_send_mail
from haulier.contexts.identity.sign_in_links.rules import LINK_MINUTES_MAX
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.first_steps.steps import StepForm, next_address, show_step
from haulier.web.desk.pages import DeskRequest, field_faults, plain_answer
from haulier.web.session import app_of

ROWS = 5
DRIVERS_SHOWN = 20


class DriverLink(Struct, frozen=True, kw_only=True):
    """A link that signs a driver in, and how it can be sent."""

    name: str
    url: str
    qr_svg: str
    phone: str = ""
    email: str = ""


class DriverFault(Exception):
    """Raised when an operation about a driver is refused."""

    def __init__(self, result: OperationResult) -> None:
        super().__init__(result.error)
        self.result = result


async def drivers_page(desk: DeskRequest, form: StepForm, links: list[DriverLink] | None = None) -> Response:
    """Render the names to type, the drivers so far, and new links."""
    known = await desk.read_if_allowed(get_drivers, active=True, per_page=DRIVERS_SHOWN)
    return await show_step(
        desk,
        "drivers",
        form,
        rows=range(ROWS),
        drivers=known.get("drivers") or [],
        links=links or [],
        minutes=LINK_MINUTES_MAX,
        mails=can_send_mail(app_of(desk.request)),
        next_step=next_address("drivers"),
    )


async def submit_drivers(desk: DeskRequest, typed: Mapping[str, str]) -> Response:
    """Create the drivers and show their links, which are not stored."""
    if typed.get("link", "").isdecimal():
        return await _show_link(desk, int(typed["link"]))
    links: list[DriverLink] = []
    asked = [(f"name_{row}", f"contact_{row}") for row in range(ROWS)]
    people = {name: (typed.get(name, "").strip(), typed.get(contact, "").strip()) for name, contact in asked}
    faults: dict[str, str] = {
        name: desk.say("field.missing") for name, (called, contact) in people.items() if contact and not called
    }
    if typed.get("mine"):
        people = {"mine": (desk.session.name, ""), **people}
    people = {name: given for name, given in people.items() if given[0]}
    if not people and not faults:
        faults["name_0"] = desk.say("set_up.nobody_drives")
    for name, (called, contact) in people.items():
        try:
            links.append(await _add_driver(desk, called, contact, f"{typed.get('once', '')}-{name}"))
        except DriverFault as fault:
            field = name if "name" in field_faults(fault.result) else name.replace("name", "contact")
            told = next(iter(field_faults(fault.result).values()), None)
            faults[field] = told or (fault.result.error or {}).get("message", "")
    left = typed if faults else {}
    return await drivers_page(desk, StepForm(_without_added(left, people, faults), faults), links)


def _without_added(typed: Mapping[str, str], people: Mapping[str, Any], faults: Mapping[str, str]) -> dict[str, str]:
    """Return the typed texts without the drivers that were created."""
    added = {name for name in people if name not in faults and name.replace("name", "contact") not in faults}
    gone = added | {name.replace("name", "contact") for name in added}
    return {name: text for name, text in typed.items() if name not in gone}


async def _add_driver(desk: DeskRequest, name: str, contact: str, once: str) -> DriverLink:
    """Create a driver with an account. Raises `DriverFault`."""
    email = contact if "@" in contact else ""
    phone = "" if email else contact
    values = {"name": name, **({"phone": phone} if phone else {})}
    made = await desk.call(create_driver, values, idempotency_key=once)
    driver = _answer(made)["driver"]
    if email and driver["user_id"] is None:
        _answer(await desk.call(invite_driver, {"driver_id": driver["id"], "email": email}))
    return await _make_link(desk, driver, phone=phone, email=email)


async def _show_link(desk: DeskRequest, driver_id: int) -> Response:
    known = (await desk.read_if_allowed(get_drivers, active=True, per_page=DRIVERS_SHOWN)).get("drivers") or []
    driver = next((each for each in known if each["id"] == driver_id), None)
    try:
        links = [await _make_link(desk, driver, phone=driver["phone"] or "")] if driver else []
    except DriverFault as fault:
        return await drivers_page(desk, StepForm().refused(fault.result))
    return await drivers_page(desk, StepForm(), links)


async def _make_link(desk: DeskRequest, driver: Mapping[str, Any], **sent_to: str) -> DriverLink:
    asked = {"driver_id": driver["id"], "minutes": LINK_MINUTES_MAX, "create_account": True}
    made = _answer(await desk.call(create_driver_sign_in_link, asked))
    return DriverLink(name=driver["name"], url=made["url"], qr_svg=made["qr_svg"], **sent_to)


def _answer(result: OperationResult) -> dict[str, Any]:
    if result.error is not None:
        raise DriverFault(result)
    return plain_answer(result)
