"""Switch between the live business and its test business."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.identity.sessions.operations import logout, open_test_session
from haulier.kernel.operations.declaration import EmptyRequest
from haulier.web.i18n import page_translator
from haulier.web.menu import DESK
from haulier.web.operations_client import Refused, call_operation, read_form
from haulier.web.pages.sign_in import SIGN_IN_PAGE, redirect_to_sign_in
from haulier.web.rendering import render_page
from haulier.web.session import (
    WebSession,
    app_of,
    current_session,
    delete_live_session_cookie,
    delete_session_cookie,
    live_session,
    set_live_session_cookie,
    set_session_cookie,
)

OPEN_PAGE, LEAVE_PAGE = "/test-mode", "/test-mode/leave"


def test_mode_routes() -> list[BaseRoute]:
    """Return the routes that open and leave test mode."""
    return [
        Route(OPEN_PAGE, submit_open, methods=["POST"]),
        Route(LEAVE_PAGE, submit_leave, methods=["POST"]),
    ]


async def submit_open(request: Request) -> Response:
    """Sign in to the test business, and keep the live session for the way back."""
    session = await current_session(request)
    if session is None:
        return redirect_to_sign_in(request)
    if refusal := await _foreign_form(request, session):
        return refusal
    result = await call_operation(request, open_test_session, EmptyRequest(), session=session)
    if isinstance(result, Refused):
        return _notice(request, session, result.message, result.status)
    app, response = app_of(request), RedirectResponse(DESK.address, 303)
    set_live_session_cookie(response, app, session.token, result.answer.expires_at)
    set_session_cookie(response, app, result.answer.access_token, result.answer.expires_at)
    return response


async def submit_leave(request: Request) -> Response:
    """End the test session and go back to the live one.

    If that ended too, show the sign-in page.
    """
    session, live = await current_session(request), await live_session(request)
    if session is None:
        return redirect_to_sign_in(request)
    if refusal := await _foreign_form(request, session):
        return refusal
    app = app_of(request)
    if session.test:
        await call_operation(request, logout, EmptyRequest(), session=session)
    response = RedirectResponse(DESK.address if live else SIGN_IN_PAGE, 303)
    if live:
        set_session_cookie(response, app, live.token, live.expires_at or app.clock())
    else:
        delete_session_cookie(response, app)
    delete_live_session_cookie(response, app)
    return response


async def _foreign_form(request: Request, session: WebSession) -> Response | None:
    """Return the refusal of a form that no page of this session sent, or None."""
    if session.is_genuine_form(request, await read_form(request)):
        return None
    return _notice(request, session, page_translator(request)("sign_in.again"), 403)


def _notice(request: Request, session: WebSession, text: str, status: int) -> Response:
    title = page_translator(request)("test_mode.title")
    return render_page(request, "notice.html", session=session, status_code=status, title=title, text=text)
