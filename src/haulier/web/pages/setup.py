"""First start: create the first business and its owner with the setup code.

The code is in the URL fragment, which browsers do not send: a script moves it into the form, and without scripts users
paste it.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.identity.server_setup.operations import create_first_business
from haulier.contexts.identity.server_setup.rules import SETUP_PAGE
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import PRODUCT_MODULES
from haulier.web.first_start import OFFERED, FirstStart
from haulier.web.i18n import page_language, page_translator
from haulier.web.kinds.home_country import country_defaults, guess_country
from haulier.web.operations_client import Refused, call_with_body, read_form
from haulier.web.pages.sign_in import SIGN_IN_PAGE, code_of_link, device_of
from haulier.web.rendering import render_page
from haulier.web.session import app_of, is_from_our_page, set_session_cookie

FIRST_STEP = "/desk/set-up?step=business"
TYPED = ("business_name", "name", "email")


def setup_routes(first_start: FirstStart) -> list[BaseRoute]:
    """`/setup`; what leads to it elsewhere asks `first_start`."""

    async def setup_page(request: Request) -> Response:
        if not await first_start.waits():
            return RedirectResponse(SIGN_IN_PAGE, 303)
        return render_page(request, "setup.html", faults={}, typed={})

    return [Route(SETUP_PAGE, setup_page, methods=["GET"]), Route(SETUP_PAGE, submit_setup, methods=["POST"])]


async def submit_setup(request: Request) -> Response:
    """Create the business, sign the owner in and show the first step."""
    form = await read_form(request)
    typed = {name: form.get(name, "") for name in TYPED}
    page: dict[str, Any] = {"typed": typed}
    if not is_from_our_page(request):
        again = page_translator(request)("sign_in.again")
        return render_page(request, "setup.html", status_code=403, faults={}, message=again, **page)
    secrets = {"setup_code": code_of_link(form), "password": form.get("password", "")}
    around = {"language": page_language(request), "device": device_of(request)}
    modules = sorted(PRODUCT_MODULES.difference(OFFERED))
    place = guess_place(request.headers.get("accept-language"), form.get("time_zone"))
    body = codec.encode_json({**typed, **secrets, **around, **place, "modules": modules})
    result = await call_with_body(request, create_first_business, body)
    if isinstance(result, Refused):
        faults = result.field_errors()
        message = None if faults else result.message
        around_form: dict[str, Any] = {"faults": faults, "message": message, "token": secrets["setup_code"]}
        response = render_page(request, "setup.html", status_code=result.status, **page, **around_form)
        response.headers.update(result.headers)
        return response
    response = RedirectResponse(FIRST_STEP, 303)
    set_session_cookie(response, app_of(request), result.answer.access_token, result.answer.expires_at)
    return response


def guess_place(accept_language: str | None, time_zone: str | None) -> dict[str, str]:
    """Return the settings of a browser's country, or nothing if it is unknown."""
    country = guess_country(accept_language, time_zone)
    if country is None:
        return {}
    usual = country_defaults(country, time_zone)
    return {"country": country, "currency": usual.currency, "time_zone": usual.time_zone}
