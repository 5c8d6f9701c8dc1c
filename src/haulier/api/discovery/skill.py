"""The skill file, which describes the application to agents."""

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from haulier import __version__
from haulier.api.discovery.formats import operation_facts
from haulier.api.mcp.tools import tool_bindings
from haulier.kernel.operations.declaration import GraphQL, Rest
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.scope_profiles import PROFILES

if TYPE_CHECKING:
    from jinja2 import Environment

SKILL_PATH = "/ai-skill"


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


class SkillDocument(Struct, frozen=True, kw_only=True):
    """The skill file with its version and hash."""

    version: str
    hash: str
    text: str
    download_url: str


def build_skill(registry: Registry, base_url: str) -> SkillDocument:
    """Build the skill file of a registry for a base URL.

    The interface prescribes MD5 for the hash, which is not used for security.
    """
    text = render_document("skill.md", registry, base_url)
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return SkillDocument(version=__version__, hash=digest, text=text, download_url=f"{base_url}{SKILL_PATH}")


def render_document(template: str, registry: Registry, base_url: str) -> str:
    """Render one of the templates for a registry."""
    return (
        _templates()
        .get_template(template)
        .render(
            base_url=base_url,
            version=__version__,
            user=tools_by_category(registry, McpServer.USER),
            developer=tools_by_category(registry, McpServer.DEVELOPER),
            profiles={name: sorted(scopes) for name, scopes in PROFILES.items()},
            counts=_operation_counts(registry),
        )
    )


def _operation_counts(registry: Registry) -> dict[str, int]:
    """Return the number of operations in total and by interface."""
    interfaces = {
        "rest": registry.bindings(Rest),
        "graphql": registry.bindings(GraphQL),
        "user_tools": tool_bindings(registry, McpServer.USER),
        "developer_tools": tool_bindings(registry, McpServer.DEVELOPER),
    }
    names = {interface: {operation.name for _, operation in bindings} for interface, bindings in interfaces.items()}
    return {"operations": len(registry)} | {interface: len(bound) for interface, bound in names.items()}


def tools_by_category(registry: Registry, server: McpServer) -> dict[str, list[dict[str, Any]]]:
    """Return the tools of a server by business context."""
    tools: dict[str, list[dict[str, Any]]] = {}
    for tool, operation in sorted(
        tool_bindings(registry, server), key=lambda binding: (binding[1].context, binding[0].name)
    ):
        tools.setdefault(operation.context, []).append(
            {"name": tool.name, "summary": operation.summary, **operation_facts(operation)}
        )
    return tools
