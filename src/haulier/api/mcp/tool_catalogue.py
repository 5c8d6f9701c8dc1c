"""The tools that the interface promises, read from `catalogue.toml`: with what each requires of its caller."""

import tomllib
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct, convert

from haulier.api.mcp.tools import tool_bindings
from haulier.kernel.operations.enums import McpServer, Risk, Scope
from haulier.kernel.operations.registry import Registry


class PromisedTool(Struct, frozen=True, kw_only=True):
    """What is promised of a tool. `None` where the interface leaves it to us."""

    public: bool
    risk: Risk | None = None
    scopes: frozenset[Scope] | None = None
    confirm: bool | None = None


class _PromisedToolGroup(PromisedTool, frozen=True, kw_only=True):
    tools: list[str]

    def promise(self) -> PromisedTool:
        return PromisedTool(public=self.public, risk=self.risk, scopes=self.scopes, confirm=self.confirm)


class _ToolCatalogue(Struct, frozen=True):
    user: list[_PromisedToolGroup]
    developer: list[_PromisedToolGroup]
    beyond: dict[str, str]


@lru_cache(maxsize=1)
def _read_catalogue() -> _ToolCatalogue:
    text = files("haulier.api.mcp").joinpath("catalogue.toml").read_text()
    return convert(tomllib.loads(text), _ToolCatalogue)


def promised_tools(server: McpServer) -> dict[str, PromisedTool]:
    """The tools of a server by name. Raises `ValueError` for a name that stands twice."""
    tools: dict[str, PromisedTool] = {}
    for rows in _read_catalogue().user if server is McpServer.USER else _read_catalogue().developer:
        for name in rows.tools:
            if name in tools:
                raise ValueError(f"{name} stands twice")
            tools[name] = rows.promise()
    return tools


def additional_tools() -> dict[str, str]:
    """Our own tools that the interface does not have, with the reason for each."""
    return _read_catalogue().beyond


def missing_tools(registry: Registry, server: McpServer) -> list[str]:
    """The promised tools of a server that nothing declares yet."""
    return sorted(promised_tools(server).keys() - {tool.name for tool, _ in tool_bindings(registry, server)})


def missing_tools_page(registry: Registry) -> str:
    """The page of the reference that names them."""
    parts = [
        "# Tools that are still missing\n\nPromised by the interface and not declared yet. Made by `make published`.\n"
    ]
    for server in McpServer:
        names = missing_tools(registry, server)
        have = len(promised_tools(server)) - len(names)
        parts.append(f"\n## {server.value.title()} server\n\n{have} of {len(promised_tools(server))} are there.\n\n")
        parts += [f"- `{name}`\n" for name in names]
    return "".join(parts)
