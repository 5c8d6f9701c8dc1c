"""A client sets up the platform's apps."""

import pytest
from tests.contexts.customer_apps.customer_app import code_of, offer_customer_app, publish_app
from tests.support.app import App

THIS = {"appCode": "customer-app"}


async def test_a_client_sees_every_app_with_its_state(app: App) -> None:
    await offer_customer_app(app)
    await publish_app(app, code="driver-app", type="driver")
    listed = await app.answer("employee", "list_apps")
    assert [(entry.code, entry.enabled, entry.configuration_version) for entry in listed.apps] == [
        ("customer-app", True, 1),
        ("driver-app", False, 0),
    ]
    assert [entry.enabled for entry in (await app.answer("rival", "list_apps")).apps] == [False, False]


async def test_an_unconfigured_app_is_disabled_with_the_default_sign_in_method(app: App) -> None:
    await publish_app(app)
    settings = (await app.answer("admin", "get_app_settings", THIS)).settings
    assert (settings.app.enabled, settings.methods, settings.updated_at) == (False, ["email"], None)


async def test_omitted_settings_are_kept_and_every_change_is_counted(app: App) -> None:
    await offer_customer_app(app, requires_approval=True)
    changed = await app.answer("admin", "update_app_settings", {**THIS, "quick_actions": ["wallet", "send"]})
    assert changed.settings.quick_actions == ["wallet", "send"]
    assert changed.settings.requires_approval is True
    assert changed.settings.app.configuration_version == 2
    assert (await app.answer("admin", "get_app_settings", THIS)).settings == changed.settings


async def test_a_version_policy_replaces_the_one_of_its_platform(app: App) -> None:
    ios, android = {"platform": "ios", "minimum": "1.0.0"}, {"platform": "android", "minimum": "2.0.0"}
    await offer_customer_app(app, version_policies=[ios, android])
    newer = {"platform": "ios", "recommended": "3.0.0", "store_url": "https://store.example/app"}
    await app.answer("admin", "update_app_settings", {**THIS, "version_policies": [newer]})
    policies = (await app.answer("admin", "get_app_settings", THIS)).settings.version_policies
    assert [(entry.platform, entry.minimum, entry.recommended) for entry in policies] == [
        ("android", "2.0.0", None),
        ("ios", None, "3.0.0"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"quick_actions": ["send", "send"]},
        {"quick_actions": ["teleport"]},
        {"methods": ["password"]},
        {"default_phone_region": "XX"},
        {"version_policies": [{"platform": "ios", "minimum": "2.0.0", "recommended": "1.0.0"}]},
        {"version_policies": [{"platform": "ios", "recommended": "1.0.0", "blocked": ["1.0.0+1"]}]},
        {"version_policies": [{"platform": "ios", "minimum": "one"}]},
        {"version_policies": [{"platform": "ios"}, {"platform": "ios", "minimum": "1.0.0"}]},
        {"version_policies": [{"platform": "ios", "store_url": "http://store.example"}]},
    ],
)
async def test_contradictory_settings_are_refused(app: App, wrong: dict[str, object]) -> None:
    await publish_app(app)
    assert code_of(await app.call("admin", "update_app_settings", {**THIS, **wrong})) == (422, "INVALID_REQUEST")


async def test_only_an_admin_changes_settings_of_existing_apps(app: App) -> None:
    await publish_app(app)
    assert (await app.call("employee", "update_app_settings", {**THIS, "enabled": True})).status == 403
    assert (await app.call("customer", "get_app_settings", THIS)).status == 403
    assert (await app.call("admin", "update_app_settings", {"appCode": "nowhere"})).status == 404
    assert (await app.call("admin", "get_app_settings", {"appCode": "nowhere"})).status == 404


async def test_settings_apply_only_to_their_client(app: App) -> None:
    await offer_customer_app(app)
    await app.answer("rival", "update_app_settings", {**THIS, "enabled": True, "quick_actions": ["pay"]})
    assert len((await app.answer("admin", "get_app_settings", THIS)).settings.quick_actions) == 8
    assert (await app.answer("rival", "get_app_settings", THIS)).settings.methods == ["email"]
