"""The discovery documents over HTTP: public, the same for everybody, with an entity tag."""

import hashlib
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.doors.discovery.documents import Documents
from haulier.doors.discovery.formats import FORMATS
from haulier.doors.headers import Headers
from haulier.kernel import codec
from haulier.kernel.declarations import Server
from haulier.kernel.errors import INVALID_REQUEST, Fault
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.rendering import error_body
from haulier.kernel.steps.freshness import tags

JSON = "application/json"
MARKDOWN = "text/markdown; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
KEPT_S = 300
"""How long a reader may keep a document without asking again."""


def discovery(house: House) -> list[BaseRoute]:
    """The routes of the discovery documents."""
    documents = Documents(house.registry, house.base_url)

    async def tools(request: Request) -> Response:
        form, server = request.query_params.get("format", "mcp"), request.query_params.get("server", Server.USER.value)
        faults = [
            Fault(name, "field.literal_error", {"expected": ", ".join(known)})
            for name, value, known in (("format", form, FORMATS), ("server", server, [one.value for one in Server]))
            if value not in known
        ]
        if faults:
            return _refused(house, request, *faults)
        return _document(request, documents.tools(form, Server(server)), JSON)

    return [
        Route("/ai/tools", tools),
        _route("/.well-known/ai-tools.json", lambda: documents.ai_tools, JSON),
        _route("/llms.txt", lambda: documents.llms, PLAIN),
        _route("/ai/tools/openapi", lambda: documents.openapi, JSON),
        _route("/ai/tools/graphql", lambda: documents.graphql, PLAIN),
        _route("/ai/capabilities", lambda: documents.capabilities, JSON),
        _route("/ai-skill", lambda: documents.skill.text.encode(), MARKDOWN),
        _route("/ai-skill/version", lambda: documents.version, JSON),
    ]


def _route(path: str, document: Callable[[], bytes], media_type: str) -> Route:
    async def answer(request: Request) -> Response:
        return _document(request, document(), media_type)

    return Route(path, answer)


def _document(request: Request, body: bytes, media_type: str) -> Response:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={KEPT_S}", "Access-Control-Allow-Origin": "*"}
    known = tags(request.headers.get("if-none-match", ""))
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def _refused(house: House, request: Request, *faults: Fault) -> Response:
    headers = Headers.of(request.scope)
    language = negotiate(headers.accept_language)
    body = error_body(INVALID_REQUEST.at(*faults), house.catalogues, language, headers.request_id)
    said = {"Content-Language": language, "X-Request-Id": headers.request_id}
    return Response(codec.encode(body), 422, headers=said, media_type=JSON)
