"""The documents themselves: made from the registry, each once."""

from functools import cached_property, lru_cache
from typing import Any

from haulier import __version__
from haulier.doors.discovery.formats import FORMATS, tools_as
from haulier.doors.discovery.skill import Skill, by_category, render, skill
from haulier.doors.graphql.schema import schema_sdl
from haulier.doors.mcp.tools import bindings
from haulier.doors.rest.openapi import openapi
from haulier.kernel import codec
from haulier.kernel.declarations import Server
from haulier.kernel.languages import SUPPORTED
from haulier.kernel.operation import GraphQL, Rest
from haulier.kernel.profiles import PROFILES
from haulier.kernel.registry import Registry

PROTOCOL_VERSIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
SERVERS = {
    Server.USER: ("/mcp", "Operations, support and business agents"),
    Server.DEVELOPER: ("/mcp/developer", "Integration developers and coding agents"),
}


class Documents:
    """Every discovery document of one registry at one address. Nothing in them depends on who asks."""

    def __init__(self, registry: Registry, base_url: str) -> None:
        self.registry = registry
        self.base_url = base_url
        self.tools = lru_cache(maxsize=None)(self._tools)

    @cached_property
    def skill(self) -> Skill:
        """The skill file."""
        return skill(self.registry, self.base_url)

    @cached_property
    def version(self) -> bytes:
        """What is asked about the skill file without fetching it."""
        facts = {"version": self.skill.version, "hash": self.skill.hash, "download_url": self.skill.download_url}
        return codec.encode(facts)

    @cached_property
    def llms(self) -> bytes:
        """`llms.txt`: what there is to read here, for models."""
        return render("llms.txt", self.registry, self.base_url).encode()

    @cached_property
    def ai_tools(self) -> bytes:
        """`ai-tools.json`: where the servers are, how to come in, and where everything else is described."""
        return codec.encode(
            {
                "name": "haulier",
                "version": __version__,
                "description": "Transport management that delivery businesses run themselves.",
                "base_url": self.base_url,
                "servers": [self._server(server) for server in Server],
                "authentication": {
                    "type": "bearer",
                    "header": "Authorization",
                    "sign_in": f"{self.base_url}/api/v1/user/login",
                    "protected_resource": f"{self.base_url}/.well-known/oauth-protected-resource",
                },
                "headers": _HEADERS,
                "profiles": {name: sorted(scopes) for name, scopes in PROFILES.items()},
                "languages": list(SUPPORTED),
                "documents": self._links(),
            }
        )

    @cached_property
    def openapi(self) -> bytes:
        """The OpenAPI description of the endpoints behind the tools."""
        behind = (one for one in self._behind_tools() if any(isinstance(door, Rest) for door in one.doors))
        return codec.encode(openapi(Registry(behind), self.base_url))

    @cached_property
    def graphql(self) -> bytes:
        """The GraphQL schema of the fields behind the tools."""
        behind = (one for one in self._behind_tools() if any(isinstance(door, GraphQL) for door in one.doors))
        return schema_sdl(Registry(behind)).encode()

    @cached_property
    def capabilities(self) -> bytes:
        """Categories and names of tools, and nothing else."""
        categories = {
            server.value: {
                category: [tool["name"] for tool in tools]
                for category, tools in by_category(self.registry, server).items()
            }
            for server in Server
        }
        return codec.encode({"categories": categories[Server.USER.value], "servers": categories})

    def _tools(self, form: str, server: Server) -> bytes:
        return codec.encode(tools_as(form, self.registry, server))

    def _behind_tools(self) -> list[Any]:
        found = {operation.name: operation for server in Server for _, operation in bindings(self.registry, server)}
        return [found[name] for name in sorted(found)]

    def _server(self, server: Server) -> dict[str, Any]:
        path, audience = SERVERS[server]
        tools = list(bindings(self.registry, server))
        return {
            "name": f"haulier-{server.value}",
            "endpoint": f"{self.base_url}{path}",
            "audience": audience,
            "transport": "streamable-http",
            "protocol_versions": PROTOCOL_VERSIONS,
            "tools": len(tools),
            "public_tools": sorted(tool.name for tool, operation in tools if operation.public),
        }

    def _links(self) -> dict[str, Any]:
        here = self.base_url
        return {
            "llms": f"{here}/llms.txt",
            "skill": f"{here}/ai-skill",
            "skill_version": f"{here}/ai-skill/version",
            "capabilities": f"{here}/ai/capabilities",
            "tools": {form: f"{here}/ai/tools?format={form}" for form in FORMATS},
            "tools_openapi": f"{here}/ai/tools/openapi",
            "tools_graphql": f"{here}/ai/tools/graphql",
            "openapi": f"{here}/api/openapi.json",
        }


_HEADERS = {
    "X-MCP-Profile": "Narrows the connection to a profile.",
    "X-MCP-Scopes": "Narrows it to scopes, with commas between; counts before the profile.",
    "X-MCP-Dry-Run": "1: writes are run and rolled back, with a preview.",
    "X-MCP-Require-Approval": "1: high-risk writes wait for a human.",
    "Idempotency-Key": "A repeated write with the same key gives the first answer.",
    "Accept-Language": "The language of messages.",
}
