"""The steps of a read that HTTP caching adds: entity tags, 304, and answers kept for everyone."""

import zlib
from collections.abc import Hashable

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.http.conditional_requests import format_http_date, matches_preconditions
from haulier.kernel.operations.declaration import Fingerprint, Request
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.principal import ANONYMOUS

VARY = "Accept, Accept-Language, Authorization"


def set_cache_control(call: Call, operation_request: OperationRequest) -> None:
    """Say in the headers who may keep the answer, and for how long."""
    public = call.principal is ANONYMOUS
    call.headers["Cache-Control"] = (
        f"public, max-age={operation_request.operation.cache_s}" if public else "private, no-cache"
    )
    call.headers["Vary"] = VARY


async def check_unchanged(call: Call, operation_request: OperationRequest, request: Request) -> bool:
    """Whether the caller says what they have, and has it still, as far as that can be told without reading the answer."""
    operation = operation_request.operation
    if operation.fingerprint is None or operation_request.known is None or not operation_request.known.is_conditional:
        return False
    fingerprint = await operation.fingerprint(call, request)
    return fingerprint is not None and matches_preconditions(
        operation_request.known, set_validators(call, operation_request, fingerprint), fingerprint
    )


def answer_from_cache(
    app: Application, operation_request: OperationRequest, outcome: OperationResult, asked: Hashable
) -> bool:
    """Answer the public as it was answered a moment ago, where that is kept."""
    answered = app.response_cache.get(asked)
    if answered is None:
        return False
    outcome.headers, outcome.cached_body = answered.headers, answered.body
    outcome.unchanged = matches_preconditions(operation_request.known, answered.headers["ETag"], answered.fingerprint)
    return True


def make_cache_key(operation_request: OperationRequest, outcome: OperationResult) -> Hashable | None:
    """What tells one question of the public at the REST door from another; None at other doors."""
    if operation_request.door != "rest":
        return None
    form = operation_request.known.form if operation_request.known else ""
    return operation_request.operation.name, outcome.language, form, *operation_request.texts.items()


def set_validators(call: Call, operation_request: OperationRequest, fingerprint: Fingerprint) -> str:
    """Say in the headers how to ask next time. The tag is weak: the same data in the same words, not the same bytes."""
    form = operation_request.known.form if operation_request.known else ""
    asked = zlib.crc32(f"{operation_request.texts}{call.language}{call.actor}{form}".encode())
    call.headers["ETag"] = etag = f'W/"{fingerprint.tag}-{asked:08x}"'
    if fingerprint.modified:
        call.headers["Last-Modified"] = format_http_date(fingerprint.modified)
    return etag
