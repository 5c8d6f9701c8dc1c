"""Answers about the developer portal."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from haulier.contexts.integrations.developer_portal.contract import (
    ApiEndpoint,
    GraphqlOperation,
    HowToGuide,
    IntegrationGuide,
    IntegrationGuideStep,
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
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.resources import ResourceIndex, resources_of
from haulier.kernel.operations.schema_notes import choices_in, noun_referred_to
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.pipeline.authorise import check_access

AnyOperation = Operation[Any, Any]


def describe_capabilities(call: Call, request: ListCapabilities) -> ToolCapabilityList:
    """Return the tools of the user server, each with whether this caller may call it."""
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
    tools = [interface.name for interface in operation.interfaces if isinstance(interface, Mcp)]
    nouns = resources_of(call.app.registry)
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
        refers_to=dict(_references(nouns, operation.request.model_json_schema())) or UNSET,
        choices=_choice_names(call, [arguments, answers] if answer else [arguments]) or UNSET,
    )


def _references(nouns: ResourceIndex, arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each id argument with the operation that lists its values."""
    for name, schema in arguments.get("properties", {}).items():
        if key := noun_referred_to(nouns, name, schema):
            yield name, nouns.by_key[key].listing.name


def _choice_names(call: Call, schemas: list[dict[str, Any]]) -> dict[str, str]:
    codes = sorted({code for schema in schemas for code in choices_in(schema)})
    named = {code: choice_name(call.app.catalogues, call.language, code) for code in codes}
    return {code: name for code, name in named.items() if name and name != code}


def describe_endpoints(registry: Registry, request: ListApiEndpoints) -> list[ApiEndpoint]:
    """Return matching REST endpoints by path."""
    endpoints = [
        _endpoint(rest, operation, schemas=request.schemas)
        for rest, operation in registry.bindings(Rest)
        if request.method in (None, rest.method)
        and request.category in (None, operation.context)
        and _matches_text(request.search, rest.path, operation)
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
    """Return matching fields of the schema by name."""
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
        if request.kind in (None, _graphql_kind(operation)) and _matches_text(request.search, field.name, operation)
    ]
    return sorted(operations, key=lambda one: one.name)


def _graphql_kind(operation: AnyOperation) -> str:
    return "query" if operation.effect is Effect.READ else "mutation"


def _matches_text(text: str | None, name: str, operation: AnyOperation) -> bool:
    return contains_words(f"{name} {operation.name} {operation.summary}", text)


def contains_words(searched: str, text: str | None) -> bool:
    """Return True if a title contains each word of a query, in any order."""
    return all(word in searched.lower() for word in (text or "").lower().split())


class _GuideStepData(Struct, frozen=True, kw_only=True):
    title: str
    instructions: str
    method: str
    path: str
    headers: dict[str, str] = {}
    body: dict[str, Any] | None = None
    remember: dict[str, str] = {}
    anonymous: bool = False


class _GuideData(Struct, frozen=True):
    title: str
    steps: list[_GuideStepData]


@lru_cache(maxsize=1)
def _load_guide() -> _GuideData:
    text = files("haulier.contexts.integrations.developer_portal").joinpath("guide.toml").read_text()
    return msgspec.convert(tomllib.loads(text), _GuideData)


def build_integration_guide(topic: str, base_url: str) -> IntegrationGuide:
    """Return the guide with the addresses of this platform."""
    guide = _load_guide()
    steps = [_guide_step(step, base_url) for step in guide.steps]
    return IntegrationGuide(topic=topic, title=guide.title, text=_guide_markdown(guide.title, steps), steps=steps)


def _guide_step(step: _GuideStepData, base_url: str) -> IntegrationGuideStep:
    token = {} if step.anonymous or "token" in step.remember else {"Authorization": "Bearer {token}"}
    return IntegrationGuideStep(
        title=step.title,
        instructions=step.instructions,
        method=step.method,
        url=f"{base_url}{step.path}",
        headers={**token, **step.headers},
        body=UNSET if step.body is None else step.body,
        remember=step.remember or UNSET,
    )


def _guide_markdown(title: str, steps: list[IntegrationGuideStep]) -> str:
    parts = [f"# {title}\n"]
    for number, step in enumerate(steps, start=1):
        lines = [f"{step.method} {step.url}", *(f"{name}: {value}" for name, value in step.headers.items())]
        if step.body is not UNSET:
            lines += [
                "Content-Type: application/json",
                "",
                msgspec.json.format(msgspec.json.encode(step.body)).decode(),
            ]
        request = "\n".join(lines)
        parts.append(f"## {number}. {step.title}\n\n{step.instructions}\n\n```http\n{request}\n```\n")
        if step.remember is not UNSET:
            remembered = ", ".join(f"`{path}` as `{name}`" for name, path in step.remember.items())
            parts.append(f"Keep {remembered} from the answer.\n")
    return "\n".join(parts)


PACKAGED, IN_SOURCES = "guides", "docs"
"""Parent folder of guides in an installed package (set by `pyproject.toml`), and in a checkout."""
GUIDE_AREAS = ("get-started", "desk", "deliver", "ship", "store", "lockers", "bill", "integrate", "operate")
"""Folders with guides. Names of guides are unique across them."""
_AREA_OF_A_LINK = re.compile(rf"\]\(\.\./(?:{'|'.join(GUIDE_AREAS)})/")


@lru_cache(maxsize=1)
def how_to_guides() -> Mapping[str, HowToGuide]:
    """Return every guide by its name, in the order of names."""
    package = Path(str(files("haulier")))
    folder = package / PACKAGED if (package / PACKAGED).is_dir() else package.parents[1] / IN_SOURCES
    paths = [path for area in GUIDE_AREAS for path in (folder / area).glob("*.md")]
    return {path.stem: _read(path) for path in sorted(paths, key=lambda path: path.stem)}


def _read(path: Path) -> HowToGuide:
    text = _AREA_OF_A_LINK.sub("](", path.read_text("utf-8"))
    heading = text.partition("\n")[0]
    return HowToGuide(name=path.stem, title=heading.removeprefix("# "), text=text)
