"""Messages and operation calls for page scripts."""

import gzip
from collections.abc import Collection, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.web.i18n import page_language, page_translator
from haulier.web.operations_client import Refused, call_with_body, read_body
from haulier.web.rendering import PAGE_SECURITY_HEADERS
from haulier.web.session import app_of, current_session

PACKED_FROM_BYTES = 4_096
PACKING_LEVEL = 3
"""The day of a thousand stops is a twelfth then, after three milliseconds."""


def find_operation(request: Request, names: Collection[str]) -> Operation[Any, Any] | None:
    """Return the operation in the address if allowed and loaded, or None."""
    name = request.path_params["operation"]
    return app_of(request).registry.get(name) if name in names else None


async def answer_script(request: Request, operation: Operation[Any, Any] | None) -> Response:
    """Return an operation's answer to a script.

    `None` is an operation that is not allowed.

    The header `X-Dry-Run: true` makes it a dry run.
    """
    session, say = await current_session(request), page_translator(request)
    if session is None:
        return _json_response({"message": say("sign_in.again")}, 401)
    if operation is None:
        return _json_response({"message": say("not_found")}, 404)
    if not session.is_genuine_form(request, {"csrf": request.headers.get("x-csrf")}):
        return _json_response({"message": say("sign_in.again")}, 403)
    body = await read_body(request, operation.body_limit_bytes)
    rehearsed = request.headers.get("x-dry-run") == "true"
    result = await call_with_body(request, operation, body, session=session, dry_run=rehearsed)
    document = result.error if isinstance(result, Refused) else result.answer
    return _json_response(document, result.status, result.headers, packed=takes_gzip(request.headers))


async def answer_anybody(request: Request, operation: Operation[Any, Any] | None) -> Response:
    """Return an operation's answer to a page without session.

    The body authorizes the call.
    """
    if operation is None:
        return Response(status_code=404)
    result = await call_with_body(request, operation, await read_body(request))
    document = result.error if isinstance(result, Refused) else result.answer
    return _json_response(document, result.status, result.headers)


def script_words(request: Request, prefixes: Mapping[str, str]) -> dict[str, str]:
    """Return messages for scripts, by script and catalogue prefix."""
    say, messages = page_translator(request), app_of(request).catalogues.words(page_language(request))
    return {
        short + id.removeprefix(prefix): say(id)
        for short, prefix in prefixes.items()
        for id in messages
        if id.startswith(prefix)
    }


def takes_gzip(asked: Mapping[str, str]) -> bool:
    """Return True if a browser accepts gzip for a whole document."""
    return "gzip" in asked.get("accept-encoding", "") and "range" not in asked


def _json_response(
    document: Any, status: int, headers: Mapping[str, str] | None = None, *, packed: bool = False
) -> Response:
    """Return an answer as JSON, compressed if large.

    Compression is safe: the answer holds no secret of the session.
    """
    all_headers = {**PAGE_SECURITY_HEADERS, **(headers or {}), "Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    body = codec.encode_json(document)
    if packed and len(body) > PACKED_FROM_BYTES:
        body, all_headers = gzip.compress(body, PACKING_LEVEL, mtime=0), {**all_headers, "Content-Encoding": "gzip"}
    return Response(body, status, all_headers, media_type="application/json")
