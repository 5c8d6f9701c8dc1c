"""Short tool lists: starter tools, and two tools that find and call the others.

A connection asks for them with the header `X-MCP-Tools: search` or the address `/mcp?tools=search`. Hosts offer a model
the listed tools only, so `call_tool` names the tool to call; its message is rewritten before anything reads it, and
rights, confirmation, previews and approval apply as in a direct call.
"""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
import msgspec
from msgspec import UNSET, Struct, UnsetType

from haulier.api.mcp.tool_list import ToolList
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.near_names import near_names

FIND_TOOLS = "find_tools"
CALL_TOOL = "call_tool"
MAX_FOUND_TOOLS = 10
NAME_HEADER = b"mcp-name"
"""Header that repeats the name of the called tool in protocol version 2026-07-28."""

SEARCH_TOOLS = (
    types.Tool(
        name=FIND_TOOLS,
        title="Find tools",
        description="Find tools by task, such as `reserve a locker box`. Returns names with summaries, and the arguments of "
        "the best match; `tool` returns the arguments of one.",
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words of the task, in English.", "maxLength": 100},
                "tool": {"type": "string", "description": "Exact name of a tool.", "maxLength": 100},
            },
        },
        annotations=types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    ),
    types.Tool(
        name=CALL_TOOL,
        title="Call a tool that is not listed",
        description="Call a tool that `find_tools` returned.",
        input_schema={
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Name of the tool."},
                "arguments": {
                    "type": "object",
                    "description": "Its arguments, with `confirm` if the tool requires it.",
                },
            },
            "required": ["name"],
        },
        annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True),
    ),
)


class FoundTool(Struct, frozen=True):
    """A tool that matches a query."""

    name: str
    summary: str
    effect: str
    confirm: bool | UnsetType = UNSET
    arguments: dict[str, Any] | UnsetType = UNSET


class _CalledTool(Struct, frozen=True):
    name: str
    arguments: dict[str, Any] = {}


_message_decoder = msgspec.json.Decoder(dict[str, Any])


def find_tools(tools: ToolList, allowed: list[str], arguments: Mapping[str, Any]) -> list[FoundTool]:
    """Return the caller's tools that match, best first.

    The first has its arguments. Without a query, all are returned without arguments.
    """
    operations = {name: tools.operations[name] for name in allowed}
    if (tool := arguments.get("tool")) in operations:
        names = [str(tool)]
    elif wanted := str(arguments.get("query") or tool or ""):
        names = near_names(wanted, operations.items(), MAX_FOUND_TOOLS)
    else:
        return [_found(tools, name, described=False) for name in allowed]
    return [_found(tools, name, described=place == 0) for place, name in enumerate(names)]


def _found(tools: ToolList, name: str, *, described: bool) -> FoundTool:
    operation = tools.operations[name]
    return FoundTool(
        name,
        operation.summary,
        operation.effect.value,
        confirm=True if operation.confirm and operation.effect is Effect.WRITE else UNSET,
        arguments=tools.tool(next(tools.listed([name]))).input_schema if described else UNSET,
    )


def direct_call(body: bytes) -> bytes | None:
    """Return the message of `call_tool` as a direct call; None for any other message."""
    if CALL_TOOL.encode() not in body:
        return None
    try:
        message = _message_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict) or params.get("name") != CALL_TOOL:
        return None
    try:
        called = msgspec.convert(params.get("arguments"), _CalledTool)
    except msgspec.ValidationError:
        return None
    return codec.encode_json({**message, "params": {**params, "name": called.name, "arguments": called.arguments}})


def direct_headers(headers: list[tuple[bytes, bytes]], body: bytes) -> list[tuple[bytes, bytes]]:
    """Return the headers of a direct call, whose length and name differ."""
    name = str(_message_decoder.decode(body)["params"]["name"]).encode("latin-1", "replace")
    changed = {b"content-length": str(len(body)).encode(), NAME_HEADER: name}
    return [(header, changed.get(header, value)) for header, value in headers]
