"""The doors as seen from inside: what an operation may ask about how the house looks from outside."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from graphql import ExecutionResult, GraphQLField, GraphQLSchema, OperationType, execute, get_operation_ast
from graphql.utilities.print_schema import print_input_value

from haulier.doors.discovery.skill import Skill, skill
from haulier.doors.graphql.documents import Documents, invalid
from haulier.doors.graphql.refusals import formatted
from haulier.doors.graphql.schema import Visit, build_schema
from haulier.doors.headers import Headers
from haulier.kernel.call import Call
from haulier.kernel.errors import problem
from haulier.kernel.house import House
from haulier.kernel.operation import Operation
from haulier.kernel.pipeline import Knock
from haulier.kernel.registry import Registry

ONLY_QUERIES = problem("only_queries", 422)


@lru_cache(maxsize=4)
def _schema(registry: Registry) -> tuple[GraphQLSchema, Documents]:
    schema = build_schema(registry)
    return schema, Documents(schema)


class _Within(Headers):
    """The headers of a call inside a call: it is made by the same caller, in the same language, with the same rights."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        super().__init__({b"accept-language": call.language, b"x-request-id": call.request_id}, call.address)
        self._call = call

    def knock(self, operation: Operation[Any, Any], door: str, **words: Any) -> Knock:
        """The call, made by the one who is already known."""
        return super().knock(operation, door, principal=self._call.principal, **words)


class DoorsWithin:
    """What the developer portal asks of the doors."""

    def signatures(self, registry: Registry) -> Mapping[str, str]:
        """Each field of the GraphQL schema by its name: how it is written there, arguments and type."""
        schema, _ = _schema(registry)
        roots = [root for root in (schema.query_type, schema.mutation_type) if root]
        return {name: _signature(name, field) for root in roots for name, field in root.fields.items()}

    async def query(
        self, call: Call, text: str, variables: dict[str, Any] | None, operation_name: str | None
    ) -> dict[str, Any]:
        """Run a GraphQL query as the caller and give the body of the response. Raises `ONLY_QUERIES` for a mutation."""
        schema, documents = _schema(call.house.registry)
        document = documents[text]
        asked = get_operation_ast(document, operation_name)
        if asked is None:
            raise invalid("operationName")
        if asked.operation is not OperationType.QUERY:
            raise ONLY_QUERIES()
        headers = _Within(call)
        visit = Visit(call.house, headers)
        result = execute(
            schema,
            document,
            context_value=visit,
            variable_values=variables,
            operation_name=operation_name,
            hide_suggestions=True,
        )
        shown = result if isinstance(result, ExecutionResult) else await result
        errors = [formatted(call.house, error, headers) for error in shown.errors or ()]
        return {"data": shown.data, **({"errors": errors} if errors else {})}

    def skill(self, house: House) -> Skill:
        """The skill file of this house."""
        return _skill(house.registry, house.base_url)


def _signature(name: str, field: GraphQLField) -> str:
    arguments = ", ".join(print_input_value(each, argument) for each, argument in field.args.items())
    return f"{name}({arguments}): {field.type}" if arguments else f"{name}: {field.type}"


_skill = lru_cache(maxsize=4)(skill)
