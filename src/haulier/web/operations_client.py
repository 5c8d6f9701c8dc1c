"""Calling operations from the pages: with the token of the session, in the language of the page, and forms as they come."""

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from haulier.doors.request_headers import RequestHeaders
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.web.i18n import page_language
from haulier.web.session import WebSession, app_of

WEB_DOOR = "web"
MAX_FORM_BYTES = 65_536
MAX_FORM_FIELDS = 100


async def call_operation(
    request: Request, operation: str, values: dict[str, str] | None = None, *, session: WebSession | None = None
) -> OperationResult:
    """The outcome of an operation. A form that asks for it is the confirmation; headers of other doors mean nothing here."""
    app, headers = app_of(request), RequestHeaders.of(request.scope)
    operation_request = OperationRequest(
        operation=app.registry[operation],
        door=WEB_DOOR,
        request_id=headers.request_id,
        texts=values or {},
        token=session.token if session else None,
        accept_language=page_language(request),
        address=headers.address,
        agent=headers.agent,
        confirmed=True,
    )
    return await handle_request(app, operation_request)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that was sent; of a repeated one the last. Raises `HTTPException` for one that is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413)
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS))
    except ValueError:
        raise HTTPException(400) from None


def field_faults(outcome: OperationResult, **renamed: str) -> dict[str, str]:
    """What is wrong with each field, in words; by the name that the field has on the page."""
    found: list[dict[str, str]] = (outcome.error or {}).get("errors", [])
    return {renamed.get(fault["field"], fault["field"]): fault["message"] for fault in found}
