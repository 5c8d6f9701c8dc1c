"""Tools promised by the interface, read from `catalogue.toml`."""

import tomllib
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct, convert

from haulier.api.mcp.tools import tool_bindings
from haulier.kernel.operations.enums import McpServer, Risk, Scope
from haulier.kernel.operations.registry import Registry


class PromisedTool(Struct, frozen=True, kw_only=True):
    """Requirements of a promised tool. `None` where the interface has none."""

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
    starter: dict[McpServer, list[str]]
    beyond: dict[str, str]


@lru_cache(maxsize=1)
def _read_catalogue() -> _ToolCatalogue:
    text = files("haulier.api.mcp").joinpath("catalogue.toml").read_text()
    return convert(tomllib.loads(text), _ToolCatalogue)


def promised_tools(server: McpServer) -> dict[str, PromisedTool]:
    """Return the promised tools of a server by name.

    Raises `ValueError` for a duplicate name.
    """
    tools: dict[str, PromisedTool] = {}
    for rows in _read_catalogue().user if server is McpServer.USER else _read_catalogue().developer:
        for name in rows.tools:
            if name in tools:
                raise ValueError(f"{name} stands twice")
            tools[name] = rows.promise()
    return tools


def starter_tools(server: McpServer) -> list[str]:
    """Return the tools that a connection with tool search lists from the beginning."""
    return _read_catalogue().starter[server]


def additional_tools() -> dict[str, str]:
    """Return the tools that the interface does not have, with the reason for each."""
    return _read_catalogue().beyond


def missing_tools(registry: Registry, server: McpServer) -> list[str]:
    """Return the promised tools of a server that are not declared yet."""
    return sorted(promised_tools(server).keys() - {tool.name for tool, _ in tool_bindings(registry, server)})


def missing_tools_page(registry: Registry) -> str:
    """Return the reference page of the missing tools."""
    parts = [
        "# Tools that are still missing\n\nPromised by the interface and not declared yet. Made by `make published`.\n"
    ]
    for server in McpServer:
        names = missing_tools(registry, server)
        have = len(promised_tools(server)) - len(names)
        parts.append(f"\n## {server.value.title()} server\n\n{have} of {len(promised_tools(server))} are there.\n\n")
        parts += [f"- `{name}`\n" for name in names]
    return "".join(parts)
