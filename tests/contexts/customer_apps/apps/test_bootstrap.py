"""Bootstrap of an app."""

from typing import Any

import pytest
from tests.contexts.customer_apps.customer_app import CLIENT_APP, PATH, code_of, offer_customer_app, publish_app
from tests.support.app import App

from haulier.contexts.messaging.ports import SmsSender

POLICIES = [{"platform": "ios", "minimum": "1.0.0", "recommended": "1.2.0", "blocked": ["1.1.0"]}]


async def opened(app: App, **query: str) -> dict[str, Any]:
    answered = await app.rest(None, "GET", f"{PATH}/bootstrap", params=query)
    assert answered.status_code == 200, answered.text
    return answered.json()["data"]


async def test_bootstrap_returns_every_documented_field(app: App) -> None:
    await offer_customer_app(
        app,
        capabilities=["shipping.send", "wallet.balance", "locker.pickup"],
        quick_actions=["wallet", "lockers", "send", "return"],
        hidden_quick_actions=["lockers"],
        requires_approval=True,
    )
    data = await opened(app)
    assert data["app"] == {"code": "customer-app", "name": "Parcels", "type": "customer", "schema_version": 1}
    assert data["client"] == {"code": "demo", "display_name": "Demo"}
    assert data["configuration_version"] == 1
    assert data["capabilities"]["wallet.balance"] is True
    assert data["capabilities"]["auth.idp"] is True
    assert data["capabilities"]["wallet.pay"] is False
    assert data["authentication"] == {
        "methods": {"idp": True, "email": True, "registration": True},
        "idp": {"server_client_id": "backend.example"},
        "registration": {
            "enabled": True,
            "phone_verification_required": True,
            "sms_configured": True,
            "default_phone_region": "CA",
            "requires_approval": True,
            "code_length": 6,
            "resend_after": 60,
        },
    }
    assert data["services"] == {
        "identity": {"source_of_truth": "platform", "shared_with_web": True},
        "wallet": {"source_of_truth": "platform", "ledger_mode": "double_entry"},
    }
    assert data["settings"] == {"home": {"quick_actions": ["wallet", "send"]}}
    assert {entry["name"]: entry["url"] for entry in data["service_contracts"]} == {
        "rest": "http://test/api/v1",
        "graphql": "http://test/api/graphql",
    }


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, "ok"),
        ({"platform": "ios"}, "ok"),
        ({"platform": "ios", "app_version": "0.9.0"}, "update_required"),
        ({"platform": "ios", "app_version": "1.1.0"}, "update_required"),
        ({"platform": "ios", "app_version": "1.0.5"}, "update_advised"),
        ({"platform": "ios", "app_version": "1.2.0"}, "ok"),
        ({"platform": "android", "app_version": "0.1.0"}, "ok"),
        ({"app_version": "0.1.0"}, "ok"),
    ],
)
async def test_bootstrap_reports_required_updates(app: App, query: dict[str, str], status: str) -> None:
    await offer_customer_app(app, version_policies=POLICIES)
    policy = (await opened(app, **query))["version_policy"]
    assert (policy["status"], policy["update_required"]) == (status, status == "update_required")
    assert policy["update_recommended"] is (status != "ok")
    assert policy["platforms"] == [{**POLICIES[0], "store_url": None}]


@pytest.mark.parametrize(
    "query",
    [
        {"platform": "windows"},
        {"platform": ""},
        {"app_version": "1.2"},
        {"app_version": "v1.2.3"},
        {"app_version": ""},
        {"app_version": "1.2.3-" + "x" * 64},
    ],
)
async def test_an_unknown_platform_or_malformed_version_is_refused(app: App, query: dict[str, str]) -> None:
    await offer_customer_app(app)
    answered = await app.rest(None, "GET", f"{PATH}/bootstrap", params=query)
    assert answered.status_code == 422
    assert answered.json()["errors"][0]["field"] in query


@pytest.mark.parametrize("there", ["nowhere/clients/demo", "customer-app/clients/nobody", "customer-app/clients/DEMO"])
async def test_an_unknown_app_or_client_is_not_found(app: App, there: str) -> None:
    await offer_customer_app(app)
    assert (await app.rest(None, "GET", f"/v1/apps/{there}/bootstrap")).status_code == 404


async def test_an_app_that_the_client_has_not_enabled_is_forbidden(app: App) -> None:
    await publish_app(app)
    assert code_of(await app.call(None, "app_bootstrap", CLIENT_APP)) == (403, "APP_UNAVAILABLE")
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "enabled": True})
    assert (await app.call(None, "app_bootstrap", CLIENT_APP)).status == 200
    assert code_of(await app.call(None, "app_bootstrap", {**CLIENT_APP, "clientCode": "rival"})) == (
        403,
        "APP_UNAVAILABLE",
    )
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "enabled": False})
    assert code_of(await app.call(None, "app_bootstrap", CLIENT_APP)) == (403, "APP_UNAVAILABLE")


async def etag(app: App) -> str:
    return (await app.rest(None, "GET", f"{PATH}/bootstrap")).headers["etag"]


async def test_the_etag_changes_only_with_the_configuration(app: App) -> None:
    await offer_customer_app(app)
    first = await etag(app)
    assert await etag(app) == first
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "quick_actions": ["pay"]})
    second = await etag(app)
    await app.answer("admin", "update_client", {"name": "Demo & Sons"})
    assert len({first, second, await etag(app)}) == 3


async def test_an_unchanged_configuration_returns_304(app: App) -> None:
    await offer_customer_app(app)
    first = await app.rest(None, "GET", f"{PATH}/bootstrap")
    assert first.headers["etag"].startswith(f'W/"{first.json()["data"]["configuration_version"]}-')
    known = {"if-none-match": first.headers["etag"]}
    same = await app.rest(None, "GET", f"{PATH}/bootstrap", headers=known)
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
    other = await app.rest(
        None, "GET", f"{PATH}/bootstrap", headers=known, params={"platform": "ios", "app_version": "1.0.0"}
    )
    assert other.status_code == 200
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "quick_actions": ["pay"]})
    changed = await app.rest(None, "GET", f"{PATH}/bootstrap", headers=known)
    assert (changed.status_code, changed.json()["data"]["configuration_version"]) == (200, 2)
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "enabled": False})
    assert (await app.rest(None, "GET", f"{PATH}/bootstrap", headers=known)).status_code == 403


async def test_registration_is_unavailable_without_an_sms_provider(app: App) -> None:
    phones = await offer_customer_app(app)
    phones.configured = False
    assert app.application.adapter(SmsSender).configured is False
    data = await opened(app)
    assert data["authentication"]["methods"] == {"idp": True, "email": True, "registration": False}
    assert data["authentication"]["registration"]["sms_configured"] is False
    assert data["capabilities"]["auth.registration"] is False


async def test_bootstrap_uses_a_constant_number_of_statements_for_any_settings(app: App) -> None:
    await offer_customer_app(app, version_policies=POLICIES)
    before = app.statements
    await app.answer(None, "app_bootstrap", CLIENT_APP)
    assert app.statements - before == 2
