"""Features of an MCP server besides tools, read from `server_features.toml`.

These are resources, prompts, completions and tasks. Each names operations of the registry, which define the access
rights. An unknown name fails at startup.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from mcp.shared.uri_template import UriTemplate
from msgspec import Struct, convert


class FixedResource(Struct, frozen=True, kw_only=True):
    """A resource with a fixed address."""

    name: str
    uri: str
    operation: str
    answer: str | None = None
    mime_type: str = "application/json"


class Follow(Struct, frozen=True, kw_only=True):
    """The live list whose notices update a resource.

    Exactly one of `by` and `by_answer` is set.
    """

    stream: str
    by: str | None = None
    by_answer: str | None = None


class Listing(Struct, frozen=True, kw_only=True):
    """The list whose records are the resources of a template."""

    operation: str
    records: str
    variable: str
    value: str
    label: str


class TemplateResource(FixedResource, frozen=True, kw_only=True):
    """Resources with addresses from a template (RFC 6570)."""

    complete: Mapping[str, str] = {}
    follow: Follow | None = None
    listing: Listing | None = None


class PromptArgumentDeclaration(Struct, frozen=True, kw_only=True):
    """An argument of a prompt; `complete` names the completion of its values."""

    name: str
    required: bool = False
    complete: str | None = None


class PromptDeclaration(Struct, frozen=True, kw_only=True):
    """A prompt; its messages are in the catalogues under `mcp.prompt.<name>`."""

    name: str
    tools: list[str]
    arguments: list[PromptArgumentDeclaration] = []


class Otherwise(Struct, frozen=True, kw_only=True):
    """The list to query if the typed text is too short."""

    operation: str
    page: str


class CompletionSource(Struct, frozen=True, kw_only=True):
    """Source of the values of an argument."""

    operation: str
    records: str
    value: str
    matches: list[str]
    query: str | None = None
    page: str | None = None
    shortest: int = 1
    otherwise: Otherwise | None = None


class TaskDeclaration(Struct, frozen=True, kw_only=True):
    """A tool that starts long-running work, with the operations for its job."""

    tool: str
    id: str
    read: str
    cancel: str
    field: str
    state: str
    created_at: str
    updated_at: str


class ServerFeatures(Struct, frozen=True, kw_only=True):
    """All features of a server besides tools."""

    resources: list[FixedResource] = []
    templates: list[TemplateResource] = []
    prompts: list[PromptDeclaration] = []
    completions: Mapping[str, CompletionSource] = {}
    tasks: list[TaskDeclaration] = []

    @classmethod
    def of(cls, text: str) -> "ServerFeatures":
        """Parse the features from TOML. Raises `msgspec.ValidationError`."""
        return convert(tomllib.loads(text), cls)


@lru_cache(maxsize=1)
def server_features() -> ServerFeatures:
    """Return the features of our servers; cached."""
    return ServerFeatures.of(files("haulier.api.mcp").joinpath("server_features.toml").read_text("utf-8"))


@lru_cache(maxsize=256)
def uri_template(template: str) -> UriTemplate:
    """Parse a URI template; cached."""
    return UriTemplate.parse(template)
