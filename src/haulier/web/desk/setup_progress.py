"""Setup checklist of the home page, until the business is ready."""

from typing import Any

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.contexts.control_tower.sample_data.operations import load_sample_data
from haulier.contexts.identity.accounts.operations import update_client
from haulier.contexts.identity.public import can_send_mail
from haulier.contexts.recipients.brand.operations import get_brand, set_brand
from haulier.web.desk.first_steps.steps import load_first_steps
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import act_address
from haulier.web.operations_client import read_form
from haulier.web.session import app_of

COOKIE = "haulier_setup"
"""Set when the checklist is dismissed or complete."""
YEAR_S = 31_536_000
MAIL_HELP = "/docs/operate/production/#send-email-and-get-travel-times"


class ProgressItem(Struct, frozen=True):
    """A line of the checklist: what it is, where it is done, and whether it is."""

    name: str
    address: str
    done: bool


async def load_setup_progress(desk: DeskRequest) -> dict[str, Any] | None:
    """Return the checklist, or None if complete, dismissed or not permitted."""
    is_left = desk.request.cookies.get(COOKIE) or desk.session.has_sample_data
    if is_left or not desk.may(update_client):
        return None
    items = [ProgressItem(step.name, step.address, step.done) for step in await load_first_steps(desk)]
    brand = (await desk.read_if_allowed(get_brand)).get("brand") or {}
    is_branded = any(brand.get(name) for name in ("colour", "website", "contact_email", "contact_phone"))
    if desk.may(set_brand):
        items.append(ProgressItem("brand", act_address(set_brand, back="/desk"), is_branded))
    items.append(ProgressItem("mail", MAIL_HELP, can_send_mail(app_of(desk.request))))
    left = [item for item in items if not item.done]
    if not left:
        return None
    has_orders = any(item.name == "order" and item.done for item in items)
    return {
        "items": items,
        "done": len(items) - len(left),
        "next": left[0],
        "offers_samples": not has_orders and desk.may(load_sample_data),
    }


async def dismiss_setup_progress(desk: DeskRequest) -> Response:
    """Hide the checklist in this browser."""
    typed = await read_form(desk.request)
    if not desk.may(update_client) or not desk.session.is_genuine_form(desk.request, typed):
        return not_found(desk)
    answer = RedirectResponse("/desk", 303)
    https = desk.request.url.scheme == "https"
    answer.set_cookie(COOKIE, "dismissed", max_age=YEAR_S, samesite="lax", httponly=True, secure=https)
    return answer
