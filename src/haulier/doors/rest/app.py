"""REST: one ASGI application that finds the operation, hands the call to the pipeline and dresses the answer."""

from typing import Any
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from haulier.doors.headers import Headers
from haulier.doors.rest.router import Binding, Router
from haulier.kernel import codec
from haulier.kernel.errors import (
    BODY_TOO_LARGE,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    UNSUPPORTED_MEDIA_TYPE,
    Refusal,
)
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.pipeline import Outcome, handle
from haulier.kernel.rendering import error_body

JSON = b"application/json"


class RestApp:
    """Everything below /api that is an operation."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.router = Router(house.registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = Headers.of(scope)
        try:
            binding, texts = self._find(scope)
            body = await _body(scope, receive, headers, binding)
        except Refusal as refusal:
            await self._turn_away(headers, refusal, send)
            return
        knock = headers.knock(binding[1], "rest", body=body, texts=texts)
        await _dress(binding, await handle(self.house, knock), send)

    def _find(self, scope: Scope) -> tuple[Binding, dict[str, Any]]:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        bindings, values = self.router.find(path)
        if not bindings:
            raise ROUTE_NOT_FOUND()
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in bindings:
            allowed = ", ".join(sorted(bindings))
            refusal = METHOD_NOT_ALLOWED(allowed=allowed)
            refusal.headers = {"Allow": allowed}
            raise refusal
        binding = bindings[method]
        texts: dict[str, Any] = dict(zip(binding[2], values, strict=True))
        if scope["query_string"]:
            _add_query(binding, scope["query_string"], texts)
        return binding, texts

    async def _turn_away(self, headers: Headers, refusal: Refusal, send: Send) -> None:
        language = negotiate(headers.accept_language)
        body = error_body(refusal, self.house.catalogues, language, headers.request_id)
        outcome = Outcome(
            language=language,
            request_id=headers.request_id,
            error=body,
            status=refusal.problem.status,
            headers=refusal.headers,
        )
        await _dress(None, outcome, send)


def _add_query(binding: Binding, query_string: bytes, texts: dict[str, Any]) -> None:
    """Query parameters become texts; a repeated one becomes a list; unknown ones are left alone, as the web expects."""
    rest, operation, named = binding
    fields = operation.request.model_fields
    wanted = set(rest.query) if rest.method in {"POST", "PUT", "PATCH"} else fields.keys() - set(named)
    lists = {
        name for name in wanted if "list[" in str(fields[name].annotation) or "tuple[" in str(fields[name].annotation)
    }
    for name, value in parse_qsl(query_string.decode("latin-1"), keep_blank_values=True):
        if name in lists:
            texts.setdefault(name, []).extend(value.split(","))
        elif name in wanted:
            texts[name] = value


async def _body(scope: Scope, receive: Receive, headers: Headers, binding: Binding) -> bytes:
    if scope["method"] in {"GET", "HEAD", "DELETE"}:
        return b""
    limit = binding[1].body_limit_bytes
    if headers.content_length > limit:
        raise BODY_TOO_LARGE(limit_bytes=limit)
    body = await _read(receive, limit)
    if body and headers.content_type not in {"", "application/json"} and not headers.content_type.endswith("+json"):
        raise UNSUPPORTED_MEDIA_TYPE()
    return body


async def _read(receive: Receive, limit: int) -> bytes:
    message = await receive()
    if not message.get("more_body"):
        body = message.get("body", b"")
        if len(body) > limit:
            raise BODY_TOO_LARGE(limit_bytes=limit)
        return body
    parts, size = [message.get("body", b"")], len(message.get("body", b""))
    while message.get("more_body"):
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise BODY_TOO_LARGE(limit_bytes=limit)
        parts.append(part)
    return b"".join(parts)


async def _dress(binding: Binding | None, outcome: Outcome, send: Send) -> None:
    status = outcome.status
    if outcome.error is not None:
        body = codec.encode(outcome.error)
    elif outcome.letters is not None:
        body = codec.encode({"result": True, "dry_run": True, "preview": outcome.answer, "letters": outcome.letters})
    else:
        body = codec.encode(outcome.answer)
        status = 202 if outcome.queued else binding[0].status if binding else status
    headers = [
        (b"content-type", JSON),
        (b"content-length", str(len(body)).encode()),
        (b"content-language", outcome.language.encode()),
        (b"x-request-id", outcome.request_id.encode()),
    ]
    if outcome.headers:
        headers += [(name.lower().encode(), value.encode()) for name, value in outcome.headers.items()]
    if outcome.repeated:
        headers.append((b"idempotency-replayed", b"true"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
