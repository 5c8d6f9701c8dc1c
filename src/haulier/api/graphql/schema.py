"""The GraphQL schema: reads are Query fields, writes are Mutation fields."""

import hashlib
from functools import lru_cache
from typing import Any

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    print_schema,
)

from haulier.api.graphql.enums import GraphQLEnums
from haulier.api.graphql.errors import error_body_entry
from haulier.api.graphql.inputs import GraphQLInputs
from haulier.api.graphql.outputs import GraphQLOutputs
from haulier.api.graphql.projection import OPERATION
from haulier.api.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import GraphQL, Operation
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.resources import resources_of
from haulier.kernel.pipeline.idempotency import MAX_KEY_LENGTH
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request


class GraphQLRequest:
    """State of one GraphQL request, with response headers and extensions."""

    def __init__(self, app: Application, headers: RequestHeaders) -> None:
        self.app = app
        self.headers = headers
        self.answer_headers: dict[str, str] = {}
        self.side_effects: dict[str, Any] = {}
        self.changes: dict[str, Any] = {}

    @property
    def extensions(self) -> dict[str, Any]:
        """`extensions` of the response: dry run, side effects and changes by path."""
        if not self.side_effects:
            return {}
        return {
            "dry_run": True,
            "side_effects": self.side_effects,
            **({"changes": self.changes} if self.changes else {}),
        }


@lru_cache(maxsize=8)
def build_schema(registry: Registry) -> GraphQLSchema:
    """Build the schema of all operations with a GraphQL binding; cached."""
    enums, bindings = GraphQLEnums(), sorted(registry.bindings(GraphQL), key=lambda binding: binding[0].name)
    nouns = resources_of(registry)
    inputs = GraphQLInputs(enums, nouns)
    outputs = GraphQLOutputs(enums, [operation.answer for _, operation in bindings], nouns)
    fields: dict[Effect, dict[str, GraphQLField]] = {Effect.READ: {}, Effect.WRITE: {}}
    for interface, operation in bindings:
        fields[operation.effect][interface.name] = GraphQLField(
            outputs.of(operation.answer),  # nullable, so that an error doesn't discard sibling fields
            args=inputs.arguments(operation.request),
            resolve=_resolver(operation),
            description=operation.description,
            deprecation_reason=f"Use {gone.replacement}." if (gone := operation.deprecation) else None,
            extensions={OPERATION: operation},
        )
    query = GraphQLObjectType("Query", fields[Effect.READ])
    mutation = GraphQLObjectType("Mutation", fields[Effect.WRITE]) if fields[Effect.WRITE] else None
    return GraphQLSchema(query, mutation)


def schema_sdl(registry: Registry) -> str:
    """Return the schema as SDL."""
    return print_schema(build_schema(registry))


def _resolver(operation: Operation[Any, Any]) -> Any:
    async def resolve(_: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        graphql_request: GraphQLRequest = info.context
        path = ".".join(map(str, info.path.as_list()))
        operation_request = graphql_request.headers.operation_request(
            operation, "graphql", body=codec.encode_json(arguments)
        )
        if operation_request.idempotency_key and not _is_only_field(info):
            operation_request.idempotency_key = _idempotency_key_for(operation_request.idempotency_key, path)
        return _field_answer(graphql_request, path, await handle_request(graphql_request.app, operation_request))

    return resolve


def _field_answer(graphql_request: GraphQLRequest, path: str, result: OperationResult) -> Any:
    graphql_request.answer_headers.update(result.headers)
    if result.error is not None:
        raise GraphQLError(**error_body_entry(result.error, result.status))
    if result.pending_approval:
        raise GraphQLError(**_approval_queued_error(graphql_request, result))
    if result.side_effects is not None:
        graphql_request.side_effects[path] = codec.to_plain_values(result.side_effects)
        if result.changes is not None:
            graphql_request.changes[path] = codec.to_plain_values(result.changes)
    if result.replayed:
        graphql_request.answer_headers["idempotency-replayed"] = "true"
    return result.answer


def _approval_queued_error(graphql_request: GraphQLRequest, result: OperationResult) -> dict[str, Any]:
    """Return the error for a write that waits for approval.

    The field's type can't represent a pending write, so the error has the approval.
    """
    pending_approval = codec.to_plain_values(result.answer)
    extensions = {"code": "APPROVAL_QUEUED", "status": 202, "errors": [], "request_id": result.request_id}
    return {
        "message": pending_approval["message"],
        "extensions": {**extensions, "approval": pending_approval["approval"]},
    }


def _is_only_field(info: GraphQLResolveInfo[Any]) -> bool:
    """Return True if the document has one field.

    Its idempotency key needs no suffix.
    """
    selected = info.operation.selection_set.selections
    return len(selected) == 1 and isinstance(selected[0], FieldNode)


def _idempotency_key_for(key: str, path: str) -> str:
    """Return the idempotency key of one of several writes.

    A combined key that is too long is hashed; an invalid key stays invalid.
    """
    derived_key = f"{key}:{path}"
    return (
        derived_key
        if len(derived_key) <= MAX_KEY_LENGTH or len(key) > MAX_KEY_LENGTH
        else hashlib.sha256(derived_key.encode()).hexdigest()
    )
