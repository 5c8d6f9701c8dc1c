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


def set_cache_control(call: Call, incoming: OperationRequest) -> None:
    """Say in the headers who may keep the answer, and for how long."""
    public = call.principal is ANONYMOUS
    call.headers["Cache-Control"] = f"public, max-age={incoming.operation.cache_s}" if public else "private, no-cache"
    call.headers["Vary"] = VARY


async def check_unchanged(call: Call, incoming: OperationRequest, request: Request) -> bool:
    """Whether the caller says what they have, and has it still, as far as that can be told without reading the answer."""
    operation = incoming.operation
    if operation.fingerprint is None or incoming.known is None or not incoming.known.is_conditional:
        return False
    fingerprint = await operation.fingerprint(call, request)
    return fingerprint is not None and matches_preconditions(
        incoming.known, set_validators(call, incoming, fingerprint), fingerprint
    )


def answer_from_cache(app: Application, incoming: OperationRequest, result: OperationResult, asked: Hashable) -> bool:
    """Answer the public as it was answered a moment ago, where that is kept."""
    answered = app.response_cache.get(asked)
    if answered is None:
        return False
    result.headers, result.cached_body = answered.headers, answered.body
    result.unchanged = matches_preconditions(incoming.known, answered.headers["ETag"], answered.fingerprint)
    return True


def make_cache_key(incoming: OperationRequest, result: OperationResult) -> Hashable | None:
    """What tells one question of the public at the REST door from another; None at other doors."""
    if incoming.door != "rest":
        return None
    form = incoming.known.form if incoming.known else ""
    return incoming.operation.name, result.language, form, *incoming.texts.items()


def set_validators(call: Call, incoming: OperationRequest, fingerprint: Fingerprint) -> str:
    """Say in the headers how to ask next time. The tag is weak: the same data in the same words, not the same bytes."""
    form = incoming.known.form if incoming.known else ""
    asked = zlib.crc32(f"{incoming.texts}{call.language}{call.actor}{form}".encode())
    call.headers["ETag"] = etag = f'W/"{fingerprint.tag}-{asked:08x}"'
    if fingerprint.modified:
        call.headers["Last-Modified"] = format_http_date(fingerprint.modified)
    return etag
