"""In-process access to the skill file, the GraphQL schema and GraphQL queries."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from haulier.api.discovery.skill import SkillDocument, build_skill
from haulier.api.mcp.tools import operation_input_schema, tool_output_schema
from haulier.api.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.operations.registry import Registry
from haulier.kernel.pipeline.request import OperationRequest

if TYPE_CHECKING:
    from graphql import GraphQLField, GraphQLSchema

    from haulier.api.graphql.document_cache import DocumentCache

ONLY_QUERIES = declare_error("only_queries", 422, fields=("query",))


@lru_cache(maxsize=4)
def _schema_and_documents(registry: Registry) -> "tuple[GraphQLSchema, DocumentCache]":
    from haulier.api.graphql.document_cache import DocumentCache
    from haulier.api.graphql.schema import build_schema

    schema = build_schema(registry)
    return schema, DocumentCache(schema)


class _InProcessHeaders(RequestHeaders):
    """Headers of a nested call, with the caller, language and rights of its parent."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        super().__init__({b"accept-language": call.language, b"x-request-id": call.request_id}, call.address)
        self._call = call

    def operation_request(self, operation: Operation[Any, Any], interface: str, **fields: Any) -> OperationRequest:
        """Return a request by the principal of the outer call."""
        return super().operation_request(operation, interface, principal=self._call.principal, **fields)


class InProcessInterfaces:
    """The interfaces as used by the developer portal (implements its port)."""

    def signatures(self, registry: Registry) -> Mapping[str, str]:
        """Return the signature of each GraphQL field by name."""
        schema, _ = _schema_and_documents(registry)
        roots = [root for root in (schema.query_type, schema.mutation_type) if root]
        return {name: _field_signature(name, field) for root in roots for name, field in root.fields.items()}

    async def query(
        self, call: Call, text: str, variables: dict[str, Any] | None, operation_name: str | None
    ) -> dict[str, Any]:
        """Run a GraphQL query as the caller and return the response body.

        Raises `ONLY_QUERIES` for a mutation.
        """
        from graphql import OperationType, get_operation_ast

        from haulier.api.graphql.document_cache import invalid_document
        from haulier.api.graphql.errors import executor_error_entry
        from haulier.api.graphql.schema import GraphQLRequest

        _, documents = _schema_and_documents(call.app.registry)
        prepared = documents[text]
        operation_node = get_operation_ast(prepared.document, operation_name)
        if operation_node is None:
            raise invalid_document("operationName")
        if operation_node.operation is not OperationType.QUERY:
            raise ONLY_QUERIES()
        headers = _InProcessHeaders(call)
        execution = await documents.execute(prepared, GraphQLRequest(call.app, headers), variables, operation_name)
        errors = [executor_error_entry(call.app, error, headers) for error in execution.errors or ()]
        return {"data": codec.to_plain_values(execution.data), **({"errors": errors} if errors else {})}

    def tool_schemas(self, operation: Operation[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the input and output JSON Schemas of an operation."""
        return operation_input_schema(operation), tool_output_schema(operation)

    def skill(self, app: Application) -> SkillDocument:
        """Return the skill file of the application."""
        return _cached_skill(app.registry, app.base_url)


def _field_signature(name: str, field: "GraphQLField") -> str:
    from graphql.utilities.print_schema import print_input_value

    arguments = ", ".join(print_input_value(argument_name, argument) for argument_name, argument in field.args.items())
    return f"{name}({arguments}): {field.type}" if arguments else f"{name}: {field.type}"


_cached_skill = lru_cache(maxsize=4)(build_skill)
