"""Minimal MCP server of the SDK: the same tools, and a constant response.

`BENCH_MCP` names a file with recorded responses of Haulier in the same run: `tools`, the list, and `result`, of one
call. The transport settings are the same (stateless, JSON). It does not read data, authenticate or translate.
"""

import json
import os
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response


def app() -> Starlette:
    """Return the server; a factory for uvicorn."""
    heard = json.loads(Path(os.environ["BENCH_MCP"]).read_text())
    listed = types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in heard["tools"]])
    schemas = {tool.name: tool.input_schema for tool in listed.tools}
    document, text = heard["result"]["structuredContent"], heard["result"]["content"][0]["text"]

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(_: Any, __: Any) -> types.CallToolResult:
        content = types.TextContent(type="text", text=text)
        return types.CallToolResult(content=[content], structured_content=document)

    server = Server[Any](
        "minimal", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=schemas.__getitem__
    )
    anywhere = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    made = server.streamable_http_app(stateless_http=True, json_response=True, transport_security=anywhere)
    made.add_route("/healthz", _health)
    return made


async def _health(_: Request) -> Response:
    return Response()
