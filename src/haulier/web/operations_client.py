"""Calls of operations from pages, with the session and language of the page.

Pages import an operation, so requests and answers are type-checked. Page values go in as a request; user input goes in
as texts, so the operation reports errors by field.
"""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast
from urllib.parse import parse_qsl

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest

from haulier.api.request_headers import RequestHeaders
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.web.i18n import page_language
from haulier.web.session import WebSession, app_of

WEB_INTERFACE = "web"
MAX_BODY_BYTES = 65_536
MAX_FORM_FIELDS = 100
Req = TypeVar("Req", bound=Request)
Ans = TypeVar("Ans", bound=Answer)


class Answered(Struct, Generic[Ans], frozen=True):
    """The answer of an operation, and the status and headers that belong to it."""

    answer: Ans
    status: int
    headers: Mapping[str, str]


class Refused(Struct, frozen=True):
    """The error body of an operation, and the status and headers that belong to it."""

    error: dict[str, Any]
    status: int
    headers: Mapping[str, str]

    @property
    def message(self) -> str:
        """Return the error message in the reader's language."""
        return self.error["message"]

    def field_errors(self) -> dict[str, str]:
        """The message about each field at fault."""
        return {error["field"]: error["message"] for error in self.error.get("errors", ())}


async def call_operation(
    request: HttpRequest, operation: Operation[Req, Ans], values: Req, *, session: WebSession | None = None
) -> Answered[Ans] | Refused:
    """Call an operation with a request.

    Secrets are masked in requests: send them as texts.
    """
    body = values.model_dump_json(by_alias=True, exclude_unset=True).encode()
    return await call_with_body(request, operation, body, session=session)


async def call_with_texts(
    request: HttpRequest,
    operation: Operation[Req, Ans],
    texts: Mapping[str, str],
    *,
    session: WebSession | None = None,
) -> Answered[Ans] | Refused:
    """Call an operation with the fields of a form or address.

    The operation validates them.
    """
    operation_request = _operation_request(request, operation, session)
    operation_request.texts = texts
    return typed_result(operation, await handle_request(app_of(request), operation_request))


async def call_with_body(
    request: HttpRequest,
    operation: Operation[Req, Ans],
    body: bytes,
    *,
    session: WebSession | None = None,
    dry_run: bool = False,
) -> Answered[Ans] | Refused:
    """Call an operation with a JSON body from a script; the operation validates it."""
    operation_request = _operation_request(request, operation, session)
    operation_request.body = body
    operation_request.dry_run = dry_run
    return typed_result(operation, await handle_request(app_of(request), operation_request))


async def call_with_values(
    request: HttpRequest,
    operation: Operation[Any, Any],
    values: Mapping[str, Any],
    *,
    session: WebSession,
    dry_run: bool = False,
    idempotency_key: str | None = None,
) -> OperationResult:
    """Call an operation of the registry with JSON values.

    The operation validates them.

    A dry run changes nothing and returns the changes.
    """
    operation_request = _operation_request(request, operation, session)
    if operation.is_document_operation:
        texts = {name: str(value) for name, value in values.items()}
        operation_request.body = texts.pop("document", "").encode()
        operation_request.texts = texts
    else:
        operation_request.body = codec.encode_json(dict(values))
    operation_request.dry_run = dry_run
    operation_request.idempotency_key = idempotency_key
    return await handle_request(app_of(request), operation_request)


def typed_result(operation: Operation[Req, Ans], result: OperationResult) -> Answered[Ans] | Refused:
    """Return the result of an operation with its declared type."""
    if result.error is not None:
        return Refused(result.error, result.status, result.headers)
    return Answered(cast(Ans, result.answer), result.status, result.headers)


async def read_body(request: HttpRequest, max_bytes: int = MAX_BODY_BYTES) -> bytes:
    """The body of a request. Raises `HTTPException` (413) for one that is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise HTTPException(413)
    return body


async def read_form_fields(
    request: HttpRequest, max_bytes: int = MAX_BODY_BYTES, max_fields: int = MAX_FORM_FIELDS
) -> list[tuple[str, str]]:
    """Return the fields of a form in order.

    Raises `HTTPException`: 413 if too large, 400 if malformed.
    """
    body = await read_body(request, max_bytes)
    try:
        return parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=max_fields)
    except ValueError:
        raise HTTPException(400) from None


async def read_form(request: HttpRequest) -> dict[str, str]:
    """Return the fields of a form by name, the last of repeated ones.

    Raises `HTTPException` like `read_form_fields`.
    """
    return dict(await read_form_fields(request))


def _operation_request(
    request: HttpRequest, operation: Operation[Any, Any], session: WebSession | None
) -> OperationRequest:
    """Return a call from a page.

    Its button confirms it; headers of other interfaces are ignored.
    """
    headers = RequestHeaders.of(request.scope)
    return OperationRequest(
        operation=operation,
        interface=WEB_INTERFACE,
        request_id=headers.request_id,
        token=session.token if session else None,
        accept_language=page_language(request),
        address=headers.address,
        agent=headers.agent,
        confirmed=True,
    )
