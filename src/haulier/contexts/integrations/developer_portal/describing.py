"""The registry, described: tools, endpoints and GraphQL fields as records. Pure but for the words."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from haulier.contexts.integrations.developer_portal.contract import (
    Capabilities,
    Capability,
    Endpoint,
    GraphqlOperation,
    ListCapabilities,
    ListEndpoints,
    ListGraphqlOperations,
)
from haulier.kernel.call import Call
from haulier.kernel.declarations import Effect, Server
from haulier.kernel.operation import GraphQL, Mcp, Operation, Rest
from haulier.kernel.profiles import PROFILES
from haulier.kernel.registry import Registry
from haulier.kernel.steps.authorise import refusal as why_not

Op = Operation[Any, Any]


def capabilities(call: Call, asked: ListCapabilities) -> Capabilities:
    """The tools of the user server as they stand for this caller."""
    tools = [(tool, op) for tool, op in call.house.registry.at(Mcp) if Server.USER in tool.servers]
    shown = [_capability(call, tool, op) for tool, op in sorted(tools, key=lambda each: each[0].name)]
    chosen = [
        one
        for one in shown
        if asked.category in (None, one.category) and (asked.allowed is None or one.allowed == asked.allowed)
    ]
    return Capabilities(
        account=call.principal.account.value,
        scopes=sorted(call.principal.scopes),
        profiles={name: sorted(scopes) for name, scopes in PROFILES.items()},
        categories=dict(sorted(Counter(one.category for one in chosen).items())),
        capabilities=chosen,
    )


def _capability(call: Call, tool: Mcp, operation: Op) -> Capability:
    refusal = why_not(operation, call.principal, call.house.modules_missing)
    return Capability(
        name=tool.name,
        title=tool.title or operation.summary.rstrip("."),
        summary=operation.summary,
        category=operation.context,
        effect=operation.effect.value,
        risk=operation.risk.value,
        scopes=sorted(operation.scopes),
        confirm=operation.confirm,
        public=operation.public,
        allowed=refusal is None,
        code=refusal.problem.code if refusal else UNSET,
        reason=call.say(refusal.problem.id, **refusal.params) if refusal else UNSET,
    )


def endpoints(registry: Registry, asked: ListEndpoints) -> list[Endpoint]:
    """The REST endpoints that fit, by path."""
    found = [
        _endpoint(rest, operation, schemas=asked.schemas)
        for rest, operation in registry.at(Rest)
        if asked.method in (None, rest.method)
        and asked.category in (None, operation.context)
        and _speaks_of(asked.text, rest.path, operation)
    ]
    return sorted(found, key=lambda one: (one.path, one.method))


def _endpoint(rest: Rest, operation: Op, *, schemas: bool) -> Endpoint:
    return Endpoint(
        method=rest.method,
        path=f"/api{rest.path}",
        operation=operation.name,
        summary=operation.summary,
        category=operation.context,
        effect=operation.effect.value,
        risk=operation.risk.value,
        audience=sorted(operation.audience),
        scopes=sorted(operation.scopes),
        schema=operation.request.model_json_schema() if schemas else UNSET,
    )


def graphql_operations(
    registry: Registry, signatures: Mapping[str, str], asked: ListGraphqlOperations
) -> list[GraphqlOperation]:
    """The fields of the schema that fit, by name."""
    found = [
        GraphqlOperation(
            name=field.name,
            kind=_kind(operation),
            signature=signatures[field.name],
            summary=operation.summary,
            risk=operation.risk.value,
            audience=sorted(operation.audience),
            scopes=sorted(operation.scopes),
        )
        for field, operation in registry.at(GraphQL)
        if asked.kind in (None, _kind(operation)) and _speaks_of(asked.text, field.name, operation)
    ]
    return sorted(found, key=lambda one: one.name)


def _kind(operation: Op) -> str:
    return "query" if operation.effect is Effect.READ else "mutation"


def _speaks_of(text: str | None, name: str, operation: Op) -> bool:
    words = f"{name} {operation.name} {operation.summary}".lower()
    return text is None or text.lower() in words
