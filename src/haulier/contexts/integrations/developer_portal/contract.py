"""The developer portal: requests and answers."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SearchText = Annotated[str, Field(min_length=1, max_length=100, examples=["order"])]
MAX_QUERY_LENGTH = 50_000


class ListCapabilities(Request):
    """Filters for tools."""

    category: Annotated[str, Field(max_length=60, examples=["orders"])] | None = None
    """Only tools of this category."""
    allowed: Annotated[bool, Field(examples=[True])] | None = None
    """If true, only tools that the caller may call; if false, only the others."""


class ToolCapability(Answer):
    """One tool, and whether the caller may call it."""

    name: str
    title: str
    summary: str
    category: Annotated[str, doc("Area of the business.", "orders")]
    effect: Annotated[str, doc("read or write.", "read")]
    risk: Annotated[str, doc("low, medium or high.", "low")]
    scopes: Annotated[list[str], doc("Required scopes; all of them are needed.", ["orders:read"])]
    confirm: Annotated[bool, doc("True if it must be called with confirm=true.")]
    public: Annotated[bool, doc("True if it works without a token.")]
    allowed: Annotated[bool, doc("True if the caller may call it now.")]
    code: Annotated[
        str | UnsetType, doc("Machine-readable reason, if the caller may not call it.", "SCOPE_MISSING")
    ] = UNSET
    reason: Annotated[str | UnsetType, doc("Reason in the caller's language, if the caller may not call it.")] = UNSET


class ToolCapabilityList(Answer):
    """The tools of the user server, and the caller's account and scopes."""

    result: bool = True
    account: Annotated[str, doc("The caller's kind of account; public without a token.", "employee")]
    scopes: Annotated[list[str], doc("The caller's scopes in this connection.")]
    now: Annotated[datetime, doc("Current time in the time zone of the business.")]
    headers: Annotated[dict[str, str], doc("Headers that change the rights of a connection, with their effects.")]
    profiles: Annotated[dict[str, list[str]], doc("Scopes to which each X-MCP-Profile limits a connection.")]
    categories: Annotated[dict[str, int], doc("Number of listed tools by category.")]
    capabilities: list[ToolCapability]
    time_zone: Annotated[
        str | UnsetType, doc("Time zone of the business, which applies to days and times of day.", "America/Toronto")
    ] = UNSET


class DescribeOperation(Request):
    """An operation to describe."""

    name: Annotated[str, Field(min_length=1, max_length=100, examples=["merge_routes"])]
    """The name of an operation or of a tool."""
    answer: bool = False
    """If true, include the schema of the response."""


class OperationDescription(Answer):
    """An operation: its effect, requirements and call."""

    name: str
    tool: Annotated[str | None, doc("The tool that calls it; null where there is none.", "hold_order")]
    description: str
    effect: Annotated[str, doc("read or write. A write without a tool is called through propose_write.", "write")]
    risk: str
    scopes: list[str]
    confirm: bool
    allowed: Annotated[bool, doc("True if the caller may call it now.")]
    arguments_schema: Annotated[dict[str, Any], doc("JSON Schema of its arguments.")]
    code: Annotated[
        str | UnsetType, doc("Machine-readable reason, if the caller may not call it.", "SCOPE_MISSING")
    ] = UNSET
    reason: Annotated[str | UnsetType, doc("Reason in the caller's language, if the caller may not call it.")] = UNSET
    answer_schema: Annotated[dict[str, Any] | UnsetType, doc("JSON Schema of its response, if requested.")] = UNSET
    noun: Annotated[str | UnsetType, doc("Kind of record.", "routes")] = UNSET
    refers_to: Annotated[
        dict[str, str] | UnsetType, doc("Operation that lists the records of each ID among its arguments.")
    ] = UNSET
    choices: Annotated[dict[str, str] | UnsetType, doc("Names of codes in the caller's language.")] = UNSET


class DescribedOperation(Answer):
    """The description of an operation."""

    result: bool = True
    operation: OperationDescription


class ListApiEndpoints(PageRequest):
    """Filters for REST endpoints."""

    search: SearchText | None = None
    """Filter by text in the path, name or summary."""
    method: Annotated[Literal["GET", "POST", "PUT", "PATCH", "DELETE"], Field(examples=["POST"])] | None = None
    """Filter by method."""
    category: Annotated[str, Field(max_length=60, examples=["orders"])] | None = None
    """Filter by category."""
    schemas: bool = False
    """If true, include the JSON Schema of each request."""


class ApiEndpoint(Answer):
    """One REST endpoint."""

    method: str
    path: Annotated[str, doc("Path below the base address.", "/api/v1/orders/{order_id}")]
    operation: str
    summary: str
    category: str
    effect: str
    risk: str
    audience: Annotated[list[str], doc("Kinds of account that can call it; `public` needs no token.")]
    scopes: list[str]
    schema: Annotated[dict[str, Any] | UnsetType, doc("JSON Schema of path, query and body fields together.")] = UNSET


class ApiEndpointList(PagedAnswer):
    """A page of endpoints by path."""

    base_url: str
    endpoints: list[ApiEndpoint]


class ListGraphqlOperations(PageRequest):
    """Filters for fields of the GraphQL schema."""

    search: SearchText | None = None
    """Filter by text in the name or summary."""
    kind: Annotated[Literal["query", "mutation"], Field(examples=["query"])] | None = None
    """Filter by kind."""


class GraphqlOperation(Answer):
    """One field of Query or Mutation."""

    name: str
    kind: Annotated[str, doc("query or mutation.")]
    signature: Annotated[str, doc("Field of the schema.", "order(order_id: Long!): OrderAnswer")]
    summary: str
    risk: str
    audience: list[str]
    scopes: list[str]


class GraphqlOperationList(PagedAnswer):
    """A page of fields by name."""

    endpoint: str
    operations: list[GraphqlOperation]


class RunGraphqlQuery(Request):
    """A GraphQL query."""

    query: Annotated[
        str, Field(min_length=1, max_length=MAX_QUERY_LENGTH, examples=["{ whoAmI { user { account } scopes } }"])
    ]
    """The document. Queries only: writes have tools of their own."""
    variables: Annotated[dict[str, Any], Field(max_length=200, examples=[{"order_id": 17}])] | None = None
    """Values of the variables that the document declares."""
    operation_name: Annotated[str, Field(max_length=100, examples=["Today"])] | None = None
    """Operation of the document to run, if it has several."""


class GraphqlResult(Answer):
    """Result of a query, as the GraphQL endpoint returns it."""

    data: Annotated[dict[str, Any] | None, doc("Response data; null if nothing was executed.")]
    errors: Annotated[list[dict[str, Any]] | UnsetType, doc("The errors, each with code and path.")] = UNSET
    extensions: dict[str, Any] | UnsetType = UNSET


class CheckSkillUpdate(Request):
    """The skill file that the caller has."""

    current_hash: Annotated[str, Field(pattern="^[0-9a-fA-F]{32}$", max_length=32, examples=["0" * 32])] | None = None
    """MD5 hash of the local skill file in hexadecimal. Omit it without a local file."""


class SkillFileStatus(Answer):
    """State of the caller's skill file."""

    result: bool = True
    update_available: bool
    version: str
    hash: Annotated[str, doc("MD5 hash of the current file.")]
    download_url: str


class GetIntegrationGuide(Request):
    """An integration guide."""

    topic: Annotated[Literal["start"], Field(examples=["start"])] = "start"
    """The topic."""


class IntegrationGuideStep(Answer):
    """One step: a text, and the call to make."""

    title: str
    instructions: str
    method: str
    url: str
    headers: dict[str, str]
    body: dict[str, Any] | UnsetType = UNSET
    remember: Annotated[
        dict[str, str] | UnsetType, doc("Values to take from the response for later steps: name and dotted path.")
    ] = UNSET


class IntegrationGuide(Answer):
    """A guide whose every step works as written."""

    result: bool = True
    topic: str
    title: str
    text: Annotated[str, doc("The whole guide as Markdown.")]
    steps: list[IntegrationGuideStep]


GuideName = Annotated[str, Field(pattern="^[a-z0-9-]+$", max_length=60, examples=["order-chat"])]


class ListHowToGuides(PageRequest):
    """Filters for guides."""

    search: SearchText | None = None
    """Only guides with this in their name or title."""


class GetHowToGuide(Request):
    """Reference to a guide."""

    guide: GuideName
    """Name of the guide, as in the list."""


class HowToGuideRecord(Answer):
    """A guide."""

    name: str
    title: Annotated[str, doc("Task that the guide describes.", "Chat about an order")]


class HowToGuideList(PagedAnswer):
    """A page of guides, by name."""

    guides: list[HowToGuideRecord]


class HowToGuide(Answer):
    """A guide whose every step works as written."""

    result: bool = True
    name: str
    title: str
    text: Annotated[str, doc("The whole guide as Markdown, in English. Links between guides are relative.")]
