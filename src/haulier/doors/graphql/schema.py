"""The schema: reads are fields of Query, writes of Mutation, each resolved by the pipeline."""

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

from haulier.doors.graphql.enums import Enums
from haulier.doors.graphql.inputs import Inputs
from haulier.doors.graphql.outputs import Outputs
from haulier.doors.graphql.refusals import told
from haulier.doors.headers import Headers
from haulier.kernel import codec
from haulier.kernel.declarations import Effect
from haulier.kernel.house import House
from haulier.kernel.operation import GraphQL, Operation
from haulier.kernel.pipeline import Outcome, handle
from haulier.kernel.registry import Registry
from haulier.kernel.steps.repeat import KEY_MAX


class Visit:
    """One GraphQL request: the house it came to, what its headers say, and what belongs beside its data."""

    def __init__(self, house: House, headers: Headers) -> None:
        self.house = house
        self.headers = headers
        self.answer_headers: dict[str, str] = {}
        self.letters: dict[str, Any] = {}
        self.changes: dict[str, Any] = {}

    @property
    def extensions(self) -> dict[str, Any]:
        """What the response says besides data and errors: that it was a rehearsal, its letters and its changes by path."""
        if not self.letters:
            return {}
        return {"dry_run": True, "letters": self.letters, **({"changes": self.changes} if self.changes else {})}


@lru_cache(maxsize=8)
def build_schema(registry: Registry) -> GraphQLSchema:
    """The schema of every operation with a GraphQL binding, made once."""
    enums = Enums()
    inputs, outputs = Inputs(enums), Outputs(enums)
    fields: dict[Effect, dict[str, GraphQLField]] = {Effect.READ: {}, Effect.WRITE: {}}
    for door, operation in sorted(registry.at(GraphQL), key=lambda each: each[0].name):
        fields[operation.effect][door.name] = GraphQLField(
            outputs.of(operation.answer),  # nullable: a field that is refused must not take its siblings with it
            args=inputs.arguments(operation.request),
            resolve=_resolver(operation),
            description=operation.description,
            deprecation_reason=f"since {operation.retired}" if operation.retired else None,
            extensions={"operation": operation},
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
        path = ".".join(map(str, info.path.as_list()))
        knock = visit.headers.knock(operation, "graphql", body=codec.encode(arguments))
        if knock.idempotency_key and not _alone(info):
            knock.idempotency_key = _key_of(knock.idempotency_key, path)
        return _carry_out(visit, path, await handle(visit.house, knock))

    return resolve


def _carry_out(visit: Visit, path: str, outcome: Outcome) -> Any:
    visit.answer_headers.update(outcome.headers)
    if outcome.error is not None:
        raise GraphQLError(**told(outcome.error, outcome.status))
    if outcome.queued:
        raise GraphQLError(**_waiting(visit, outcome))
    if outcome.letters is not None:
        visit.letters[path] = codec.plain(outcome.letters)
        if outcome.changes is not None:
            visit.changes[path] = codec.plain(outcome.changes)
    if outcome.repeated:
        visit.answer_headers["idempotency-replayed"] = "true"
    return outcome.answer


def _waiting(visit: Visit, outcome: Outcome) -> dict[str, Any]:
    """A write that waits for a human has no answer of the field's type yet: an error says so, with the pending write."""
    queued = codec.plain(outcome.answer)
    extensions = {"code": "APPROVAL_QUEUED", "status": 202, "errors": [], "request_id": outcome.request_id}
    return {"message": queued["message"], "extensions": {**extensions, "approval": queued["approval"]}}


def _alone(info: GraphQLResolveInfo[Any]) -> bool:
    """Whether the document asks for one field only, so that a key needs no telling apart."""
    selected = info.operation.selection_set.selections
    return len(selected) == 1 and isinstance(selected[0], FieldNode)


def _key_of(key: str, path: str) -> str:
    """The key of one of several writes. A pair that is too long for a key is digested; a bad key stays bad."""
    one = f"{key}:{path}"
    return one if len(one) <= KEY_MAX or len(key) > KEY_MAX else hashlib.sha256(one.encode()).hexdigest()
