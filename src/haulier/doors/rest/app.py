"""REST: one ASGI application that finds the operation, hands the call to the pipeline and dresses the answer."""

from base64 import b64decode
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from haulier.doors.headers import Headers
from haulier.doors.rest.live import follow
from haulier.doors.rest.router import Binding, Router
from haulier.doors.rest.variants import chosen, type_of
from haulier.kernel import codec
from haulier.kernel.errors import (
    BODY_TOO_LARGE,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    UNSUPPORTED_MEDIA_TYPE,
    Fault,
    Refusal,
)
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.operation import Document, Offer, Request, Rest, Variants
from haulier.kernel.pipeline import Outcome, handle
from haulier.kernel.rendering import error_body

JSON = b"application/json"
BODILESS = frozenset({"GET", "HEAD", "DELETE"})
"""Methods whose body nobody reads."""


class RestApp:
    """Everything below /api that is an operation."""

    def __init__(self, house: House, added: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """`added` are headers that every answer carries, unless it says otherwise itself."""
        self.house = house
        self._dress = partial(_dress, added=dict(added))
        self.router = Router(house.registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = Headers.of(scope)
        try:
            binding, texts = self._find(scope)
            rest, operation, _ = binding
            body = b"" if scope["method"] in BODILESS else await _body(receive, headers, binding)
            if rest.headers or operation.takes_document:
                _add_headers(binding, scope, headers, texts)
            offer = _offered(rest, headers, texts)
            known = headers.known(offer.value if offer else "") if operation.fingerprint else None
            knock = headers.knock(operation, "rest", body=body, body_field=rest.body, texts=texts, known=known)
        except Refusal as refusal:
            await self._turn_away(headers, refusal, send)
            return
        if rest.live and rest.path == rest.live.path:
            await follow(self.house, headers, binding, texts, receive, send, refuse=self._dress)
            return
        await self._dress(binding, await handle(self.house, knock), send, offer)

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
        await self._dress(None, outcome, send)


def _offered(rest: Rest, headers: Headers, texts: dict[str, Any]) -> Offer | None:
    """The form of the answer that the Accept header asks for, as a field of the request; the query's own word wins."""
    variants = rest.variants
    if variants is None or variants.field in texts:
        return None
    offer = chosen(variants, headers.accept)
    if offer:
        texts[variants.field] = offer.value
    return offer


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


def _add_headers(binding: Binding, scope: Scope, headers: Headers, texts: dict[str, Any]) -> None:
    """Headers that carry fields of the request become texts, and so does the media type of a document."""
    rest, operation, _ = binding
    if rest.headers:
        fields = {header.lower().encode(): field for field, header in rest.headers.items()}
        texts.update({fields[name]: value.decode("latin-1") for name, value in scope["headers"] if name in fields})
    if operation.takes_document:
        texts["content_type"] = headers.content_type


async def _body(receive: Receive, headers: Headers, binding: Binding) -> bytes:
    limit = binding[1].body_limit_bytes
    if headers.content_length > limit:
        raise BODY_TOO_LARGE(limit_bytes=limit)
    body = await _read(receive, limit)
    if body and headers.content_type:
        _demand_a_known_type(headers.content_type, binding[1].request)
    return body


def _demand_a_known_type(content_type: str, request: type[Request]) -> None:
    if issubclass(request, Document):
        if content_type not in request.media_types:
            allowed = {"allowed": ", ".join(request.media_types)}
            raise UNSUPPORTED_MEDIA_TYPE.at(Fault("Content-Type", "field.media_type", allowed))
    elif content_type != "application/json" and not content_type.endswith("+json"):
        raise UNSUPPORTED_MEDIA_TYPE()


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


async def _dress(
    binding: Binding | None, outcome: Outcome, send: Send, offer: Offer | None = None, *, added: Mapping[bytes, bytes]
) -> None:
    status, media_type = outcome.status, JSON
    if outcome.unchanged:
        body, status = b"", 304
        if outcome.keep:
            _written(binding, outcome, offer)
    elif outcome.error is not None:
        body = codec.encode(outcome.error)
    elif outcome.letters is not None:
        body = codec.encode({"result": True, "preview": outcome.answer, **outcome.rehearsed})
    else:
        status = 202 if outcome.queued else binding[0].status if binding else status
        body, media_type = _written(binding, outcome, offer)
    headers = {
        **added,
        b"content-type": media_type,
        b"content-length": b"%d" % len(body),
        b"content-language": outcome.language.encode(),
        b"x-request-id": outcome.request_id.encode(),
    }
    for name, value in outcome.headers.items():
        headers[_as_sent(name)] = value.encode()
    if outcome.repeated:
        headers[b"idempotency-replayed"] = b"true"
    await send({"type": "http.response.start", "status": status, "headers": list(headers.items())})
    await send({"type": "http.response.body", "body": body})


@lru_cache(maxsize=256)
def _as_sent(name: str) -> bytes:
    return name.lower().encode()


def _written(binding: Binding | None, outcome: Outcome, offer: Offer | None) -> tuple[bytes, bytes]:
    """The body and its media type: of what was kept, of the bare form that was asked for, or of the whole answer."""
    media_type = type_of(offer).encode() if offer else JSON
    if outcome.sent is not None:
        return outcome.sent, media_type
    if offer and binding and binding[0].variants:
        body, media_type = _bare(binding[0].variants, outcome.answer, offer)
    else:
        body = codec.encode(outcome.answer)
    if outcome.keep:
        outcome.keep(body)
    return body, media_type


def _bare(variants: Variants, answer: Any, offer: Offer) -> tuple[bytes, bytes]:
    """The part of an answer that is sent alone, and its media type."""
    part = getattr(answer, variants.bare)
    if variants.typed:
        return b64decode(part), getattr(answer, variants.typed).encode()
    return codec.encode(part), type_of(offer).encode()
