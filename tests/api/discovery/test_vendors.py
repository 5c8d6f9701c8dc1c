"""Each tool format matches the types of the vendor's own package."""

from typing import Any

import mcp_types
import pytest
from pydantic import ConfigDict, TypeAdapter, with_config

from haulier.api.discovery.formats import tools_in_format
from haulier.api.mcp.tools import tool_bindings
from haulier.app import registry
from haulier.kernel.operations.enums import McpServer

SERVERS = pytest.mark.parametrize("server", list(McpServer))


def tools(form: str, server: McpServer) -> list[Any]:
    found = tools_in_format(form, registry(), server)["tools"]
    assert len(found) == len(list(tool_bindings(registry(), server)))
    return found


def strictly(kind: Any) -> TypeAdapter[Any]:
    """A vendor's typed dictionary, in which nothing may stand that it does not know."""
    return TypeAdapter(with_config(ConfigDict(extra="forbid"))(kind))


@SERVERS
def test_the_protocols_own_types_accept_the_format(server: McpServer) -> None:
    for tool in tools("mcp", server):
        read = mcp_types.Tool.model_validate(tool)
        assert read.model_dump(by_alias=True, mode="json", exclude_none=True) == tool


@SERVERS
def test_the_openai_package_accepts_the_format(server: McpServer) -> None:
    chat = pytest.importorskip("openai.types.chat", reason="the package openai is not installed")
    check = strictly(chat.ChatCompletionFunctionToolParam)
    for tool in tools("openai", server):
        assert check.validate_python(tool)


@SERVERS
def test_the_anthropic_package_accepts_the_format(server: McpServer) -> None:
    types = pytest.importorskip("anthropic.types", reason="the package anthropic is not installed")
    check = TypeAdapter(types.ToolParam)
    for tool in tools("anthropic", server):
        assert check.validate_python(tool)


@SERVERS
def test_langchain_builds_a_tool_from_each_with_the_same_schema(server: McpServer) -> None:
    langchain = pytest.importorskip("langchain_core.tools", reason="the package langchain-core is not installed")
    calling = pytest.importorskip("langchain_core.utils.function_calling")
    for tool in tools("langchain", server):
        made = langchain.StructuredTool(**tool, func=print)
        given = calling.convert_to_openai_tool(made)["function"]
        assert (given["name"], given["description"]) == (tool["name"], tool["description"])
        assert given["parameters"]["properties"].keys() == tool["args_schema"].get("properties", {}).keys()
