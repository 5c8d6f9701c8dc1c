"""Pages of the setup: a step each, and the end."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.responses import RedirectResponse, Response

from haulier.contexts.identity.accounts.operations import update_client
from haulier.web.desk.first_steps.business import business_page, country_settings, submit_business
from haulier.web.desk.first_steps.drivers import drivers_page, submit_drivers
from haulier.web.desk.first_steps.location import location_page, submit_location
from haulier.web.desk.first_steps.prices import price_example, prices_page, submit_prices
from haulier.web.desk.first_steps.steps import StepForm, load_first_steps
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.operations_client import read_form

PAGES: Mapping[str, Callable[[DeskRequest, StepForm], Awaitable[Response]]] = {
    "business": business_page,
    "location": location_page,
    "drivers": drivers_page,
    "prices": prices_page,
}
SUBMITS: Mapping[str, Callable[[DeskRequest, Mapping[str, str]], Awaitable[Response]]] = {
    "business": submit_business,
    "location": submit_location,
    "drivers": submit_drivers,
    "prices": submit_prices,
}
PARTS: Mapping[str, Callable[[DeskRequest], Awaitable[Response]]] = {
    "country": country_settings,
    "example": price_example,
}
"""Parts that the scripts of the pages request."""


async def set_up_page(desk: DeskRequest) -> Response:
    """Render a step: the one asked for, else the first that is not done."""
    if not desk.may(update_client):
        return not_found(desk)
    if part := PARTS.get(desk.request.query_params.get("part", "")):
        return await part(desk)
    asked = desk.request.query_params.get("step", "")
    if asked in PAGES:
        return await PAGES[asked](desk, StepForm())
    steps = await load_first_steps(desk)
    left = next((step for step in steps if not step.done), None)
    if left is not None and not asked:
        return RedirectResponse(left.address, 303)
    return desk.page("first_steps_end.html", steps=steps, current="")


async def submit_step(desk: DeskRequest) -> Response:
    """Save what was typed at a step and lead to the next one."""
    if not desk.may(update_client):
        return not_found(desk)
    typed = await read_form(desk.request)
    step = typed.get("step", "")
    if step not in SUBMITS:
        return not_found(desk)
    if not desk.session.is_genuine_form(desk.request, typed):
        return await PAGES[step](desk, StepForm(typed, problem=desk.say("sign_in.again")))
    return await SUBMITS[step](desk, typed)
