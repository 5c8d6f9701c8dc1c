"""SMS through a client's own provider account, over real HTTP."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select
from tests.adapters.fake_sms_provider import TOKEN, FakeSmsProvider, run_sms_provider
from tests.contexts.customer_apps.customer_app import CLIENT_APP, PATH, code_of, offer_customer_app
from tests.contexts.customer_apps.registration.steps import E164, NUMBER
from tests.contexts.messaging.sms.steps import OWN, PHONE, SENDER
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.adapters.vault import KEY_BYTES, EncryptedVault, NoVault
from haulier.contexts.messaging import public as messaging
from haulier.contexts.messaging.ports import SecretVault, SmsProviderDirectory, SmsRefused
from haulier.contexts.messaging.sms.store import sms_accounts
from haulier.kernel.data.tables import metadata


@pytest.fixture
def provider() -> Iterator[FakeSmsProvider]:
    with run_sms_provider() as provider:
        yield provider


@pytest.fixture(autouse=True)
def keys(app: App, provider: FakeSmsProvider) -> None:
    """An operator who set a key, and a provider on this machine."""
    adapters: Any = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
    adapters[SmsProviderDirectory] = HttpSmsProviders(twilio=provider.url)


async def settings(app: App, who: str = "admin") -> Any:
    return await app.answer(who, "get_sms_settings")


async def tried(app: App) -> Any:
    """A test message was sent. The settings afterwards."""
    await app.answer("admin", "send_test_sms", PHONE)
    await app.work_off()
    return await settings(app)


async def test_no_messages_are_sent_without_a_provider(app: App) -> None:
    assert (await settings(app)).through == "nobody"
    assert code_of(await app.call("admin", "send_test_sms", PHONE)) == (409, "SMS_NOT_SET_UP")
    await offer_customer_app(app)
    assert (await settings(app)).through == "platform"


async def test_messages_use_the_clients_own_account(app: App, provider: FakeSmsProvider) -> None:
    phones = await offer_customer_app(app)
    answered = await app.rest("admin", "PUT", "/v1/client/profile/sms", OWN)
    assert answered.status_code == 200, answered.text
    assert (answered.json()["through"], answered.json()["sender"]) == ("own_account", SENDER)
    await app.answer(None, "request_phone_code", {**CLIENT_APP, "phone": NUMBER})
    await app.work_off()
    assert [(entry["To"], entry["From"]) for entry in provider.taken] == [(E164, SENDER)]
    assert "code for Demo" in provider.taken[0]["Body"]
    assert phones.sent == []
    assert (await settings(app)).worked_at == app.clock.now


async def test_the_clients_own_account_enables_registration(app: App) -> None:
    phones = await offer_customer_app(app)
    phones.configured = False
    body = f"{PATH}/bootstrap"
    assert (await app.rest(None, "GET", body)).json()["data"]["authentication"]["methods"]["registration"] is False
    await app.answer("admin", "set_sms_account", OWN)
    told = (await app.rest(None, "GET", body)).json()["data"]["authentication"]
    assert (told["methods"]["registration"], told["registration"]["sms_configured"]) == (True, True)


async def test_the_secret_is_in_no_response_table_email_or_log(
    app: App, provider: FakeSmsProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = [str(await app.answer("admin", "set_sms_account", OWN))]
    said.append(str(await app.call("admin", "set_sms_account", OWN, dry_run=True)))
    provider.fault = (400, 21211)
    said.append(str(await tried(app)))
    said.append(str(await app.answer("admin", "list_audit_entries")))
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("a test looks everywhere")
        said += [str(await work.all(select(table))) for table in metadata.tables.values()]
    assert all(TOKEN not in entry for entry in (*said, caplog.text))
    assert all("sealed" not in entry for entry in said[:4])


async def test_the_account_status_shows_the_providers_error_code(app: App, provider: FakeSmsProvider) -> None:
    await app.answer("admin", "set_sms_account", {**OWN, "secret": "a-wrong-one"})
    failed = await tried(app)
    assert (failed.fault, failed.failed_at, failed.worked_at) == ("20003", app.clock.now, None)
    fresh = await app.answer("admin", "set_sms_account", OWN)
    assert (fresh.fault, fresh.failed_at) == (None, None)
    assert (await tried(app)).worked_at == app.clock.now
    assert provider.taken[0]["Body"] == "Demo: this is a test. Your SMS account works."
    provider.fault = (503, 20500)
    assert (await tried(app)).fault == "unavailable"


async def test_a_client_with_a_failing_account_does_not_use_the_platform_account(
    app: App, provider: FakeSmsProvider
) -> None:
    phones = await offer_customer_app(app)
    await app.answer("admin", "set_sms_account", OWN)
    adapters: Any = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"n" * KEY_BYTES)
    assert (await tried(app)).fault == "secret_lost"
    assert (provider.taken, phones.sent) == ([], [])


async def test_a_removed_account_leaves_no_data(app: App) -> None:
    await offer_customer_app(app)
    assert (await app.call("admin", "remove_sms_account")).status == 404
    await app.answer("admin", "set_sms_account", OWN)
    assert (await app.answer("admin", "remove_sms_account")).through == "platform"
    async with app.database.read(app.clients["demo"]) as work:
        assert await work.all(select(sms_accounts)) == []


async def test_each_client_has_its_own_account(app: App, provider: FakeSmsProvider) -> None:
    await app.answer("admin", "set_sms_account", OWN)
    assert (await settings(app, "rival")).through == "nobody"
    await app.answer("rival", "set_sms_account", {**OWN, "sender": "Rival"})
    assert (await app.answer("rival", "remove_sms_account")).through == "nobody"
    assert (await settings(app)).sender == SENDER


async def test_other_contexts_send_through_the_same_account(app: App, provider: FakeSmsProvider) -> None:
    demo, rival = app.clients["demo"], app.clients["rival"]
    await app.answer("admin", "set_sms_account", OWN)
    await messaging.send_sms(app.application, demo, E164, "hello")
    assert provider.taken[0]["Body"] == "hello"
    with pytest.raises(SmsRefused):
        await messaging.send_sms(app.application, rival, E164, "hello")
    async with app.database.read(demo) as work:
        assert await messaging.can_send_sms(app.application, work)
    async with app.database.read(rival) as work:
        assert not await messaging.can_send_sms(app.application, work)


@for_every("who", ["employee", "contractor", "driver", "customer"])
@for_every("operation", ["get_sms_settings", "set_sms_account", "remove_sms_account", "send_test_sms"])
async def test_only_admins_can_see_and_change_the_account(app: App, who: str, operation: str) -> None:
    assert (await app.call(None, operation)).status == 401
    assert code_of(await app.call(who, operation)) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_a_secret_requires_the_operators_encryption_key(app: App) -> None:
    adapters: Any = app.application.adapters
    adapters[SecretVault] = NoVault()
    assert code_of(await app.call("admin", "set_sms_account", OWN)) == (409, "SECRETS_NOT_KEPT")


@for_every(
    ("field", "value"),
    [
        ("provider", "pigeon"),
        ("account", "../../x"),
        ("account", "AC1@evil.example"),
        ("sender", "12"),
        ("sender", "+0123456789"),
        ("sender", "Much Too Long Name"),
        ("secret", "short"),
    ],
)
async def test_errors_in_the_account_are_reported_by_field(app: App, field: str, value: str) -> None:
    result = await app.call("admin", "set_sms_account", {**OWN, field: value})
    assert result.status == 422
    assert [fault["field"] for fault in (result.error or {})["errors"]] == [field]
