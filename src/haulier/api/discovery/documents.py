"""Discovery documents, built once from the registry."""

from functools import cached_property, lru_cache
from typing import Any

from haulier import __version__
from haulier.api.discovery.formats import TOOL_FORMATS, tools_in_format
from haulier.api.discovery.skill import SkillDocument, build_skill, render_document, tools_by_category
from haulier.api.mcp.tools import tool_bindings
from haulier.api.rest.openapi import openapi_document
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations import codec
from haulier.kernel.operations.connection_headers import CONNECTION_HEADERS
from haulier.kernel.operations.declaration import GraphQL, Rest
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.scope_profiles import PROFILES

MCP_SERVERS = {
    McpServer.USER: ("/mcp", "Operations, support and business agents"),
    McpServer.DEVELOPER: ("/mcp/developer", "Integration developers and coding agents"),
}


class DiscoveryDocuments:
    """The discovery documents of a registry and base URL, independent of the caller."""

    def __init__(self, registry: Registry, base_url: str) -> None:
        self.registry = registry
        self.base_url = base_url
        self.tools = lru_cache(maxsize=None)(self._tools)

    @cached_property
    def skill(self) -> SkillDocument:
        """The skill file."""
        return build_skill(self.registry, self.base_url)

    @cached_property
    def version(self) -> bytes:
        """Version and hash of the skill file, so that clients can detect changes."""
        facts = {"version": self.skill.version, "hash": self.skill.hash, "download_url": self.skill.download_url}
        return codec.encode_json(facts)

    @cached_property
    def llms(self) -> bytes:
        """`llms.txt`: an index of the documents for language models."""
        return render_document("llms.txt", self.registry, self.base_url).encode()

    @cached_property
    def ai_tools(self) -> bytes:
        """`ai-tools.json`: server addresses, authentication and links to other documents."""
        return codec.encode_json(
            {
                "name": "haulier",
                "version": __version__,
                "description": "Transport management that delivery businesses run themselves.",
                "base_url": self.base_url,
                "servers": [self._server(server) for server in McpServer],
                "authentication": {
                    "type": "bearer",
                    "header": "Authorization",
                    "sign_in": f"{self.base_url}/api/v1/user/login",
                    "protected_resource": f"{self.base_url}/.well-known/oauth-protected-resource",
                },
                "headers": CONNECTION_HEADERS,
                "profiles": {name: sorted(scopes) for name, scopes in PROFILES.items()},
                "languages": list(SUPPORTED_LANGUAGES),
                "documents": self._links(),
            }
        )

    @cached_property
    def openapi(self) -> bytes:
        """OpenAPI description of the endpoints behind the tools."""
        behind = (
            operation
            for operation in self._behind_tools()
            if any(isinstance(interface, Rest) for interface in operation.interfaces)
        )
        return codec.encode_json(openapi_document(self.registry.part(behind), self.base_url))

    @cached_property
    def graphql(self) -> bytes:
        """GraphQL schema of the fields behind the tools."""
        from haulier.api.graphql.schema import schema_sdl

        behind = (
            operation
            for operation in self._behind_tools()
            if any(isinstance(interface, GraphQL) for interface in operation.interfaces)
        )
        return schema_sdl(self.registry.part(behind)).encode()

    @cached_property
    def capabilities(self) -> bytes:
        """Tool names by category."""
        categories = {
            server.value: {
                category: [tool["name"] for tool in tools]
                for category, tools in tools_by_category(self.registry, server).items()
            }
            for server in McpServer
        }
        return codec.encode_json({"categories": categories[McpServer.USER.value], "servers": categories})

    def _tools(self, form: str, server: McpServer) -> bytes:
        return codec.encode_json(tools_in_format(form, self.registry, server))

    def _behind_tools(self) -> list[Any]:
        operations = {
            operation.name: operation for server in McpServer for _, operation in tool_bindings(self.registry, server)
        }
        return [operations[name] for name in sorted(operations)]

    def _server(self, server: McpServer) -> dict[str, Any]:
        from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS

        path, audience = MCP_SERVERS[server]
        tools = list(tool_bindings(self.registry, server))
        return {
            "name": f"haulier-{server.value}",
            "endpoint": f"{self.base_url}{path}",
            "audience": audience,
            "transport": "streamable-http",
            "protocol_versions": tuple(reversed(SUPPORTED_PROTOCOL_VERSIONS)),
            "tools": len(tools),
            "public_tools": sorted(tool.name for tool, operation in tools if operation.public),
        }

    def _links(self) -> dict[str, Any]:
        base_url = self.base_url
        return {
            "llms": f"{base_url}/llms.txt",
            "skill": f"{base_url}/ai-skill",
            "skill_version": f"{base_url}/ai-skill/version",
            "capabilities": f"{base_url}/ai/capabilities",
            "tools": {form: f"{base_url}/ai/tools?format={form}" for form in TOOL_FORMATS},
            "tools_openapi": f"{base_url}/ai/tools/openapi",
            "tools_graphql": f"{base_url}/ai/tools/graphql",
            "openapi": f"{base_url}/api/openapi.json",
        }
