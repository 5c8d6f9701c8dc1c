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
from haulier.kernel.operations.enums import PRODUCT_MODULES, Module
from haulier.web.first_start import FirstStart
from haulier.web.i18n import page_language, page_translator
from haulier.web.operations_client import Refused, call_with_body, read_form
from haulier.web.pages.sign_in import SIGN_IN_PAGE, code_of_link, device_of
from haulier.web.rendering import render_page
from haulier.web.session import app_of, is_from_our_page, set_session_cookie

FIVE_STEPS = "/desk/set-up"
TYPED = ("business_name", "name", "email")
OFFERED = (Module.SHIPPING, Module.WAREHOUSE, Module.STORAGE, Module.LOCKERS, Module.CONTRACTORS)
"""Modules that the form asks about. Modules that it does not mention stay enabled."""


def setup_routes(first_start: FirstStart) -> list[BaseRoute]:
    """`/setup`; what leads to it elsewhere asks `first_start`."""

    async def setup_page(request: Request) -> Response:
        if not await first_start.waits():
            return RedirectResponse(SIGN_IN_PAGE, 303)
        return render_page(request, "setup.html", faults={}, typed={}, offered=_offered(request), chosen=())

    return [Route(SETUP_PAGE, setup_page, methods=["GET"]), Route(SETUP_PAGE, submit_setup, methods=["POST"])]


async def submit_setup(request: Request) -> Response:
    """Create the business, sign the owner in and show the setup steps."""
    form = await read_form(request)
    typed = {name: form.get(name, "") for name in TYPED}
    offered = _offered(request)
    chosen = [module for module in offered if form.get(f"uses_{module}")]
    page: dict[str, Any] = {"typed": typed, "offered": offered, "chosen": chosen}
    if not is_from_our_page(request):
        again = page_translator(request)("sign_in.again")
        return render_page(request, "setup.html", status_code=403, faults={}, message=again, **page)
    secrets = {"setup_code": code_of_link(form), "password": form.get("password", "")}
    around = {"language": page_language(request), "device": device_of(request)}
    modules = sorted(PRODUCT_MODULES.difference(offered).union(chosen))
    body = codec.encode_json({**typed, **secrets, **around, "modules": modules})
    result = await call_with_body(request, create_first_business, body)
    if isinstance(result, Refused):
        faults = result.field_errors()
        message = None if faults else result.message
        around_form: dict[str, Any] = {"faults": faults, "message": message, "token": secrets["setup_code"]}
        response = render_page(request, "setup.html", status_code=result.status, **page, **around_form)
        response.headers.update(result.headers)
        return response
    response = RedirectResponse(FIVE_STEPS, 303)
    set_session_cookie(response, app_of(request), result.answer.access_token, result.answer.expires_at)
    return response


def _offered(request: Request) -> list[Module]:
    loaded = app_of(request).loaded
    return [module for module in OFFERED if module.value in loaded]
