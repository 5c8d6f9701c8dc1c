"""GraphQL over HTTP: POST with a JSON body, GET for queries."""

from typing import Any

import msgspec
from graphql import DocumentNode, ExecutionResult, GraphQLSchema, OperationType, execute, get_operation_ast
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from haulier.doors.graphql.documents import Documents, invalid
from haulier.doors.graphql.refusals import formatted, refused
from haulier.doors.graphql.schema import Visit, build_schema
from haulier.doors.headers import Headers
from haulier.kernel import codec
from haulier.kernel.errors import (
    BODY_TOO_LARGE,
    MALFORMED_JSON,
    METHOD_NOT_ALLOWED,
    UNSUPPORTED_MEDIA_TYPE,
    Refusal,
)
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate

BODY_MAX = 1_048_576
JSON = "application/json"


class Asked(msgspec.Struct):
    """The body of a GraphQL request."""

    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = msgspec.field(default=None, name="operationName")
    extensions: dict[str, Any] | None = None


def graphql_app(house: House) -> "GraphQLApp":
    """The endpoint over a house: an ASGI application."""
    return GraphQLApp(house, build_schema(house.registry))


class GraphQLApp:
    """The endpoint. Every error, whoever found it, carries a code in its `extensions`."""

    def __init__(self, house: House, schema: GraphQLSchema) -> None:
        self.house = house
        self.schema = schema
        self.documents = Documents(schema)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = Headers.of(scope)
        extra: dict[str, str] = {}
        try:
            status, body, extra = await self._answer(Request(scope, receive), headers)
        except Refusal as refusal:
            status, body = refusal.problem.status, {"errors": [refused(self.house, refusal, headers)]}
            extra.update(refusal.headers)
        said = {"x-request-id": headers.request_id, "content-language": negotiate(headers.accept_language), **extra}
        await Response(codec.encode(body), status, said, JSON)(scope, receive, send)

    async def _answer(self, request: Request, headers: Headers) -> tuple[int, dict[str, Any], dict[str, str]]:
        asked = await _read(request, headers)
        document = self.documents[asked.query]
        if request.method == "GET":
            _refuse_writes(document, asked)
        _ = headers.narrow_to  # an unknown profile is refused for the whole document, not field by field
        visit = Visit(self.house, headers)
        result = execute(
            self.schema,
            document,
            context_value=visit,
            variable_values=asked.variables,
            operation_name=asked.operation_name,
            hide_suggestions=True,
        )
        shown = result if isinstance(result, ExecutionResult) else await result
        return (*self._shown(shown, visit), visit.answer_headers)

    def _shown(self, result: ExecutionResult, visit: Visit) -> tuple[int, dict[str, Any]]:
        errors = [formatted(self.house, error, visit.headers) for error in result.errors or ()]
        if result.data is None and all("path" not in error for error in errors):
            return 400, {"errors": errors}  # nothing was executed
        body: dict[str, Any] = {"data": result.data}
        if errors:
            body["errors"] = errors
        if visit.extensions:
            body["extensions"] = visit.extensions
        return 200, body


async def _read(request: Request, headers: Headers) -> Asked:
    if request.method == "GET":
        query = request.query_params
        asked = {"query": query.get("query", ""), "operationName": query.get("operationName")}
        return _converted({**asked, "variables": _parsed(query.get("variables") or "null")})
    if request.method != "POST":
        raise _only("GET, POST")
    if headers.content_type not in {"", JSON}:
        raise UNSUPPORTED_MEDIA_TYPE()
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_MAX:
            raise BODY_TOO_LARGE(limit_bytes=BODY_MAX)
    return _converted(_parsed(bytes(body)))


def _parsed(text: bytes | str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise MALFORMED_JSON() from None


def _converted(document: Any) -> Asked:
    try:
        return msgspec.convert(document, Asked)
    except msgspec.ValidationError as fault:
        raise invalid(str(fault)) from None


def _refuse_writes(document: DocumentNode, asked: Asked) -> None:
    operation = get_operation_ast(document, asked.operation_name)
    if operation and operation.operation is not OperationType.QUERY:
        raise _only("POST")


def _only(allowed: str) -> Refusal:
    refusal = METHOD_NOT_ALLOWED(allowed=allowed)
    refusal.headers = {"allow": allowed}
    return refusal
