"""Switch between the live business and its test business, and load sample data."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.control_tower.sample_data.operations import load_sample_data, remove_sample_data
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
    session_of_token,
    set_live_session_cookie,
    set_session_cookie,
)

OPEN_PAGE, LEAVE_PAGE = "/test-mode", "/test-mode/leave"
LOAD_SAMPLES_PAGE, REMOVE_SAMPLES_PAGE = "/test-mode/sample-data", "/test-mode/sample-data/remove"


def test_mode_routes() -> list[BaseRoute]:
    """Return the routes that open and leave test mode."""
    return [
        Route(OPEN_PAGE, submit_open, methods=["POST"]),
        Route(LEAVE_PAGE, submit_leave, methods=["POST"]),
        Route(LOAD_SAMPLES_PAGE, submit_load_samples, methods=["POST"]),
        Route(REMOVE_SAMPLES_PAGE, submit_remove_samples, methods=["POST"]),
    ]


async def submit_open(request: Request) -> Response:
    """Sign in to the test business, and keep the live session for the way back."""
    return await _in_test_mode(request, _stay)


async def submit_load_samples(request: Request) -> Response:
    """Load sample data into the test business and open it."""
    return await _in_test_mode(request, _load_samples)


async def _stay(request: Request, session: WebSession) -> Refused | None:
    return None


async def _load_samples(request: Request, session: WebSession) -> Refused | None:
    result = await call_operation(request, load_sample_data, EmptyRequest(), session=session)
    return result if isinstance(result, Refused) else None


async def _in_test_mode(request: Request, act: Callable[[Request, WebSession], Awaitable[Refused | None]]) -> Response:
    """Act in the test business and stay there.

    A refusal leaves the browser in live mode.
    """
    session = await current_session(request)
    if session is None:
        return redirect_to_sign_in(request)
    if refusal := await _foreign_form(request, session):
        return refusal
    response = RedirectResponse(DESK.address, 303)
    if session.test:
        refused = await act(request, session)
        return _notice(request, session, refused.message, refused.status) if refused else response
    result = await call_operation(request, open_test_session, EmptyRequest(), session=session)
    if isinstance(result, Refused):
        return _notice(request, session, result.message, result.status)
    app, opened = app_of(request), result.answer
    in_test = await session_of_token(request, opened.access_token)
    if in_test and (refused := await act(request, in_test)):
        await call_operation(request, logout, EmptyRequest(), session=in_test)
        return _notice(request, session, refused.message, refused.status)
    set_live_session_cookie(response, app, session.token, opened.expires_at)
    set_session_cookie(response, app, opened.access_token, opened.expires_at)
    return response


async def submit_remove_samples(request: Request) -> Response:
    """Remove the sample data and go back to the live session."""
    session = await current_session(request)
    if session is None:
        return redirect_to_sign_in(request)
    if refusal := await _foreign_form(request, session):
        return refusal
    result = await call_operation(request, remove_sample_data, EmptyRequest(), session=session)
    if isinstance(result, Refused):
        return _notice(request, session, result.message, result.status)
    return await _leave(request, session)


async def submit_leave(request: Request) -> Response:
    """End the test session and go back to the live one.

    If that ended too, show the sign-in page.
    """
    session = await current_session(request)
    if session is None:
        return redirect_to_sign_in(request)
    if refusal := await _foreign_form(request, session):
        return refusal
    return await _leave(request, session)


async def _leave(request: Request, session: WebSession) -> Response:
    app, live = app_of(request), await live_session(request)
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
