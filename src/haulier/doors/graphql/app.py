"""GraphQL over HTTP: POST with a JSON body, GET for queries. Documents are parsed and validated once."""

from functools import lru_cache
from typing import Any

import msgspec
from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    OperationType,
    execute,
    get_operation_ast,
    parse,
    validate,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.doors.graphql.limits import COST_MAX, DEPTH_MAX, measure
from haulier.doors.graphql.schema import Visit, build_schema
from haulier.doors.headers import Headers
from haulier.kernel import codec
from haulier.kernel.errors import BODY_TOO_LARGE, MALFORMED_JSON, METHOD_NOT_ALLOWED, Refusal, problem
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.rendering import error_body

GRAPHQL_INVALID = problem("graphql_invalid", 400)
GRAPHQL_TOO_DEEP = problem("graphql_too_deep", 400)
GRAPHQL_TOO_COSTLY = problem("graphql_too_costly", 400)
BODY_MAX = 1_048_576
DOCUMENT_TOKENS_MAX = 10_000
DOCUMENTS_KEPT = 1_000


class Asked(msgspec.Struct):
    """The body of a GraphQL request."""

    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = msgspec.field(default=None, name="operationName")
    extensions: dict[str, Any] | None = None


def graphql_app(house: House) -> ASGIApp:
    """The endpoint. Errors carry the codes of REST in `extensions`."""
    schema = build_schema(house.registry)

    @lru_cache(maxsize=DOCUMENTS_KEPT)
    def prepared(text: str) -> DocumentNode:
        return _prepare(schema, text)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers.of(scope)
        request = Request(scope, receive)
        try:
            asked = await _read(request)
            document = prepared(asked.query)
            _reads_only_by_get(request, document, asked)
            result = execute(
                schema,
                document,
                context_value=Visit(house, headers),
                variable_values=asked.variables,
                operation_name=asked.operation_name,
            )
            shown: ExecutionResult = result if isinstance(result, ExecutionResult) else await result
            await _answer(200, shown.formatted, headers, receive, scope, send)
        except Refusal as refusal:
            body = _refused(house, refusal, headers)
            await _answer(refusal.problem.status, body, headers, receive, scope, send)

    return _Endpoint(app)


class _Endpoint:
    """Marks the function as an ASGI application for the router, which takes plain functions for request handlers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


def _prepare(schema: GraphQLSchema, text: str) -> DocumentNode:
    try:
        document = parse(text, max_tokens=DOCUMENT_TOKENS_MAX)
    except GraphQLError as error:
        raise GRAPHQL_INVALID(detail=error.message) from None
    except RecursionError:
        raise GRAPHQL_TOO_DEEP(limit=DEPTH_MAX) from None
    if faults := validate(schema, document, max_errors=5):
        raise GRAPHQL_INVALID(detail=faults[0].message)
    depth, cost = measure(document)
    if depth > DEPTH_MAX:
        raise GRAPHQL_TOO_DEEP(limit=DEPTH_MAX)
    if cost > COST_MAX:
        raise GRAPHQL_TOO_COSTLY(limit=COST_MAX)
    return document


async def _read(request: Request) -> Asked:
    if request.method == "GET":
        query = request.query_params
        variables = msgspec.json.decode(query["variables"]) if query.get("variables") else None
        return Asked(query.get("query", ""), variables, query.get("operationName"))
    if request.method != "POST":
        raise METHOD_NOT_ALLOWED(allowed="GET, POST")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > BODY_MAX:
            raise BODY_TOO_LARGE(limit_bytes=BODY_MAX)
    try:
        return msgspec.json.decode(body, type=Asked)
    except (msgspec.DecodeError, RecursionError) as fault:
        raise (MALFORMED_JSON() if not body.lstrip().startswith(b"{") else GRAPHQL_INVALID(detail=str(fault))) from None


def _reads_only_by_get(request: Request, document: DocumentNode, asked: Asked) -> None:
    operation = get_operation_ast(document, asked.operation_name)
    if request.method == "GET" and operation and operation.operation is not OperationType.QUERY:
        raise METHOD_NOT_ALLOWED(allowed="POST")


def _refused(house: House, refusal: Refusal, headers: Headers) -> dict[str, Any]:
    error = error_body(refusal, house.catalogues, negotiate(headers.accept_language), headers.request_id)
    extensions = {key: value for key, value in error.items() if key not in {"message", "result"}}
    return {"errors": [{"message": error["message"], "extensions": {**extensions, "status": refusal.problem.status}}]}


async def _answer(status: int, body: Any, headers: Headers, receive: Receive, scope: Scope, send: Send) -> None:
    response = Response(codec.encode(body), status, {"x-request-id": headers.request_id}, "application/json")
    await response(scope, receive, send)
