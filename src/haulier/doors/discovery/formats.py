"""The tools of a server in the forms that frameworks for agents read."""

from collections.abc import Callable, Mapping
from typing import Any

from haulier.doors.mcp.tools import Schema, bindings, tool_of
from haulier.kernel.declarations import Server
from haulier.kernel.operation import Mcp, Operation
from haulier.kernel.registry import Registry

DESCRIPTION_MAX = 1024
"""The longest description that every framework takes."""
Tools = list[tuple[Schema, Mcp, Operation[Any, Any]]]


def tools_as(form: str, registry: Registry, server: Server) -> Any:
    """The tools of a server, by name, in one of `FORMATS`."""
    found = sorted(bindings(registry, server), key=lambda each: each[0].name)
    return FORMATS[form]([(tool_of(tool, operation, server), tool, operation) for tool, operation in found])


def _openai(tools: Tools) -> Any:
    return {
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": shown["name"],
                    "description": _description(shown, operation),
                    "parameters": shown["inputSchema"],
                },
            }
            for shown, _, operation in tools
        ]
    }


def _anthropic(tools: Tools) -> Any:
    return {
        "tools": [
            {
                "name": shown["name"],
                "description": _description(shown, operation),
                "input_schema": shown["inputSchema"],
            }
            for shown, _, operation in tools
        ]
    }


def _mcp(tools: Tools) -> Any:
    return {"tools": [shown for shown, *_ in tools]}


def _langchain(tools: Tools) -> Any:
    return {
        "tools": [
            {
                "name": shown["name"],
                "description": _description(shown, operation),
                "args_schema": {**shown["inputSchema"], "title": shown["name"], "description": operation.summary},
                "metadata": facts(operation),
            }
            for shown, _, operation in tools
        ]
    }


def facts(operation: Operation[Any, Any]) -> Schema:
    """What a caller must know before calling an operation."""
    return {
        "effect": operation.effect.value,
        "risk": operation.risk.value,
        "scopes": sorted(operation.scopes),
        "confirm": operation.confirm,
        "public": operation.public,
    }


def _description(shown: Schema, operation: Operation[Any, Any]) -> str:
    """The description, with what the form has no other place for; the rights stand whole whatever has to be cut."""
    rights = f"Risk {operation.risk}. " + (
        "Public." if operation.public else f"Scopes: {', '.join(sorted(operation.scopes)) or 'none'}."
    )
    if operation.confirm:
        rights += " Needs confirm=true."
    words: str = shown["description"]
    room = DESCRIPTION_MAX - len(rights) - 2
    return f"{words if len(words) <= room else words[: room - 1] + '…'}\n\n{rights}"


FORMATS: Mapping[str, Callable[[Tools], Any]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "mcp": _mcp,
    "langchain": _langchain,
}
