"""The operation registry as shown to a caller."""

import re
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
from msgspec import UNSET
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.api.mcp.tools import tool_bindings
from haulier.app import registry
from haulier.contexts.integrations.developer_portal.serializers import (
    GUIDE_AREAS,
    IN_SOURCES,
    PACKAGED,
    how_to_guides,
)
from haulier.kernel.operations.declaration import GraphQL, Rest
from haulier.kernel.operations.enums import McpServer

USER = {tool.name: operation for tool, operation in tool_bindings(registry(), McpServer.USER)}


def code(outcome: Any) -> tuple[int, str | None]:
    return outcome.status, outcome.error and outcome.error["code"]


class TestCapabilities:
    async def test_every_tool_is_listed_with_its_arguments(self, app: App) -> None:
        told = await app.answer("admin", "get_capabilities")
        assert [one.name for one in told.capabilities] == sorted(USER)
        hold = next(one for one in told.capabilities if one.name == "hold_order")
        facts = (hold.category, hold.effect, hold.risk, hold.scopes, hold.confirm, hold.allowed)
        assert facts == ("orders", "write", "high", ["orders:write"], True, True)
        assert sum(told.categories.values()) == len(told.capabilities)

    @for_every(
        ("who", "tool", "reason"),
        [
            (None, "get_orders", "UNAUTHENTICATED"),
            ("customer", "hold_order", "ACCOUNT_NOT_ALLOWED"),
            ("narrow", "hold_order", "SCOPE_MISSING"),
        ],
    )
    async def test_unavailable_tools_are_listed_with_the_reason(
        self, app: App, who: str | None, tool: str, reason: str
    ) -> None:
        issued = await app.answer("admin", "issue_api_token", {"name": "narrow", "scopes": ["orders:read"]})
        app.tokens["narrow"] = issued.access_token
        told = await app.answer(who, "get_capabilities", accept_language="de")
        one = next(one for one in told.capabilities if one.name == tool)
        assert (one.allowed, one.code) == (False, reason)
        params = {
            "scopes": "orders:write",
            "account": "Kunden",
            "audience": "Administratoren, Mitarbeitern",
        }
        assert one.reason == app.application.catalogues.translate("de", reason.lower(), **params)

    async def test_the_available_tools_match_the_mcp_server(self, app: App) -> None:
        told = await app.answer("customer", "get_capabilities", {"allowed": True})
        assert {one.name for one in told.capabilities} < set(USER)
        denied = await app.answer("customer", "get_capabilities", {"allowed": False})
        assert {one.name for one in told.capabilities} | {one.name for one in denied.capabilities} == set(USER)


class TestEndpoints:
    async def test_every_binding_is_listed_once_by_path(self, app: App) -> None:
        found: list[Any] = []
        answer = await app.answer(None, "get_api_endpoints", {"page": 1, "per_page": 20})
        for page in range(1, 100):
            answer = await app.answer(None, "get_api_endpoints", {"page": page, "per_page": 20})
            found += answer.endpoints
            if not answer.endpoints:
                break
        assert [(one.path, one.method) for one in found] == sorted(
            (f"/api{rest.path}", rest.method) for rest, _ in registry().bindings(Rest)
        )
        assert answer.total == len(found)

    async def test_filters_and_schemas_are_supported(self, app: App) -> None:
        asked = {"search": "hold", "method": "POST", "category": "orders", "schemas": True}
        many, hold = (await app.answer(None, "get_api_endpoints", asked)).endpoints
        assert (hold.operation, many.operation) == ("hold_order", "hold_orders")
        assert "order_id" in hold.schema["properties"]


class TestGraphql:
    async def test_every_field_is_listed_as_in_the_schema(self, app: App) -> None:
        answer = await app.answer(None, "get_graphql_operations", {"per_page": 200})
        assert [one.name for one in answer.operations] == sorted(door.name for door, _ in registry().bindings(GraphQL))[
            :200
        ]
        order = (await app.answer(None, "get_graphql_operations", {"search": "get_order_detail"})).operations[0]
        assert (order.kind, order.signature) == ("query", "order(order_id: Long!): OrderAnswer")

    async def test_a_query_runs_with_the_callers_permissions(self, app: App) -> None:
        answer = await app.answer("employee", "run_graphql_query", {"query": "{ whoAmI { user { account } } }"})
        assert answer.data == {"whoAmI": {"user": {"account": "employee"}}}
        issued = await app.answer("admin", "issue_api_token", {"name": "narrow", "scopes": ["routes:read"]})
        app.tokens["narrow"] = issued.access_token
        both = {"query": "{ whoAmI { scopes } orders { total } }"}
        partly = await app.answer("narrow", "run_graphql_query", both)
        assert partly.data == {"whoAmI": {"scopes": ["routes:read"]}, "orders": None}
        assert partly.errors[0]["extensions"]["code"] == "SCOPE_MISSING"

    async def test_variables_and_operation_names_are_supported(self, app: App) -> None:
        query = "query A($n: Int) { orders(per_page: $n) { per_page } } query B { whoAmI { user { account } } }"
        asked = {"query": query, "variables": {"n": 7}, "operation_name": "A"}
        assert (await app.answer("admin", "run_graphql_query", asked)).data == {"orders": {"per_page": 7}}
        assert code(await app.call("admin", "run_graphql_query", {"query": query})) == (400, "GRAPHQL_INVALID")

    async def test_a_mutation_is_refused_and_not_executed(self, app: App) -> None:
        asked = {"query": 'mutation { addReturnReason(code: "x", texts: {en: "X"}) { result } }'}
        assert code(await app.call("admin", "run_graphql_query", asked)) == (422, "ONLY_QUERIES")
        assert (await app.answer("admin", "list_return_reasons")).reasons == []

    @for_every("query", ["{", "{ nothing }", "{ a: orders { total } " * 3])
    async def test_an_invalid_document_is_refused(self, app: App, query: str) -> None:
        assert code(await app.call("admin", "run_graphql_query", {"query": query})) == (400, "GRAPHQL_INVALID")

    async def test_running_a_query_requires_a_token(self, app: App) -> None:
        assert code(await app.call(None, "run_graphql_query", {"query": "{ whoAmI { user { account } } }"}))[0] == 401


class TestDescribedOperations:
    async def test_an_operation_without_a_tool_is_described_with_its_arguments(self, app: App) -> None:
        told = (await app.answer("admin", "describe_operation", {"name": "merge_routes"})).operation
        assert (told.tool, told.effect, told.scopes, told.allowed) == (None, "write", ["routes:write"], True)
        assert "route_id" in told.arguments_schema["properties"]

    async def test_the_response_schema_is_returned_on_request(self, app: App) -> None:
        asked = {"name": "get_order_detail"}
        assert (await app.answer("admin", "describe_operation", asked)).operation.answer_schema is UNSET
        told = (await app.answer("admin", "describe_operation", {**asked, "answer": True})).operation
        assert "order" in told.answer_schema["properties"]

    async def test_every_operation_can_be_described(self, sqlite_app: App) -> None:
        # One database: the content comes from the registry.
        for operation in registry():
            told = (
                await sqlite_app.answer("admin", "describe_operation", {"name": operation.name, "answer": True})
            ).operation
            schemas = told.arguments_schema, told.answer_schema
            assert all(map(jsonschema_rs.Draft202012Validator, schemas)), operation.name  # raises for what is no schema

    async def test_an_unknown_name_is_refused_with_suggestions(self, app: App) -> None:
        nearest = {
            "commit_build": "commit_route_build",
            "reassign_driver": "assign_route_driver",
            "unplan": "remove_orders_from_route",
            "take_orders_off_route": "remove_orders_from_route",
            "holdOrder": "hold_order",
        }
        for name, expected in nearest.items():
            outcome = await app.call("admin", "describe_operation", {"name": name})
            assert code(outcome) == (404, "UNKNOWN_OPERATION")
            assert expected in (outcome.error or {})["message"], name

    async def test_proposing_an_unknown_operation_is_refused_with_suggestions(self, app: App) -> None:
        outcome = await app.call("admin", "propose_write", {"tool": "reassign_route"})
        assert "assign_route_driver" in (outcome.error or {})["message"]


async def test_capabilities_include_the_current_time_in_the_business_time_zone(app: App) -> None:
    told = await app.answer("admin", "get_capabilities")
    assert (told.time_zone, told.now) == ("America/Toronto", app.clock.now)
    assert told.now.utcoffset() == timedelta(hours=-4)
    assert {"X-MCP-Profile", "X-MCP-Scopes", "X-MCP-Require-Approval"} <= told.headers.keys()


async def test_guides_can_be_searched_paged_and_read(app: App) -> None:
    found = (await app.rest(None, "GET", "/v1/developer/guides?search=LOCKER")).json()
    names = [each["name"] for each in found["guides"]]
    assert {"locker-shop", "lockers"} <= {*names} < how_to_guides().keys()
    second = (await app.rest(None, "GET", "/v1/developer/guides?per_page=1&page=2&search=locker")).json()
    assert ([each["name"] for each in second["guides"]], second["total"]) == (names[1:2], len(names))
    guide = (await app.rest(None, "GET", "/v1/developer/guides/lockers")).json()
    assert guide["text"].startswith("# Run parcel lockers\n")
    missing = await app.rest(None, "GET", "/v1/developer/guides/nothing")
    assert (missing.status_code, missing.json()["errors"][0]["field"]) == (404, "guide")


def test_the_package_includes_the_guides() -> None:
    root = Path(__file__).parents[3]
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {f"docs/{area}": f"haulier/{PACKAGED}/{area}" for area in GUIDE_AREAS}
    for name, line in (("Dockerfile", f"COPY {IN_SOURCES} ./{IN_SOURCES}"), (".dockerignore", f"!{IN_SOURCES}")):
        assert line in (root / name).read_text().splitlines()


def test_guides_link_to_each_other_only_by_name() -> None:
    guides = how_to_guides()
    links = {link for guide in guides.values() for link in re.findall(r"\]\(([\w-]+)\.md[)#]", guide.text)}
    assert len(links) > 20
    assert sorted(links - guides.keys()) == []
    paths = [path for area in GUIDE_AREAS for path in (Path(__file__).parents[3] / IN_SOURCES / area).glob("*.md")]
    assert len(paths) == len(guides)
