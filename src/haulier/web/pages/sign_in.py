"""Sign in, and sign out."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.web.i18n import page_language, page_translator
from haulier.web.operations_client import call_operation, field_faults, read_form
from haulier.web.rendering import render_page
from haulier.web.session import (
    app_of,
    current_session,
    delete_session_cookie,
    is_from_our_page,
    local_path,
    set_session_cookie,
)

DEFAULT_DESTINATION = "/mcp-approvals"
"""Where a sign-in leads that came from nowhere."""
MAX_DEVICE_CHARACTERS = 191
AT_FAULT = 422


def sign_in_routes() -> list[BaseRoute]:
    """`/sign-in` and `/sign-out`."""
    return [
        Route("/sign-in", sign_in_page, methods=["GET"]),
        Route("/sign-in", submit_sign_in, methods=["POST"]),
        Route("/sign-out", submit_sign_out, methods=["POST"]),
    ]


def redirect_to_sign_in(request: Request) -> Response:
    """The way to the sign-in page for somebody who is not signed in, and back again."""
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(asked, safe='/')}", 303)


async def sign_in_page(request: Request) -> Response:
    """The form; somebody who is signed in already goes on at once."""
    wanted = local_path(request.query_params.get("next"))
    if await current_session(request):
        return RedirectResponse(wanted or DEFAULT_DESTINATION, 303)
    return render_page(request, "sign_in.html", next=wanted or "", email="", faults={})


async def submit_sign_in(request: Request) -> Response:
    """Check the password by the operation `login`, and give the browser its cookie."""
    form = await read_form(request)
    wanted, email = local_path(form.get("next")) or "", form.get("email", "")
    again = page_translator(request)("sign_in.again")
    if not is_from_our_page(request):
        return render_page(request, "sign_in.html", status_code=403, next=wanted, email=email, faults={}, message=again)
    device = request.headers.get("user-agent", "")[:MAX_DEVICE_CHARACTERS]
    asked = {"email": email, "password": form.get("password", ""), "device": device}
    outcome = await call_operation(request, "login", asked)
    if outcome.error is not None:
        found = field_faults(outcome)
        said = None if found else outcome.error["message"]
        shown = render_page(
            request, "sign_in.html", status_code=outcome.status, next=wanted, email=email, faults=found, message=said
        )
        shown.headers.update(outcome.headers)
        return shown
    response = RedirectResponse(wanted or DEFAULT_DESTINATION, 303)
    session = outcome.answer
    set_session_cookie(response, app_of(request), session.access_token, session.expires_at)  # type: ignore[union-attr]
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
    if session:
        await call_operation(request, "logout", session=session)
    response = RedirectResponse(f"/sign-in?lang={page_language(request)}", 303)
    delete_session_cookie(response, app_of(request))
    return response
