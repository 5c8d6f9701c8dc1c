"""REST API as an ASGI app that routes, calls the pipeline and renders responses."""

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from haulier.api.content_negotiation import choose_representation, content_type_of
from haulier.api.request_body import read_body
from haulier.api.request_headers import RequestHeaders
from haulier.api.rest.multipart import MULTIPART, read_multipart, require_document_type
from haulier.api.rest.router import METHODS_WITHOUT_BODY, Binding, router_of
from haulier.api.rest.sse import stream_list
from haulier.api.send_answer import send_answer
from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import DocumentRequest, Representation, Representations, Request, Rest
from haulier.kernel.operations.deprecation import deprecation_headers
from haulier.kernel.operations.error_rendering import MAX_LISTED_ERRORS, render_error
from haulier.kernel.operations.errors import (
    BODY_TOO_LARGE,
    INVALID_TOKEN_CODES,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    SCOPE_MISSING,
    UNAUTHENTICATED,
    UNSUPPORTED_MEDIA_TYPE,
    FieldError,
    OperationError,
)
from haulier.kernel.operations.file_parts import find_file_places
from haulier.kernel.operations.name_hints import unknown_parameter
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request

JSON_TYPE = b"application/json"


class RestApp:
    """The operations below /api."""

    def __init__(self, app: Application, extra_headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """`extra_headers` are added to each response that does not set them itself."""
        self.app = app
        self.render_response = partial(render_response, extra_headers=dict(extra_headers))
        self.router = router_of(app.registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = RequestHeaders.of(scope)
        try:
            binding, texts, foreign = self._find_binding(scope)
            rest, operation, _ = binding
            if rest.token_header:
                headers.read_token_of(scope, rest.token_header)
            if rest.token_query:
                headers.read_token_of_query(scope, rest.token_query)
            body = (
                b"" if scope["method"] in METHODS_WITHOUT_BODY else await _read_limited_body(receive, headers, binding)
            )
            if rest.headers or operation.is_document_operation:
                _add_header_fields(binding, scope, headers, texts)
            if body and headers.content_type == MULTIPART:
                form = await read_multipart(body, headers.full_content_type, operation.request)
                texts.pop("content_type", None)
                body, texts, foreign = form.body, {**form.texts, **texts}, (*foreign, *form.faults)
            offer = _negotiated_representation(rest, headers, texts)
            preconditions = headers.preconditions(offer.value if offer else "") if operation.http else None
            operation_request = headers.operation_request(
                operation,
                "rest",
                body=body,
                body_field=rest.body,
                texts=texts,
                foreign=foreign,
                preconditions=preconditions,
            )
        except OperationError as error:
            await self._send_error(headers, error, send)
            return
        if rest.event_stream and rest.path == rest.event_stream.path and not foreign:
            await stream_list(
                self.app, headers, binding, texts, scope, receive, send, render_error=self.render_response
            )
            return
        await self.render_response(binding, await handle_request(self.app, operation_request), send, offer)

    def _find_binding(self, scope: Scope) -> tuple[Binding, dict[str, Any], Sequence[FieldError]]:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        bindings, values = self.router.find(path)
        if not bindings:
            raise ROUTE_NOT_FOUND()
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in bindings:
            allowed = ", ".join(sorted(bindings))
            error = METHOD_NOT_ALLOWED(allowed=allowed)
            error.headers = {"Allow": allowed}
            raise error
        binding = bindings[method]
        texts: dict[str, Any] = dict(zip(binding[2].path, values, strict=True))
        foreign = _add_query_parameters(binding, scope["query_string"], texts) if scope["query_string"] else ()
        return binding, texts, foreign

    async def _send_error(self, headers: RequestHeaders, error: OperationError, send: Send) -> None:
        language = negotiate_language(headers.accept_language)
        body = render_error(error, self.app.catalogues, language, headers.request_id)
        result = OperationResult(
            language=language,
            request_id=headers.request_id,
            error=body,
            status=error.error_type.status,
            headers=error.headers,
        )
        await self.render_response(None, result, send)


def _negotiated_representation(rest: Rest, headers: RequestHeaders, texts: dict[str, Any]) -> Representation | None:
    """Set the request field for the negotiated form; the query takes precedence."""
    representations = rest.representations
    if representations is None or representations.field in texts:
        return None
    offer = choose_representation(representations, headers.accept)
    if offer:
        texts[representations.field] = offer.value
    return offer


def _add_query_parameters(binding: Binding, query_string: bytes, texts: dict[str, Any]) -> Sequence[FieldError]:
    """Add query parameters as strings; repeated ones become lists.

    Returns an error for each unknown parameter.
    """
    rest, (_, names, lists) = binding[0], binding[2]
    unknown = dict[str, FieldError]()
    for name, value in parse_qsl(query_string.decode("latin-1"), keep_blank_values=True):
        if name in lists:
            texts.setdefault(name, []).extend(value.split(","))
        elif name in names:
            texts[name] = value
        elif name == rest.token_query:
            continue
        elif len(unknown) < MAX_LISTED_ERRORS:
            unknown[name] = unknown_parameter(name, names)
    return tuple(unknown.values())


def _add_header_fields(binding: Binding, scope: Scope, headers: RequestHeaders, texts: dict[str, Any]) -> None:
    """Add headers that are request fields, and the media type of a document."""
    rest, operation, _ = binding
    if rest.headers:
        fields = {header.lower().encode(): field for field, header in rest.headers.items()}
        texts.update({fields[name]: value.decode("latin-1") for name, value in scope["headers"] if name in fields})
    if operation.is_document_operation:
        texts["content_type"] = headers.content_type


async def _read_limited_body(receive: Receive, headers: RequestHeaders, binding: Binding) -> bytes:
    limit = binding[1].body_limit_bytes
    if headers.content_length > limit:
        raise BODY_TOO_LARGE(limit_bytes=limit)
    body = await read_body(receive, limit)
    if body and headers.content_type:
        _require_known_media_type(headers.content_type, binding[1].request)
    return body


def _require_known_media_type(content_type: str, request: type[Request]) -> None:
    if content_type == MULTIPART and find_file_places(request):
        return
    if issubclass(request, DocumentRequest):
        require_document_type(content_type, request)
    elif content_type != "application/json" and not content_type.endswith("+json"):
        raise UNSUPPORTED_MEDIA_TYPE()


async def render_response(
    binding: Binding | None,
    result: OperationResult,
    send: Send,
    offer: Representation | None = None,
    *,
    extra_headers: Mapping[bytes, bytes],
) -> None:
    status, media_type = result.status, JSON_TYPE
    if result.unchanged:
        body, status = b"", 304
        if result.store:
            _encoded_body(binding, result, offer)
    elif result.error is not None:
        body = codec.encode_json(result.error)
    elif result.side_effects is not None:
        body = codec.encode_json({"result": True, "preview": result.answer, **result.dry_run_fields})
    else:
        status = 202 if result.pending_approval else binding[0].status if binding else status
        if "Content-Range" in result.headers:
            status = 206  # the answer is partial (RFC 9110, section 15.3.7)
        body, media_type = _encoded_body(binding, result, offer)
    headers = {
        **extra_headers,
        b"content-type": media_type,
        b"content-length": b"%d" % len(body),
        b"content-language": result.language.encode(),
        b"x-request-id": result.request_id.encode(),
    }
    if result.error is not None and (challenge := bearer_challenge(result, binding)):
        headers[b"www-authenticate"] = challenge.encode()
    for name, value in (*deprecation_headers(result.deprecations).items(), *result.headers.items()):
        headers[_encoded_header_name(name)] = value.encode()
    if result.replayed:
        headers[b"idempotency-replayed"] = b"true"
    await send_answer(send, status, headers.items(), body)


def bearer_challenge(result: OperationResult, binding: Binding | None) -> str | None:
    """Return the challenge for a missing, invalid or insufficient token, or None.

    Follows RFC 6750, section 3.
    """
    code = result.error["code"] if result.error else ""
    if code == SCOPE_MISSING.code and binding:
        return f'Bearer realm="haulier", error="insufficient_scope", scope="{" ".join(sorted(binding[1].scopes))}"'
    if result.status != UNAUTHENTICATED.status:
        return None
    return 'Bearer realm="haulier"' + (', error="invalid_token"' if code in INVALID_TOKEN_CODES else "")


@lru_cache(maxsize=256)
def _encoded_header_name(name: str) -> bytes:
    return name.lower().encode()


def _encoded_body(
    binding: Binding | None, result: OperationResult, offer: Representation | None
) -> tuple[bytes, bytes]:
    """Return the body and media type of the cached, bare or full answer."""
    media_type = content_type_of(offer).encode() if offer else JSON_TYPE
    if result.cached_body is not None:
        return result.cached_body, media_type
    if offer and binding and binding[0].representations:
        body, media_type = _encoded_bare_part(binding[0].representations, result.answer, offer)
    else:
        body = codec.encode_json(result.answer)
    if result.store:
        result.store(body)
    return body, media_type


def _encoded_bare_part(representations: Representations, answer: Any, offer: Representation) -> tuple[bytes, bytes]:
    """Return the bare part of an answer and its media type."""
    part = getattr(answer, representations.data_field)
    if representations.media_type_field:
        return b64decode(part), getattr(answer, representations.media_type_field).encode()
    return codec.encode_json(part), content_type_of(offer).encode()
