"""The discovery documents: public, consistent with the registry, and standard."""

import hashlib
import json
import re
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from graphql import build_schema
from tests.support.app import App
from tests.support.descriptions import openapi, with_parameters

from haulier.api.discovery.formats import MAX_DESCRIPTION_CHARACTERS, TOOL_FORMATS, tools_in_format
from haulier.api.mcp.tools import tool_bindings
from haulier.app import registry
from haulier.kernel.operations.declaration import GraphQL, Rest
from haulier.kernel.operations.enums import McpServer

PATHS = (
    "/.well-known/ai-tools.json",
    "/llms.txt",
    "/ai/tools",
    "/ai/tools/openapi",
    "/ai/tools/graphql",
    "/ai/capabilities",
    "/ai-skill",
    "/ai-skill/version",
)
TOOLS = {
    server: {tool.name: operation for tool, operation in tool_bindings(registry(), server)} for server in McpServer
}
BEHIND = {operation for tools in TOOLS.values() for operation in tools.values()}


@pytest.fixture
def app(sqlite_app: App) -> App:
    # The documents are derived from the registry, not from a database.
    return sqlite_app


@pytest.mark.parametrize("path", PATHS)
async def test_a_document_is_public_tagged_and_cached(app: App, path: str) -> None:
    first = await app.http.get(path)
    assert (first.status_code, first.headers["cache-control"]) == (200, "public, max-age=300")
    again = await app.http.get(path, headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert (await app.http.post(path)).status_code == 405


@pytest.mark.parametrize("server", list(McpServer))
@pytest.mark.parametrize("form", TOOL_FORMATS)
async def test_each_format_contains_every_tool_of_the_server(app: App, form: str, server: McpServer) -> None:
    shown = (await app.http.get("/ai/tools", params={"format": form, "server": server.value})).json()["tools"]
    names = [tool.get("function", tool)["name"] for tool in shown]
    assert names == sorted(TOOLS[server])


async def test_the_default_format_is_mcp_and_an_unknown_one_is_reported(app: App) -> None:
    assert "inputSchema" in (await app.http.get("/ai/tools")).json()["tools"][0]
    asked = {"format": "nope", "server": "x"}
    answer = await app.http.get("/ai/tools", params=asked, headers={"Accept-Language": "fr"})
    body = answer.json()
    assert (answer.status_code, body["code"], answer.headers["content-language"]) == (422, "INVALID_REQUEST", "fr")
    assert [fault["field"] for fault in body["errors"]] == ["format", "server"]
    assert "langchain" in body["errors"][0]["message"]


class TestForms:
    @pytest.mark.parametrize("server", list(McpServer))
    def test_a_function_follows_the_vendors_format(self, server: McpServer) -> None:
        for tool in tools_in_format("openai", registry(), server)["tools"]:
            function = tool["function"]
            assert tool["type"] == "function"
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", function["name"])
            assert len(function["description"]) <= MAX_DESCRIPTION_CHARACTERS
            assert function["parameters"]["type"] == "object"
            assert not {"anyOf", "oneOf", "allOf", "enum", "not"} & function["parameters"].keys()

    @pytest.mark.parametrize("server", list(McpServer))
    def test_a_schema_is_valid_in_every_format(self, server: McpServer) -> None:
        schemas: dict[str, Any] = {"anthropic": "input_schema", "mcp": "inputSchema", "langchain": "args_schema"}
        for form, key in schemas.items():
            for tool in tools_in_format(form, registry(), server)["tools"]:
                jsonschema.Draft202012Validator.check_schema(tool[key])

    def test_permissions_are_included_where_the_format_has_no_field_for_them(self) -> None:
        (cancel,) = [
            one
            for one in tools_in_format("anthropic", registry(), McpServer.USER)["tools"]
            if one["name"] == "cancel_order"
        ]
        assert cancel["description"].endswith("Risk high. Scopes: orders:write. Needs confirm=true.")
        (same,) = [
            one
            for one in tools_in_format("langchain", registry(), McpServer.USER)["tools"]
            if one["name"] == "cancel_order"
        ]
        expected = {"effect": "write", "risk": "high", "scopes": ["orders:write"], "confirm": True, "public": False}
        assert (same["metadata"], same["args_schema"]["title"]) == (expected, "cancel_order")


class TestDescriptions:
    async def test_the_openapi_of_the_tools_contains_exactly_the_tools(self, app: App) -> None:
        description = (await app.http.get("/ai/tools/openapi")).json()
        whole, paths = json.loads(json.dumps(with_parameters(openapi()))), with_parameters(description)
        assert {path: {method: whole[path][method] for method in entries} for path, entries in paths.items()} == paths
        schemas = description["components"]["schemas"]
        assert [name for name, schema in schemas.items() if not jsonschema_rs.meta.is_valid(schema)] == []
        named = set(re.findall(r'"#/components/([^"]+)"', json.dumps(description)))
        assert named <= {f"{kind}/{name}" for kind, parts in description["components"].items() for name in parts}
        told = {(method.upper(), path) for path, entries in description["paths"].items() for method in entries}
        assert told == {
            (interface.method, interface.path)
            for one in BEHIND
            for interface in one.interfaces
            if isinstance(interface, Rest)
        }

    async def test_the_graphql_of_the_tools_is_a_schema_of_exactly_the_tools(self, app: App) -> None:
        schema = build_schema((await app.http.get("/ai/tools/graphql")).text)
        assert schema.query_type
        assert schema.mutation_type
        told = {*schema.query_type.fields, *schema.mutation_type.fields}
        assert told == {
            interface.name for one in BEHIND for interface in one.interfaces if isinstance(interface, GraphQL)
        }

    async def test_capabilities_contain_only_categories_and_names(self, app: App) -> None:
        document = (await app.http.get("/ai/capabilities")).json()
        names = [name for category in document["categories"].values() for name in category]
        assert sorted(names) == sorted(TOOLS[McpServer.USER])
        assert document["categories"] == document["servers"]["user"]

    async def test_every_listed_url_resolves(self, app: App) -> None:
        document = (await app.http.get("/.well-known/ai-tools.json")).json()
        links = [link for link in document["documents"].values() if isinstance(link, str)]
        links += document["documents"]["tools"].values()
        text = (await app.http.get("/llms.txt")).text
        links += [link for link in re.findall(r"\]\((http[^)]+)\)", text) if "/mcp" not in link]
        assert len(links) > 15
        for link in set(links):
            assert (await app.http.get(link)).status_code == 200, link

    async def test_operation_counts_match_each_interface(self, app: App) -> None:
        text = (await app.http.get("/llms.txt")).text
        interfaces = [
            {operation.name for _, operation in registry().bindings(interface)} for interface in (Rest, GraphQL)
        ]
        tools = [{operation.name for operation in TOOLS[server].values()} for server in McpServer]
        told = [int(number) for number in re.findall(r"\d+", text.partition("with one bearer token")[0])]
        assert told == [len(registry()), *map(len, interfaces), *map(len, tools)]

    async def test_the_listed_servers_are_running(self, app: App) -> None:
        document = (await app.http.get("/.well-known/ai-tools.json")).json()
        for server in document["servers"]:
            role = McpServer(server["name"].removeprefix("haulier-"))
            assert server["tools"] == len(TOOLS[role])
            assert server["public_tools"] == sorted(name for name, one in TOOLS[role].items() if one.public)


class TestSkill:
    async def test_the_version_includes_its_hash_and_location(self, app: App) -> None:
        version = (await app.http.get("/ai-skill/version")).json()
        assert version.keys() == {"version", "hash", "download_url"}
        file = await app.http.get(version["download_url"])
        assert file.headers["content-type"].startswith("text/markdown")
        assert version["hash"] == hashlib.md5(file.content).hexdigest()

    async def test_the_tool_reports_an_outdated_skill(self, app: App) -> None:
        version = (await app.http.get("/ai-skill/version")).json()
        for current, changed in ((version["hash"].upper(), False), ("0" * 32, True), (None, True)):
            asked = {"current_hash": current} if current else {}
            answer = await app.answer(None, "check_skill_update", asked)
            assert (answer.update_available, answer.hash) == (changed, version["hash"])
            assert answer.download_url == version["download_url"]

    async def test_the_skill_names_every_tool_and_has_a_valid_header(self, app: App) -> None:
        text = (await app.http.get("/ai-skill")).text
        assert re.match(r"---\nname: haulier\ndescription: .+\nversion: .+\n---\n", text)
        for tools in TOOLS.values():
            assert [name for name in tools if f"`{name}`" not in text] == []
