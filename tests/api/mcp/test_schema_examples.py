"""Argument examples: contracts provide them, and lists include the useful ones."""

from collections.abc import Iterator
from typing import Any

from haulier.api.mcp.compact_schema import compact_input_schema
from haulier.api.mcp.tools import tool_bindings, tool_input_schema
from haulier.app import registry
from haulier.kernel.operations.enums import McpServer

SHOWS_ITS_VALUES = {"const", "default", "enum", "examples", "format"}


def texts(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every argument that is a text, at any depth, with its path."""
    for name, part in (schema.get("properties", {}) | schema.get("$defs", {})).items():
        if part.get("type") == "string":
            yield f"{path}.{name}", part
        yield from texts(part, f"{path}.{name}")
        yield from texts(part.get("items", {}), f"{path}.{name}")


def test_every_text_argument_of_every_tool_has_an_example_or_format() -> None:
    faults = [
        path
        for server in McpServer
        for tool, operation in tool_bindings(registry(), server)
        for path, part in texts(tool_input_schema(operation, server), tool.name)
        if not part.keys() & SHOWS_ITS_VALUES
    ]
    assert faults == []


def test_an_example_is_shown_where_nothing_else_describes_the_value() -> None:
    name = {"type": "string", "examples": ["Ada"]}
    needless: list[dict[str, Any]] = [
        {"type": "string", "default": "standard", "examples": ["standard"]},
        {"type": "string", "enum": ["D", "P"], "examples": ["D"]},
        {"type": "string", "format": "date", "examples": ["2026-06-11"]},
        {"type": "boolean", "examples": [True]},
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "examples": [17], "default": None},
    ]
    told = compact_input_schema({"properties": {"name": name} | {str(n): part for n, part in enumerate(needless)}})
    assert told["properties"].pop("name") == name
    assert [part for part in told["properties"].values() if "examples" in part] == []
