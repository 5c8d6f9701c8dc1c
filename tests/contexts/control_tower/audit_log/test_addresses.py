"""Client addresses in the audit trail."""

from typing import Any

import pytest
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, offer_customer_app
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App

from haulier.contexts.customer_apps.app_sessions.rules import REPLACED_TOKEN_LEEWAY

BROWSER = {"User-Agent": "Mozilla/5.0 (a browser)"}
HERE, ELSEWHERE = "203.0.113.7", "2001:db8::7"


async def entries(app: App, **filters: Any) -> list[Any]:
    return (await app.answer("admin", "list_audit_entries", filters)).entries


async def test_known_ip_addresses_and_user_agents_are_recorded(app: App) -> None:
    answered = await app.rest("admin", "PATCH", "/v1/user/me", {"name": "A"}, headers=BROWSER)
    assert answered.status_code == 200
    (entry,) = await entries(app)
    assert (entry.address, entry.agent) == ("127.0.0.1", "Mozilla/5.0 (a browser)")


async def test_every_interface_records_the_address(app: App) -> None:
    said = {"authorization": f"Bearer {app.tokens['admin']}", **BROWSER}
    body = {"query": 'mutation { updateMe(name: "B") { name } }'}
    assert (await app.http.post("/graphql", json=body, headers=said)).status_code == 200
    (entry,) = await entries(app, door="graphql")
    assert (entry.address, entry.agent) == ("127.0.0.1", BROWSER["User-Agent"])


async def test_a_sign_in_records_its_origin(app: App) -> None:
    ben = {"name": "Ben", "email": "ben@demo.example", "account": "driver", "password": "correct horse battery"}
    await app.answer("admin", "create_user", ben)
    body = {"email": ben["email"], "password": ben["password"]}
    await app.answer(None, "login", body, address=HERE, agent="app 1")
    (entry,) = await entries(app, operation="login")
    assert (entry.address, entry.agent) == (HERE, "app 1")


async def test_entries_are_filtered_by_address(app: App) -> None:
    for address in (HERE, ELSEWHERE):
        await app.answer("admin", "update_me", {"name": address}, address=address)
    assert [entry.request["name"] for entry in await entries(app, address=ELSEWHERE)] == [ELSEWHERE]
    assert await entries(app, address="203.0.113.8") == []


async def test_actions_of_the_system_have_no_address(app: App) -> None:
    await app.answer("admin", "update_me", {"name": "A"})
    (entry,) = await entries(app)
    assert (entry.address, entry.agent) == (None, None)


@pytest.mark.parametrize("agent", ["x" * 5000, "a\0b", "é" * 400])
async def test_any_user_agent_is_stored_safely(app: App, agent: str) -> None:
    await app.answer("admin", "update_me", {"name": "A"}, agent=agent)
    (entry,) = await entries(app)
    assert len(entry.agent) <= 300
    assert "\0" not in entry.agent


async def test_replaying_a_replaced_token_is_recorded(app: App) -> None:
    await offer_customer_app(app)
    cleo = {"name": "Cleo", "email": "cleo@demo.example", "account": "customer", "password": "correct horse battery"}
    await app.answer("admin", "create_user", cleo)
    asked = {**CLIENT_APP, **DEVICE, "email": cleo["email"], "password": cleo["password"]}
    app.tokens["phone"] = (await app.answer(None, "sign_in_to_app_with_email", asked)).access_token
    await app.answer("phone", "refresh_app_session", {**CLIENT_APP, **DEVICE})
    app.clock.now += REPLACED_TOKEN_LEEWAY * 2
    stolen = await app.call(
        "phone", "refresh_app_session", {**CLIENT_APP, **DEVICE}, address=ELSEWHERE, agent="thief 1"
    )
    assert stolen.status == 401
    (entry,) = await entries(app, door="system")
    assert (entry.request["reason"], entry.address, entry.agent) == ("token_reused", ELSEWHERE, "thief 1")
    assert await received_mails(app) == []
