"""The schema: reads are fields of Query, writes of Mutation, each resolved by the pipeline."""

from typing import Any

from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    print_schema,
)

from haulier.doors.graphql.inputs import Inputs
from haulier.doors.graphql.outputs import Outputs
from haulier.doors.headers import Headers
from haulier.kernel import codec
from haulier.kernel.declarations import Effect
from haulier.kernel.house import House
from haulier.kernel.operation import GraphQL, Operation
from haulier.kernel.pipeline import handle
from haulier.kernel.registry import Registry


class Visit:
    """One GraphQL request: the house it came to and what its headers say."""

    def __init__(self, house: House, headers: Headers) -> None:
        self.house = house
        self.headers = headers


def build_schema(registry: Registry) -> GraphQLSchema:
    """The schema of every operation with a GraphQL binding."""
    inputs, outputs = Inputs(), Outputs()
    fields: dict[Effect, dict[str, GraphQLField]] = {Effect.READ: {}, Effect.WRITE: {}}
    for door, operation in sorted(registry.at(GraphQL), key=lambda each: each[0].name):
        fields[operation.effect][door.name] = GraphQLField(
            outputs.of(operation.answer),
            args=inputs.arguments(operation.request),
            resolve=_resolver(operation),
            description=operation.description,
            deprecation_reason=f"since {operation.retired}" if operation.retired else None,
        )
    query = GraphQLObjectType("Query", fields[Effect.READ])
    mutation = GraphQLObjectType("Mutation", fields[Effect.WRITE]) if fields[Effect.WRITE] else None
    return GraphQLSchema(query, mutation)


def schema_sdl(registry: Registry) -> str:
    """The schema as text."""
    return print_schema(build_schema(registry))


def _resolver(operation: Operation[Any, Any]) -> Any:
    async def resolve(_: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        visit: Visit = info.context
        knock = visit.headers.knock(operation, "graphql", body=codec.encode(arguments))
        if knock.idempotency_key:
            knock.idempotency_key = f"{knock.idempotency_key}:{'.'.join(map(str, info.path.as_list()))}"
        outcome = await handle(visit.house, knock)
        if outcome.error is not None:
            error = outcome.error
            told = {key: value for key, value in error.items() if key not in {"message", "result"}}
            raise GraphQLError(error["message"], extensions={**told, "status": outcome.status})
        return outcome.answer

    return resolve
