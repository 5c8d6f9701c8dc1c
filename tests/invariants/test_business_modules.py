"""Disabled modules refuse calls, and no menu or list of tools shows them."""

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App
from tests.support.transport import status_and_code

from haulier.app import registry
from haulier.kernel.operations.enums import PART_OF, PRODUCT_MODULES, Account, Module
from haulier.modules import ALL_MODULES, module_of
from haulier.web.desk.places import may_use
from haulier.web.session import WebSession

REFUSED = (403, "MODULE_NOT_ENABLED")


def _operations(module: Module) -> list[str]:
    """Return the operations of a module that an admin may call."""
    audience = Account.CLIENT_ADMIN
    return [each.name for each in registry() if each.product_module is module and audience in each.audience]


async def _switch(app: App, module: Module, *, enabled: bool, who: str = "admin") -> None:
    await app.answer(who, "set_module", {"module": module, "enabled": enabled})


def test_every_package_of_a_module_names_it() -> None:
    assert {module.value for module in PRODUCT_MODULES} == ALL_MODULES
    owners = {each.name: (each.product_module, module_of(each.handler.__module__)) for each in registry()}
    assert {name: pair for name, pair in owners.items() if pair[0] != pair[1]} == {}


@pytest.mark.parametrize("module", sorted(PRODUCT_MODULES))
async def test_a_disabled_module_refuses_calls_and_works_again_when_enabled(sqlite_app: App, module: Module) -> None:
    operations = _operations(module)[:20]
    await _switch(sqlite_app, module, enabled=False)
    assert {status_and_code(await sqlite_app.call("admin", name)) for name in operations} == {REFUSED}
    for name in operations:
        assert status_and_code(await sqlite_app.call("rival", name)) != REFUSED
    await _switch(sqlite_app, module, enabled=True)
    for name in operations:
        assert status_and_code(await sqlite_app.call("admin", name)) != REFUSED


async def test_the_profile_names_the_enabled_modules(app: App) -> None:
    await _switch(app, Module.LOCKERS, enabled=False)
    modules = (await app.answer("admin", "get_client")).client.modules
    assert set(modules) == {module.value for module in Module} - {"lockers", "locker_commerce"}


@pytest.mark.parametrize(("part", "module"), PART_OF.items())
async def test_a_module_that_extends_another_is_enabled_with_it(app: App, part: Module, module: Module) -> None:
    await _switch(app, module, enabled=False)
    assert part.value not in (await app.answer("admin", "get_client")).client.modules
    await _switch(app, part, enabled=True)
    assert {part.value, module.value} <= set((await app.answer("admin", "get_client")).client.modules)


async def test_the_core_does_not_depend_on_modules(app: App) -> None:
    for module in PRODUCT_MODULES:
        await _switch(app, module, enabled=False)
    for name in ("get_orders", "get_routes", "get_drivers", "list_depots", "list_invoices", "get_client"):
        assert (await app.call("admin", name)).error is None


async def test_records_of_a_disabled_module_are_kept(app: App) -> None:
    await app.answer("admin", "create_warehouse", {"code": "W1", "name": "Main"})
    await _switch(app, Module.WAREHOUSE, enabled=False)
    await _switch(app, Module.WAREHOUSE, enabled=True)
    assert [each.code for each in (await app.answer("admin", "get_warehouses")).warehouses] == ["W1"]


def test_the_desk_offers_nothing_from_a_disabled_module() -> None:
    session = WebSession(
        token="t",
        user_id=1,
        client_id=1,
        csrf="c",
        name="Ada",
        account=Account.CLIENT_ADMIN,
        scopes=frozenset(),
        modules=frozenset(Module) - {Module.LOCKERS},
    )
    assert [each.name for each in registry() if each.product_module is Module.LOCKERS and may_use(session, each)] == []


async def test_tools_of_a_disabled_module_are_not_listed(app: App) -> None:
    async def tools() -> set[str]:
        async with serve_mcp(app.application) as base, httpx.AsyncClient() as http:
            return set(await McpClient(base, http).names(app.tokens["admin"]))

    before = await tools()
    await _switch(app, Module.WAREHOUSE, enabled=False)
    assert before - await tools()
