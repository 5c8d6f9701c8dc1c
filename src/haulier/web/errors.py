"""Responses for unknown addresses outside the APIs: a page or an error body."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from haulier.api.request_headers import RequestHeaders
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import METHOD_NOT_ALLOWED, ROUTE_NOT_FOUND, OperationError
from haulier.kernel.pipeline.outages import outage_error
from haulier.web.i18n import page_translator
from haulier.web.rendering import render_page
from haulier.web.session import app_of, current_session

_STATIC_FILES = "/static/"


async def answer_missing_route(request: Request, error: Exception) -> Response:
    """404 and 405 of addresses outside `/api`."""
    assert isinstance(error, HTTPException)
    if _wants_page(request):
        return await _missing_page(request, error)
    problem: Any = ROUTE_NOT_FOUND() if error.status_code == ROUTE_NOT_FOUND.status else _method_not_allowed(error)
    return _error_body(request, problem, error.headers or {})


async def answer_outage(request: Request, outage: Exception) -> Response:
    """503 for pages that read the database themselves, when it does not serve."""
    error = outage_error(outage)
    if not _wants_page(request):
        return _error_body(request, error, error.headers)
    say = page_translator(request)
    texts = {"title": say("page.unavailable"), "text": say(error.error_type.id)}
    page = render_page(request, "notice.html", session=None, status_code=error.error_type.status, **texts)
    page.headers.update(error.headers)
    return page


def _error_body(request: Request, error: OperationError, extra_headers: Mapping[str, str]) -> Response:
    headers = RequestHeaders.of(request.scope)
    language = negotiate_language(headers.accept_language)
    body = render_error(error, app_of(request).catalogues, language, headers.request_id)
    named = {"Content-Language": language, "X-Request-Id": headers.request_id}
    return JSONResponse(body, error.error_type.status, {**extra_headers, **named})


def _wants_page(request: Request) -> bool:
    """Return True if a browser asks for a page: only browsers accept HTML by name."""
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
