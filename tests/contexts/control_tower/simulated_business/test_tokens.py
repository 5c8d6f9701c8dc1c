"""Test tokens: one test business per client, with the rights of the live user."""

import asyncio

from sqlalchemy import func, select
from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.support.app import App

from haulier.contexts.identity.accounts.store.tables import clients, users

PLACE = {"name": "A", "address": "1 Main", "city": "Toronto", "country": "CA"}


async def test_a_test_token_has_its_own_prefix_and_business(app: App) -> None:
    who = await open_test_mode(app)
    assert app.tokens[who].startswith("hltest_")
    facts = (await app.answer(who, "get_client")).client
    live = (await app.answer("admin", "get_client")).client
    assert (facts.test, facts.code, facts.currency) == (True, f"demo-test-{app.clients['demo']}", "CAD")
    assert (live.test, live.code) == (False, "demo")


async def test_parallel_first_tokens_create_one_test_business_and_one_test_user(app: App) -> None:
    asked = [open_test_mode(app, name=f"test {number}") for number in range(5)]
    names = await asyncio.gather(*asked)
    codes = {(await app.answer(name, "get_client")).client.code for name in names}
    assert len(codes) == 1
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("every client is counted")
        assert await work.value(select(func.count()).select_from(clients)) == len(app.clients) + 1
        acting = (
            select(func.count())
            .select_from(users)
            .where(users.c.email == f"test-user-{app.ids['admin']}@no-email.invalid")
        )
        assert await work.value(acting) == 1


async def test_a_token_of_a_test_token_is_a_test_token(app: App) -> None:
    who = await open_test_mode(app)
    child = await app.answer(who, "issue_api_token", {"name": "child"})
    assert child.access_token.startswith("hltest_")
    rotated = await app.answer(who, "rotate_api_token", {"token_id": child.id})
    assert rotated.access_token.startswith("hltest_")


async def test_a_test_token_has_no_more_scopes_than_its_issuer(app: App) -> None:
    weak = await app.answer("admin", "issue_api_token", {"name": "weak", "scopes": ["account:write", "orders:read"]})
    app.tokens["weak"] = weak.access_token
    who = await open_test_mode(app, "weak", profile=None, scopes=["orders:read"])
    assert (await app.answer(who, "get_orders")).total == 0
    refused = await app.call(who, "create_order", {"consignee": PLACE})
    assert refused.error
    assert refused.error["code"] == "SCOPE_MISSING"


async def test_a_revoked_live_token_ends_its_test_tokens(app: App) -> None:
    parent = await app.answer("admin", "issue_api_token", {"name": "parent", "profile": "full"})
    app.tokens["parent"] = parent.access_token
    who = await open_test_mode(app, "parent")
    await app.answer("admin", "revoke_api_token", {"token_id": parent.id})
    assert (await app.call(who, "get_client")).status == 401


async def test_a_disabled_user_loses_test_mode_and_a_suspended_client_too(app: App) -> None:
    from haulier.contexts.identity import public as access

    of_employee = await open_test_mode(app, "employee", "of employee")
    of_admin = await open_test_mode(app)
    await app.answer("admin", "disable_user", {"user_id": app.ids["employee"]})
    assert (await app.call(of_employee, "get_client")).status == 401
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("the operator suspends a client")
        await access.set_client_suspended(work, app.clients["demo"], suspended=True, now=app.clock.now)
    refused = await app.call(of_admin, "get_client")
    assert refused.error
    assert refused.error["code"] == "CLIENT_SUSPENDED"


async def test_a_user_with_fewer_rights_has_them_in_test_mode_too(app: App) -> None:
    who = await open_test_mode(app, "employee")
    await app.answer("admin", "set_permissions", {"user_id": app.ids["employee"], "scopes": ["orders:read"]})
    refused = await app.call(who, "create_order", {"consignee": PLACE})
    assert refused.error
    assert refused.error["code"] == "SCOPE_MISSING"


async def test_accounts_in_test_mode_cannot_take_real_addresses(app: App) -> None:
    who = await open_test_mode(app)
    refused = await app.call(who, "create_user", {"name": "B", "email": "b@shop.ca", "account": "driver"})
    assert refused.error
    assert [each["field"] for each in refused.error["errors"]] == ["email"]
    created = await app.answer(who, "create_user", {"name": "B", "email": "b@example.com", "account": "driver"})
    refused = await app.call(who, "update_user", {"user_id": created.user.id, "email": "b@shop.ca"})
    assert refused.error
    assert [each["field"] for each in refused.error["errors"]] == ["email"]


async def test_a_session_of_test_mode_ends_with_the_live_session(app: App) -> None:
    live = await app.sign_in("admin")
    app.tokens["in test"] = (await app.answer(live, "open_test_session")).access_token
    assert (await app.answer("in test", "get_client")).client.test
    await app.answer(live, "logout")
    assert (await app.call("in test", "get_client")).status == 401
    live = await app.sign_in("admin")
    app.tokens["in test"] = (await app.answer(live, "open_test_session")).access_token
    await app.answer("admin", "end_user_sessions", {"user_id": app.ids["admin"]})
    assert (await app.call("in test", "get_client")).status == 401
