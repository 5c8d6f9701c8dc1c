"""Tool definitions in the formats of agent frameworks."""

from collections.abc import Callable, Mapping
from typing import Any

from haulier.api.mcp.tools import Schema, tool_bindings, tool_definition
from haulier.kernel.operations.declaration import Mcp, Operation
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.registry import Registry

MAX_DESCRIPTION_CHARACTERS = 1024
"""Longest description that every framework accepts."""
ToolEntries = list[tuple[Schema, Mcp, Operation[Any, Any]]]


def tools_in_format(form: str, registry: Registry, server: McpServer) -> Any:
    """Return the tools of a server, sorted by name, in one of `TOOL_FORMATS`."""
    bindings = sorted(tool_bindings(registry, server), key=lambda binding: binding[0].name)
    return TOOL_FORMATS[form](
        [(tool_definition(tool, operation, server), tool, operation) for tool, operation in bindings]
    )


def _openai_tools(tools: ToolEntries) -> Any:
    return {
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": _tool_description(tool, operation),
                    "parameters": tool["inputSchema"],
                },
            }
            for tool, _, operation in tools
        ]
    }


def _anthropic_tools(tools: ToolEntries) -> Any:
    return {
        "tools": [
            {
                "name": tool["name"],
                "description": _tool_description(tool, operation),
                "input_schema": tool["inputSchema"],
            }
            for tool, _, operation in tools
        ]
    }


def _mcp_tools(tools: ToolEntries) -> Any:
    return {"tools": [tool for tool, *_ in tools]}


def _langchain_tools(tools: ToolEntries) -> Any:
    return {
        "tools": [
            {
                "name": tool["name"],
                "description": _tool_description(tool, operation),
                "args_schema": {**tool["inputSchema"], "title": tool["name"], "description": operation.summary},
                "metadata": operation_facts(operation),
            }
            for tool, _, operation in tools
        ]
    }


def operation_facts(operation: Operation[Any, Any]) -> Schema:
    """Return the effect, risk, scopes and confirmation of an operation."""
    return {
        "effect": operation.effect.value,
        "risk": operation.risk.value,
        "scopes": sorted(operation.scopes),
        "confirm": operation.confirm,
        "public": operation.public,
    }


def _tool_description(tool_schema: Schema, operation: Operation[Any, Any]) -> str:
    """Return the description followed by the required rights.

    Only the description is truncated, never the rights.
    """
    rights = f"Risk {operation.risk}. " + (
        "Public." if operation.public else f"Scopes: {', '.join(sorted(operation.scopes)) or 'none'}."
    )
    if operation.confirm:
        rights += " Needs confirm=true."
    description: str = tool_schema["description"]
    room = MAX_DESCRIPTION_CHARACTERS - len(rights) - 2
    return f"{description if len(description) <= room else description[: room - 1] + '…'}\n\n{rights}"


TOOL_FORMATS: Mapping[str, Callable[[ToolEntries], Any]] = {
    "openai": _openai_tools,
    "anthropic": _anthropic_tools,
    "mcp": _mcp_tools,
    "langchain": _langchain_tools,
}
