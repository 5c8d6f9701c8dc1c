"""Discovery documents over HTTP: public, identical for all callers, with an ETag."""

import hashlib
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.api.discovery.documents import DiscoveryDocuments
from haulier.api.discovery.formats import TOOL_FORMATS
from haulier.api.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.http.conditional_requests import parse_entity_tags
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

JSON_TYPE = "application/json"
MARKDOWN_TYPE = "text/markdown; charset=utf-8"
PLAIN_TEXT_TYPE = "text/plain; charset=utf-8"
DOCUMENT_MAX_AGE_S = 300
"""Seconds that a document may be cached without revalidation."""


def discovery_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of the discovery documents."""
    documents = DiscoveryDocuments(app.registry, app.base_url)

    async def tools(request: Request) -> Response:
        form, server = (
            request.query_params.get("format", "mcp"),
            request.query_params.get("server", McpServer.USER.value),
        )
        field_errors = [
            FieldError(name, "field.literal_error", {"expected": ", ".join(allowed)})
            for name, value, allowed in (
                ("format", form, TOOL_FORMATS),
                ("server", server, [member.value for member in McpServer]),
            )
            if value not in allowed
        ]
        if field_errors:
            return invalid_request_response(app, request, *field_errors)
        return _document_response(request, documents.tools(form, McpServer(server)), JSON_TYPE)

    return [
        Route("/ai/tools", tools),
        _document_route("/.well-known/ai-tools.json", lambda: documents.ai_tools, JSON_TYPE),
        _document_route("/llms.txt", lambda: documents.llms, PLAIN_TEXT_TYPE),
        _document_route("/ai/tools/openapi", lambda: documents.openapi, JSON_TYPE),
        _document_route("/ai/tools/graphql", lambda: documents.graphql, PLAIN_TEXT_TYPE),
        _document_route("/ai/capabilities", lambda: documents.capabilities, JSON_TYPE),
        _document_route("/ai-skill", lambda: documents.skill.text.encode(), MARKDOWN_TYPE),
        _document_route("/ai-skill/version", lambda: documents.version, JSON_TYPE),
    ]


def _document_route(path: str, document: Callable[[], bytes], media_type: str) -> Route:
    async def answer(request: Request) -> Response:
        return _document_response(request, document(), media_type)

    return Route(path, answer)


def _document_response(request: Request, body: bytes, media_type: str) -> Response:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {
        "ETag": tag,
        "Cache-Control": f"public, max-age={DOCUMENT_MAX_AGE_S}",
        "Access-Control-Allow-Origin": "*",
    }
    known_tags = parse_entity_tags(request.headers.get("if-none-match", ""))
    if tag in known_tags or "*" in known_tags:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def invalid_request_response(app: Application, request: Request, *faults: FieldError) -> Response:
    """Return the refusal of query parameters, in the caller's language."""
    headers = RequestHeaders.of(request.scope)
    language = negotiate_language(headers.accept_language)
    body = render_error(INVALID_REQUEST.for_fields(*faults), app.catalogues, language, headers.request_id)
    response_headers = {"Content-Language": language, "X-Request-Id": headers.request_id}
    return Response(codec.encode_json(body), 422, headers=response_headers, media_type=JSON_TYPE)
