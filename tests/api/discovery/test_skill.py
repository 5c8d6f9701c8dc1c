"""The skill file is a guide with working examples, run as written."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App

BLOCK = re.compile(r"^```json ?(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
Example = tuple[dict[str, str], dict[str, Any], Any]


@pytest.fixture
async def servers(app: App) -> AsyncIterator[McpClient]:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        yield McpClient(base, http)


def examples(text: str) -> list[Example]:
    """Each call with its headers, and what is said to come of it."""
    blocks = [(said, json.loads(body)) for said, body in BLOCK.findall(text)]
    calls, answers = blocks[::2], blocks[1::2]
    assert [said for said, _ in answers if said] == []
    headers = [dict([said.split(": ")]) if said else {} for said, _ in calls]
    return [(head, call, answer) for head, (_, call), (_, answer) in zip(headers, calls, answers, strict=True)]


def holds(told: Any, said: Any) -> bool:
    """Return True if a response contains the given fields, and lists match completely."""
    if isinstance(said, dict):
        return isinstance(told, dict) and all(name in told and holds(told[name], part) for name, part in said.items())
    if isinstance(said, list):
        return isinstance(told, list) and len(told) == len(said) and all(map(holds, told, said))
    return told == said


def test_a_differing_response_is_detected() -> None:
    assert holds({"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 1}]})
    assert not any(holds({"a": [{"b": 1}]}, said) for said in ({"a": [{"b": 2}]}, {"a": []}, {"c": 1}, [], 1))


async def test_every_example_returns_the_documented_response(app: App, servers: McpClient) -> None:
    found = examples((await app.http.get("/ai-skill")).text)
    assert {call["name"] for _, call, _ in found} >= {"create_order", "find_order", "cancel_order", "propose_write"}
    assert {"X-MCP-Dry-Run": "1"} in [headers for headers, *_ in found]
    for headers, call, said in found:
        result = await servers.call(call["name"], call["arguments"], app.tokens["admin"], headers=headers)
        assert holds(result["structuredContent"], said), (call, result["structuredContent"])
        assert result["isError"] == ("code" in said)


async def test_the_documentation_of_headers_and_profiles_is_correct(app: App, servers: McpClient) -> None:
    text = (await app.http.get("/ai-skill")).text
    (profiles,) = re.findall(r"limits the connection to a profile: (.+?) \|", text)
    for profile in profiles.split(", "):
        answer = await servers.post("tools/list", None, app.tokens["admin"], headers={"x-mcp-profile": profile})
        assert "result" in answer.json(), profile
    for address in re.findall(r"`(http://test/\S+)`", text):
        assert (await app.http.get(address)).status_code != 404, address
