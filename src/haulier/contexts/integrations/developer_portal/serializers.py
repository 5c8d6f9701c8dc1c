"""Tools, endpoints and GraphQL fields of the registry as records. Pure but for translated texts."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from haulier.contexts.integrations.developer_portal.contract import (
    ApiEndpoint,
    GraphqlOperation,
    ListApiEndpoints,
    ListCapabilities,
    ListGraphqlOperations,
    OperationDescription,
    ToolCapability,
    ToolCapabilityList,
)
from haulier.kernel.call import Call
from haulier.kernel.i18n.choices import choice_name
from haulier.kernel.operations.connection_headers import CONNECTION_HEADERS
from haulier.kernel.operations.declaration import GraphQL, Mcp, Operation, Rest
from haulier.kernel.operations.enums import Effect, McpServer
from haulier.kernel.operations.nouns import Nouns, nouns_of
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.schema_notes import choices_in
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.pipeline.authorise import check_access

AnyOperation = Operation[Any, Any]


def describe_capabilities(call: Call, request: ListCapabilities) -> ToolCapabilityList:
    """The tools of the user server, each with whether this caller may call it."""
    tools = [(tool, op) for tool, op in call.app.registry.bindings(Mcp) if McpServer.USER in tool.servers]
    capabilities = [_capability(call, tool, op) for tool, op in sorted(tools, key=lambda entry: entry[0].name)]
    chosen = [
        one
        for one in capabilities
        if request.category in (None, one.category) and (request.allowed is None or one.allowed == request.allowed)
    ]
    return ToolCapabilityList(
        account=call.principal.account.value,
        scopes=sorted(call.principal.scopes),
        now=call.local_time(call.now) if call.principal.business else call.now,
        time_zone=call.principal.business.time_zone if call.principal.business else UNSET,
        headers=CONNECTION_HEADERS,
        profiles={name: sorted(scopes) for name, scopes in PROFILES.items()},
        categories=dict(sorted(Counter(one.category for one in chosen).items())),
        capabilities=chosen,
    )


def _capability(call: Call, tool: Mcp, operation: AnyOperation) -> ToolCapability:
    error = check_access(operation, call.principal, call.app.modules_missing)
    return ToolCapability(
        name=tool.name,
        title=tool.title or operation.summary.rstrip("."),
        summary=operation.summary,
        category=operation.context,
        effect=operation.effect.value,
        risk=operation.risk.value,
        scopes=sorted(operation.scopes),
        confirm=operation.confirm,
        public=operation.public,
        allowed=error is None,
        code=error.error_type.code if error else UNSET,
        reason=call.translate(error.error_type.id, **error.params) if error else UNSET,
    )


def describe_operation(
    call: Call, operation: AnyOperation, arguments: dict[str, Any], answers: dict[str, Any], *, answer: bool
) -> OperationDescription:
    """One operation with its schemas, and whether this caller may call it."""
    error = check_access(operation, call.principal, call.app.modules_missing)
    tools = [door.name for door in operation.doors if isinstance(door, Mcp)]
    nouns = nouns_of(call.app.registry)
    noun = nouns.of_operation.get(operation.name)
    return OperationDescription(
        name=operation.name,
        tool=tools[0] if tools else None,
        description=operation.description,
        effect=operation.effect.value,
        risk=operation.risk.value,
        scopes=sorted(operation.scopes),
        confirm=operation.confirm,
        allowed=error is None,
        arguments_schema=arguments,
        code=error.error_type.code if error else UNSET,
        reason=call.translate(error.error_type.id, **error.params) if error else UNSET,
        answer_schema=answers if answer else UNSET,
        noun=noun.key if noun else UNSET,
        refers_to=dict(_references(nouns, arguments)) or UNSET,
        choices=_choice_names(call, [arguments, answers] if answer else [arguments]) or UNSET,
    )


def _references(nouns: Nouns, arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each argument that is an id, with the operation that lists what it may be an id of."""
    for name in arguments.get("properties", {}):
        if key := nouns.key_referred_to(name):
            yield name, nouns.by_key[key].listing.name


def _choice_names(call: Call, schemas: list[dict[str, Any]]) -> dict[str, str]:
    codes = sorted({code for schema in schemas for code in choices_in(schema)})
    named = {code: choice_name(call.app.catalogues, call.language, code) for code in codes}
    return {code: name for code, name in named.items() if name and name != code}


def describe_endpoints(registry: Registry, request: ListApiEndpoints) -> list[ApiEndpoint]:
    """The REST endpoints that fit, by path."""
    endpoints = [
        _endpoint(rest, operation, schemas=request.schemas)
        for rest, operation in registry.bindings(Rest)
        if request.method in (None, rest.method)
        and request.category in (None, operation.context)
        and _matches_text(request.text, rest.path, operation)
    ]
    return sorted(endpoints, key=lambda one: (one.path, one.method))


def _endpoint(rest: Rest, operation: AnyOperation, *, schemas: bool) -> ApiEndpoint:
    return ApiEndpoint(
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


def describe_graphql_operations(
    registry: Registry, signatures: Mapping[str, str], request: ListGraphqlOperations
) -> list[GraphqlOperation]:
    """The fields of the schema that fit, by name."""
    operations = [
        GraphqlOperation(
            name=field.name,
            kind=_graphql_kind(operation),
            signature=signatures[field.name],
            summary=operation.summary,
            risk=operation.risk.value,
            audience=sorted(operation.audience),
            scopes=sorted(operation.scopes),
        )
        for field, operation in registry.bindings(GraphQL)
        if request.kind in (None, _graphql_kind(operation)) and _matches_text(request.text, field.name, operation)
    ]
    return sorted(operations, key=lambda one: one.name)


def _graphql_kind(operation: AnyOperation) -> str:
    return "query" if operation.effect is Effect.READ else "mutation"


def _matches_text(text: str | None, name: str, operation: AnyOperation) -> bool:
    searched = f"{name} {operation.name} {operation.summary}".lower()
    return text is None or text.lower() in searched
