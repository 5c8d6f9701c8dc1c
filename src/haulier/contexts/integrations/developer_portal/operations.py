"""Operations that describe the registry, for agents and for authors of programs."""

from typing import Any, TypeVar

from haulier.contexts.integrations.developer_portal import serializers
from haulier.contexts.integrations.developer_portal.contract import (
    ApiEndpointList,
    CheckSkillUpdate,
    DescribedOperation,
    DescribeOperation,
    GetHowToGuide,
    GetIntegrationGuide,
    GraphqlOperationList,
    GraphqlResult,
    HowToGuide,
    HowToGuideList,
    HowToGuideRecord,
    IntegrationGuide,
    ListApiEndpoints,
    ListCapabilities,
    ListGraphqlOperations,
    ListHowToGuides,
    RunGraphqlQuery,
    SkillFileStatus,
    ToolCapabilityList,
)
from haulier.contexts.integrations.developer_portal.serializers import contains_words, how_to_guides
from haulier.contexts.integrations.ports import PortalInterfaces
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import SIGNED_IN, Account, McpServer
from haulier.kernel.operations.errors import NOT_FOUND, UNKNOWN_OPERATION, record_not_found
from haulier.kernel.operations.near_names import find_operation
from haulier.kernel.values.pagination import PageRequest

T = TypeVar("T")
ANYONE = {Account.PUBLIC}
DEVELOPER = frozenset({McpServer.DEVELOPER})


def _paginate(request: PageRequest, items: list[T]) -> tuple[dict[str, Any], list[T]]:
    page_fields = {"total": len(items), "page": request.page, "per_page": request.per_page}
    return page_fields, items[request.offset : request.offset + request.per_page]


@reads(
    "get_capabilities",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/capabilities"),
        GraphQL("capabilities"),
        Mcp("get_capabilities", title="List tools and your access"),
    ),
)
async def get_capabilities(call: Call, request: ListCapabilities) -> ToolCapabilityList:
    """List tools and your access to them.

    Returns the risk, scopes and confirmation of every tool. If a tool may not be called, the reason is included:
    sign-in, account, module, or a missing scope.
    """
    return serializers.describe_capabilities(call, request)


@reads(
    "describe_operation",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/developer/operations/{name}"),
        Mcp("describe_operation", frozenset(McpServer), title="Describe an operation"),
    ),
    errors=(UNKNOWN_OPERATION,),
)
async def describe_operation(call: Call, request: DescribeOperation) -> DescribedOperation:
    """Describe an operation.

    Returns its effect and arguments, for tools and other operations. An unknown name returns the nearest ones.
    """
    operation = find_operation(call.app.registry, request.name)
    schemas = call.adapter(PortalInterfaces).tool_schemas(operation)
    return DescribedOperation(
        operation=serializers.describe_operation(call, operation, *schemas, answer=request.answer)
    )


@reads(
    "get_api_endpoints",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/developer/endpoints"),
        Mcp("get_api_endpoints", DEVELOPER, title="List REST endpoints"),
    ),
)
async def get_api_endpoints(call: Call, request: ListApiEndpoints) -> ApiEndpointList:
    """List REST endpoints and their requirements.

    Includes the JSON Schema of each request if asked.
    """
    page_fields, endpoints = _paginate(request, serializers.describe_endpoints(call.app.registry, request))
    return ApiEndpointList(**page_fields, base_url=call.app.base_url, endpoints=endpoints)


@reads(
    "get_graphql_operations",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/developer/graphql-operations"),
        Mcp("get_graphql_operations", DEVELOPER, title="List GraphQL queries and mutations"),
    ),
)
async def get_graphql_operations(call: Call, request: ListGraphqlOperations) -> GraphqlOperationList:
    """List the queries and mutations of GraphQL.

    Includes their signatures in the schema.
    """
    registry = call.app.registry
    signatures = call.adapter(PortalInterfaces).signatures(registry)
    page_fields, operations = _paginate(request, serializers.describe_graphql_operations(registry, signatures, request))
    return GraphqlOperationList(**page_fields, endpoint=f"{call.app.base_url}/graphql", operations=operations)


@reads(
    "run_graphql_query",
    audience=SIGNED_IN | {Account.PROVIDER},
    interfaces=(Mcp("run_graphql_query", DEVELOPER, title="Run a GraphQL query"),),
)
async def run_graphql_query(call: Call, request: RunGraphqlQuery) -> GraphqlResult:
    """Run a GraphQL query.

    Uses the caller's rights and returns the response of the endpoint. Mutations are rejected. Each field requires its
    own scopes; a rejected field is null, with the reason in errors.
    """
    interfaces = call.adapter(PortalInterfaces)
    return GraphqlResult(**await interfaces.query(call, request.query, request.variables, request.operation_name))


@reads(
    "get_integration_guide",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/developer/guide"),
        Mcp("get_integration_guide", DEVELOPER, title="Get the integration guide"),
    ),
)
async def get_integration_guide(call: Call, request: GetIntegrationGuide) -> IntegrationGuide:
    """Get the integration guide.

    Explains how to sign in, create and track an order, preview a write, and request approval. Each step is a working
    call.
    """
    return serializers.build_integration_guide(request.topic, call.app.base_url)


@reads(
    "list_how_to_guides",
    audience=ANYONE,
    interfaces=(Rest("GET", "/v1/developer/guides"), GraphQL("howToGuides")),
)
async def list_how_to_guides(call: Call, request: ListHowToGuides) -> HowToGuideList:
    """List how-to guides by name.

    Optionally those with a text in name or title.
    """
    found = [each for each in how_to_guides().values() if contains_words(f"{each.name} {each.title}", request.search)]
    page_fields, shown = _paginate(request, found)
    return HowToGuideList(**page_fields, guides=[HowToGuideRecord(name=each.name, title=each.title) for each in shown])


@reads(
    "get_how_to_guide",
    audience=ANYONE,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/developer/guides/{guide}"), GraphQL("howToGuide")),
)
async def get_how_to_guide(call: Call, request: GetHowToGuide) -> HowToGuide:
    """Get a how-to guide.

    It describes a task with a part of this service, step by step.
    """
    guide = how_to_guides().get(request.guide)
    if guide is None:
        raise record_not_found(guide=request.guide)
    return guide


@reads(
    "check_skill_update",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/developer/skill"),
        Mcp("check_skill_update", DEVELOPER, title="Check for a newer skill file"),
    ),
)
async def check_skill_update(call: Call, request: CheckSkillUpdate) -> SkillFileStatus:
    """Check for a newer skill file.

    Compares the MD5 hash with the caller's, and returns the download address.
    """
    skill = call.adapter(PortalInterfaces).skill(call.app)
    changed = (request.current_hash or "").lower() != skill.hash
    return SkillFileStatus(
        update_available=changed, version=skill.version, hash=skill.hash, download_url=skill.download_url
    )
