"""Sign in, and sign out."""

from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.identity.server_setup.rules import SETUP_PAGE
from haulier.contexts.identity.sessions.contract import LoginSession
from haulier.contexts.identity.sessions.operations import login, logout
from haulier.contexts.identity.sign_in_links.operations import sign_in_with_link
from haulier.kernel.operations.declaration import EmptyRequest
from haulier.kernel.operations.enums import Account
from haulier.web.first_start import FirstStart
from haulier.web.i18n import page_language, page_translator
from haulier.web.menu import home_of
from haulier.web.operations_client import Refused, call_operation, call_with_texts, read_form
from haulier.web.rendering import OPENER_HEADERS, render_page
from haulier.web.session import (
    app_of,
    current_session,
    delete_live_session_cookie,
    delete_session_cookie,
    is_from_our_page,
    live_session,
    local_path,
    set_session_cookie,
)

MAX_DEVICE_CHARACTERS = 191
SIGN_IN_PAGE = "/sign-in"


def sign_in_routes(first_start: FirstStart) -> list[BaseRoute]:
    """Return the routes of sign-in and sign-out.

    A server without accounts shows the setup.
    """

    async def sign_in_or_set_up(request: Request) -> Response:
        return RedirectResponse(SETUP_PAGE, 303) if await first_start.waits() else await sign_in_page(request)

    return [
        Route(SIGN_IN_PAGE, sign_in_or_set_up, methods=["GET"]),
        Route(SIGN_IN_PAGE, submit_sign_in, methods=["POST"]),
        Route("/sign-in-link", sign_in_link_page, methods=["GET"]),
        Route("/sign-in-link", submit_sign_in_link, methods=["POST"]),
        Route("/sign-out", submit_sign_out, methods=["POST"]),
    ]


def redirect_to_sign_in(request: Request) -> Response:
    """Redirect to the sign-in page, which leads back here."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(path, safe='/')}", 303)


async def sign_in_page(request: Request) -> Response:
    """Render the sign-in form; signed-in users are redirected."""
    destination = local_path(request.query_params.get("next"))
    if session := await current_session(request):
        return RedirectResponse(destination or home_of(session.account).address, 303)
    response = render_page(request, "sign_in.html", next=destination or "", email="", faults={})
    if destination and destination.startswith("/oauth/"):
        response.headers.update(OPENER_HEADERS)
    return response


async def submit_sign_in(request: Request) -> Response:
    """Check the password by the operation `login`, and give the browser its cookie."""
    form = await read_form(request)
    destination, email = local_path(form.get("next")) or "", form.get("email", "")
    again = page_translator(request)("sign_in.again")
    if not is_from_our_page(request):
        return render_page(
            request, "sign_in.html", status_code=403, next=destination, email=email, faults={}, message=again
        )
    texts = {"email": email, "password": form.get("password", ""), "device": device_of(request)}
    result = await call_with_texts(request, login, texts)
    if isinstance(result, Refused):
        return _form_with_errors(request, "sign_in.html", result, next=destination, email=email)
    return _signed_in(request, result.answer, destination)


async def sign_in_link_page(request: Request) -> Response:
    """Render the form of a link.

    A button uses the link up, so that link previews of messengers don't.
    """
    return render_page(request, "sign_in_link.html", faults={})


async def submit_sign_in_link(request: Request) -> Response:
    """Use a link with `sign_in_with_link` and set the session cookie."""
    form = await read_form(request)
    if not is_from_our_page(request):
        again = page_translator(request)("sign_in.again")
        return render_page(request, "sign_in_link.html", status_code=403, faults={}, message=again)
    texts = {"token": code_of_link(form), "device": device_of(request)}
    result = await call_with_texts(request, sign_in_with_link, texts)
    if isinstance(result, Refused):
        return _form_with_errors(request, "sign_in_link.html", result)
    return _signed_in(request, result.answer)


def code_of_link(form: dict[str, str]) -> str:
    """The code that a form was given, also where the whole link was pasted."""
    return form.get("token", "").strip().rpartition("#")[2]


def device_of(request: Request) -> str:
    """Return the browser's name for the session."""
    return request.headers.get("user-agent", "")[:MAX_DEVICE_CHARACTERS]


def _signed_in(request: Request, session: LoginSession, destination: str = "") -> Response:
    response = RedirectResponse(destination or home_of(Account(session.user.account)).address, 303)
    set_session_cookie(response, app_of(request), session.access_token, session.expires_at)
    return response


def _form_with_errors(request: Request, template: str, refused: Refused, **values: Any) -> Response:
    field_errors = refused.field_errors()
    message = None if field_errors else refused.message
    response = render_page(
        request, template, status_code=refused.status, faults=field_errors, message=message, **values
    )
    response.headers.update(refused.headers)
    return response


async def submit_sign_out(request: Request) -> Response:
    """End the session here and in the database."""
    session, form, say = await current_session(request), await read_form(request), page_translator(request)
    if session and not session.is_genuine_form(request, form):
        return render_page(
            request,
            "notice.html",
            session=session,
            status_code=403,
            title=say("page.sign_out"),
            text=say("sign_in.again"),
        )
    # A test session ends with the live session that opened it.
    for ended in (session, session and session.test and await live_session(request)):
        if ended:
            await call_operation(request, logout, EmptyRequest(), session=ended)
    response = RedirectResponse(f"/sign-in?lang={page_language(request)}", 303)
    delete_session_cookie(response, app_of(request))
    delete_live_session_cookie(response, app_of(request))
    return response
