"""GraphQL over HTTP: POST with a JSON body, GET for queries.

As the GraphQL over HTTP draft specifies, a well-formed request whose document can't be executed gets 400 if the client
accepts `application/graphql-response+json`. Other clients get 200, because they can't distinguish this 400 from one of
a proxy.
"""

from typing import Any
from urllib.parse import parse_qsl

import msgspec
from graphql import DocumentNode, ExecutionResult, OperationType, get_operation_ast
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from haulier.api.content_negotiation import JSON_TYPE, choose_representation
from haulier.api.graphql.document_cache import DocumentCache, invalid_document
from haulier.api.graphql.errors import document_error_entries, executor_error_entry, operation_error_entry
from haulier.api.graphql.schema import GraphQLRequest, build_schema
from haulier.api.request_body import read_body
from haulier.api.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Representation, Representations
from haulier.kernel.operations.errors import (
    MALFORMED_JSON,
    METHOD_NOT_ALLOWED,
    UNSUPPORTED_MEDIA_TYPE,
    OperationError,
)

MAX_BODY_BYTES = 1_048_576
GRAPHQL_TYPE = "application/graphql-response+json"
RESPONSE_TYPES = Representations((Representation(GRAPHQL_TYPE, "graphql"),))
NOT_EXECUTED = 400


class GraphQLRequestBody(msgspec.Struct):
    """Body of a GraphQL request."""

    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = msgspec.field(default=None, name="operationName")
    extensions: dict[str, Any] | None = None


def graphql_app(app: Application) -> "GraphQLApp":
    """Return the GraphQL endpoint as an ASGI app.

    Building the schema takes about a third of the startup time.
    """
    return GraphQLApp(app, DocumentCache(build_schema(app.registry)))


class GraphQLApp:
    """The GraphQL endpoint. Every error has a code in its `extensions`."""

    def __init__(self, app: Application, documents: DocumentCache) -> None:
        self.app = app
        self.documents = documents

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = RequestHeaders.of(scope)
        extra: dict[str, str] = {}
        response_type = JSON_TYPE
        try:
            asked_for = choose_representation(RESPONSE_TYPES, headers.accept)
            response_type = asked_for.media_type if asked_for else JSON_TYPE
            status, body, extra = await self._answer(scope, receive, headers)
            if status == NOT_EXECUTED and response_type == JSON_TYPE:
                status = 200
        except OperationError as error:
            status, body = error.error_type.status, {"errors": [operation_error_entry(self.app, error, headers)]}
            extra.update(error.headers)
        response_headers = {
            "x-request-id": headers.request_id,
            "content-language": negotiate_language(headers.accept_language),
            "vary": "Accept, Accept-Language",
            **extra,
        }
        await Response(codec.encode_json(body), status, response_headers, response_type)(scope, receive, send)

    async def _answer(
        self, scope: Scope, receive: Receive, headers: RequestHeaders
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        body = await _read_request_body(scope, receive, headers)
        try:
            prepared = self.documents[body.query]
        except OperationError as error:
            if error.error_type.status != NOT_EXECUTED:
                raise
            return NOT_EXECUTED, {"errors": document_error_entries(self.app, error, headers)}, {}
        if scope["method"] == "GET":
            _reject_writes_by_get(prepared.document, body)
        # Validate headers once for the whole document instead of once per field.
        _ = headers.narrow_to, headers.approval_from
        graphql_request = GraphQLRequest(self.app, headers)
        execution = await self.documents.execute(prepared, graphql_request, body.variables, body.operation_name)
        return (*self._shown(execution, graphql_request), graphql_request.answer_headers)

    def _shown(self, result: ExecutionResult, graphql_request: GraphQLRequest) -> tuple[int, dict[str, Any]]:
        errors = [executor_error_entry(self.app, error, graphql_request.headers) for error in result.errors or ()]
        if result.data is None and all("path" not in error for error in errors):
            return NOT_EXECUTED, {"errors": errors}
        body: dict[str, Any] = {"data": result.data}
        if errors:
            body["errors"] = errors
        if graphql_request.extensions:
            body["extensions"] = graphql_request.extensions
        return 200, body


async def _read_request_body(scope: Scope, receive: Receive, headers: RequestHeaders) -> GraphQLRequestBody:
    if scope["method"] == "GET":
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        variables = _decode(query.get("variables") or "null", dict[str, Any] | None)
        return GraphQLRequestBody(query.get("query", ""), variables, query.get("operationName"))
    if scope["method"] != "POST":
        raise _method_not_allowed("GET, POST")
    if headers.content_type not in {"", JSON_TYPE}:
        raise UNSUPPORTED_MEDIA_TYPE()
    return _decode(await read_body(receive, MAX_BODY_BYTES), GraphQLRequestBody)


def _decode(text: bytes | str, kind: Any) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as fault:
        raise invalid_document(str(fault)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise MALFORMED_JSON() from None


def _reject_writes_by_get(document: DocumentNode, body: GraphQLRequestBody) -> None:
    operation = get_operation_ast(document, body.operation_name)
    if operation and operation.operation is not OperationType.QUERY:
        raise _method_not_allowed("POST")


def _method_not_allowed(allowed: str) -> OperationError:
    error = METHOD_NOT_ALLOWED(allowed=allowed)
    error.headers = {"allow": allowed}
    return error
