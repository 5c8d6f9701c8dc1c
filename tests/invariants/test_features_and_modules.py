"""Disabled modules and features are refused at every interface with their status.

Modules return 403 or 503; opt-in features return 409.
"""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.api.graphql.graphql_client import GraphQLClient
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.kernel_app import BUSINESS, CALLERS, make_app

from haulier.api.rest.app import RestApp
from haulier.app import registry
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Operation, Rest, reads
from haulier.kernel.operations.enums import ALL_SCOPES, Account, Feature, Module
from haulier.kernel.operations.errors import list_error_types
from haulier.kernel.operations.registry import Registry
from haulier.kernel.principal import Business, Principal

OFF: dict[str, Any] = {"result": False, "feature_enabled": False}
"""To the letter, the body of an opt-in family that is off."""
STATUSES = {problem.code: problem.status for problem in list_error_types()}
"""A tool's result has no status of its own; its code stands for one."""
BARE = Business(id=1, code="bare", time_zone="UTC", currency="EUR")


def needs(feature: Feature | None = None, module: Module | None = None) -> Operation[Any, Any]:
    """Return an operation of a feature or module, with all three interfaces."""
    name = f"needs_{feature or module}"

    @reads(
        name,
        audience={Account.CLIENT_ADMIN},
        feature=feature,
        module=module,
        interfaces=(Rest("GET", f"/v1/{name}"), GraphQL(name), Mcp(name)),
    )
    async def needing(call: Call, request: EmptyRequest) -> Done:
        """Answer if the feature or module is enabled."""
        return Done(message="on")

    return needing


FAMILIES = [needs(feature=feature) for feature in Feature]
MODULES = [needs(module=module) for module in Module]


@pytest.fixture
def application(database: Database, monkeypatch: pytest.MonkeyPatch) -> Application:
    """Build an application with the callers `bare` (no features) and `whole` (all)."""
    everything = Business(
        id=1, code="all", time_zone="UTC", currency="EUR", modules=frozenset(Module), features=frozenset(Feature)
    )
    for name, business in (("bare", BARE), ("whole", everything)):
        caller = Principal(Account.CLIENT_ADMIN, user_id=1, name=name, business=business, scopes=ALL_SCOPES)
        monkeypatch.setitem(CALLERS, name, caller)
    application = make_app(database)
    application.registry = Registry([*FAMILIES, *MODULES])
    return application


class Asked:
    """A client that calls one operation at all three interfaces."""

    def __init__(self, application: Application, servers: McpClient) -> None:
        self._rest = httpx.AsyncClient(transport=httpx.ASGITransport(RestApp(application)), base_url="http://test")
        self._graphql = GraphQLClient(application)
        self._servers = servers

    async def bodies(self, operation: Operation[Any, Any], who: str, **headers: str) -> list[tuple[int, Any]]:
        """Return status and body by interface, without the envelope of the interface."""
        given = {"authorization": f"Bearer {who}", **headers}
        rest = await self._rest.get(f"/v1/{operation.name}", headers=given)
        graphql = await self._graphql.ask(f"{{ {operation.name} {{ message }} }}", who, headers)
        told = graphql.json()
        extensions = told["errors"][0]["extensions"] if "errors" in told else {}
        tool = await self._servers.call(operation.name, {}, who, headers=headers)
        return [
            (rest.status_code, rest.json()),
            (extensions.get("status", 200), extensions),
            (STATUSES[tool["structuredContent"]["code"]] if tool["isError"] else 200, tool["structuredContent"]),
        ]


@pytest.fixture
async def asked(application: Application) -> AsyncIterator[Asked]:
    async with serve_mcp(application) as base, httpx.AsyncClient(timeout=60) as http:
        yield Asked(application, McpClient(base, http))


@pytest.mark.parametrize("operation", FAMILIES, ids=lambda o: o.name)
async def test_a_disabled_opt_in_family_returns_409_with_feature_enabled_false(
    asked: Asked, operation: Operation[Any, Any]
) -> None:
    rest, graphql, tool = await asked.bodies(operation, "bare")
    for status, body in (rest, graphql, tool):
        assert (status, body["feature_enabled"]) == (409, False)
    assert OFF.items() <= rest[1].items()
    assert OFF.items() <= tool[1].items()


@pytest.mark.parametrize("operation", FAMILIES, ids=lambda o: o.name)
async def test_an_opt_in_family_without_tables_is_disabled_for_everyone(
    application: Application, asked: Asked, operation: Operation[Any, Any]
) -> None:
    assert [status for status, _ in await asked.bodies(operation, "whole")] == [200, 200, 200]
    application.modules_missing = frozenset(Feature)
    assert [(s, b["feature_enabled"]) for s, b in await asked.bodies(operation, "whole")] == [(409, False)] * 3


@pytest.mark.parametrize("operation", MODULES, ids=lambda o: o.name)
async def test_a_disabled_module_returns_403_and_one_without_tables_503(
    application: Application, asked: Asked, operation: Operation[Any, Any]
) -> None:
    assert [status for status, _ in await asked.bodies(operation, "whole")] == [200, 200, 200]
    assert [(s, b["code"]) for s, b in await asked.bodies(operation, "bare")] == [(403, "MODULE_NOT_ENABLED")] * 3
    application.modules_missing = frozenset(Module)
    unavailable = [(503, "MODULE_NOT_AVAILABLE")] * 3
    assert [(s, b["code"]) for s, b in await asked.bodies(operation, "whole")] == unavailable


async def test_the_refusal_is_in_the_callers_language(asked: Asked) -> None:
    words = {
        body["message"]
        for language in ("en", "fr", "de", "es", "zh-Hans", "zh-Hant")
        for _, body in [(await asked.bodies(FAMILIES[0], "bare", **{"accept-language": language}))[0]]
    }
    assert len(words) == 6


def test_contractor_assignments_are_the_module_named_by_the_interface() -> None:
    paths = {
        rest.path: operation.module
        for rest, operation in registry().bindings(Rest)
        if rest.path.startswith("/v1/broker-order-assignments")
    }
    assert len(paths) >= 3
    assert set(paths.values()) == {Module.BROKER_ORDER_ASSIGNMENTS}


@pytest.mark.parametrize(
    ("family", "feature"),
    [
        ("order_chat", Feature.ORDER_CHAT),
        ("agent", Feature.OPERATIONS_AI_AGENT),
        ("campaigns", Feature.SMS_MARKETING),
    ],
)
def test_every_operation_of_an_opt_in_family_checks_its_switch(family: str, feature: Feature) -> None:
    forgotten = [o.name for o in registry() if o.family == family and o.feature is not feature and not o.public]
    assert forgotten == []


def test_business_facts_are_disabled_by_default() -> None:
    assert (BARE.modules, BARE.features, BUSINESS.features) == (frozenset(), frozenset(), frozenset())
