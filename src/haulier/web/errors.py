"""What is answered where no route is, outside the doors: a page for browsers, an error body for programs."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from haulier.doors.request_headers import RequestHeaders
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import METHOD_NOT_ALLOWED, ROUTE_NOT_FOUND
from haulier.web.i18n import page_translator
from haulier.web.rendering import render_page
from haulier.web.session import app_of, current_session

_STATIC_FILES = "/static/"


async def answer_missing_route(request: Request, error: Exception) -> Response:
    """404 and 405 of addresses outside `/api`."""
    assert isinstance(error, HTTPException)
    if _wants_page(request):
        return await _missing_page(request, error)
    headers = RequestHeaders.of(request.scope)
    language = negotiate_language(headers.accept_language)
    problem: Any = ROUTE_NOT_FOUND() if error.status_code == ROUTE_NOT_FOUND.status else _method_not_allowed(error)
    body = render_error(problem, app_of(request).catalogues, language, headers.request_id)
    named = {"Content-Language": language, "X-Request-Id": headers.request_id}
    return JSONResponse(body, error.status_code, {**(error.headers or {}), **named})


def _wants_page(request: Request) -> bool:
    """Whether it is a browser that shows the answer to somebody: only browsers name HTML."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(_STATIC_FILES)


async def _missing_page(request: Request, error: HTTPException) -> Response:
    say = page_translator(request)
    missing = error.status_code == ROUTE_NOT_FOUND.status
    title = say("page.not_found" if missing else "page.method_not_allowed")
    text = say("page.not_found_text") if missing else title
    session = await current_session(request)
    page = render_page(request, "notice.html", session=session, status_code=error.status_code, title=title, text=text)
    page.headers.update(error.headers or {})
    return page


def _method_not_allowed(error: HTTPException) -> Any:
    return METHOD_NOT_ALLOWED(allowed=(error.headers or {}).get("Allow", ""))
