"""App sign-in with a token from a local OpenID provider."""

from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, PATH, code_of, offer_customer_app
from tests.contexts.customer_apps.openid_provider import OpenIdProvider
from tests.support.app import App

from haulier.contexts.customer_apps.identities.store import bindings
from haulier.kernel.pipeline.result import OperationResult


async def sign_in(app: App, token: str, **more: Any) -> OperationResult:
    return await app.call(None, "sign_in_to_app_with_idp", {**CLIENT_APP, **DEVICE, "id_token": token, **more})


async def bound(app: App) -> dict[str, int]:
    async with app.database.read(None) as work:
        return {row.subject: row.user_id for row in await work.all(select(bindings))}


async def test_the_first_sign_in_links_the_user_with_the_verified_address(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    body = {**DEVICE, "id_token": provider.token(app.clock.now)}
    answered = await app.rest(None, "POST", f"{PATH}/auth/idp", body)
    assert answered.status_code == 200, answered.text
    session = answered.json()
    assert session["user"] == {"id": app.ids["customer"], "name": "Customer", "email": "customer@demo.example"}
    assert await bound(app) == {"person-1": app.ids["customer"]}
    app.tokens["phone"] = session["access_token"]
    assert (await app.answer("phone", "who_am_i")).user.id == app.ids["customer"]


async def test_a_linked_user_signs_in_after_an_address_change(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    now = app.clock.now
    assert (await sign_in(app, provider.token(now))).error is None
    moved = await sign_in(app, provider.token(now, kid="ec-1", email="new@elsewhere.example", email_verified=False))
    assert moved.answer
    assert moved.answer.user.id == app.ids["customer"]


async def test_an_unregistered_user_is_asked_to_register(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    now = app.clock.now
    stranger = provider.token(now, email="stranger@elsewhere.example")
    unsure = provider.token(now, email_verified=False)
    without = provider.token(now, email=None)
    for token in (stranger, unsure, without):
        assert code_of(await sign_in(app, token)) == (409, "REGISTRATION_REQUIRED")
    assert await bound(app) == {}


async def test_a_user_is_linked_to_one_identity_of_the_provider(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    now = app.clock.now
    assert (await sign_in(app, provider.token(now))).error is None
    twin = await sign_in(app, provider.token(now, sub="person-2"))
    assert code_of(twin) == (409, "IDENTITY_CONFLICT")
    assert await bound(app) == {"person-1": app.ids["customer"]}


@pytest.mark.parametrize(
    ("email", "code"),
    [("driver@demo.example", "APP_ROLE_NOT_ALLOWED"), ("rival_customer@rival.example", "APP_CLIENT_NOT_ALLOWED")],
)
async def test_an_app_accepts_only_users_of_its_client_and_kind(
    app: App, provider: OpenIdProvider, email: str, code: str
) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    assert code_of(await sign_in(app, provider.token(app.clock.now, email=email))) == (403, code)
    assert await bound(app) == {}


async def test_an_identity_is_linked_platform_wide_and_opens_only_its_own_client(
    app: App, provider: OpenIdProvider
) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    await app.answer("rival", "update_app_settings", {"appCode": "customer-app", "enabled": True, "methods": ["idp"]})
    token = provider.token(app.clock.now)
    assert (await sign_in(app, token)).error is None
    assert code_of(await sign_in(app, token, clientCode="rival")) == (403, "APP_CLIENT_NOT_ALLOWED")


async def test_a_disabled_user_cannot_sign_in(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    await app.answer("admin", "disable_user", {"user_id": app.ids["customer"]})
    assert code_of(await sign_in(app, provider.token(app.clock.now))) == (401, "IDENTITY_REFUSED")
    await app.answer("admin", "enable_user", {"user_id": app.ids["customer"]})
    assert (await sign_in(app, provider.token(app.clock.now))).error is None


async def test_an_invalid_token_is_refused_without_a_reason(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    now = app.clock.now
    expired = provider.token(now, exp=int(now.timestamp()) - 3600)
    for token in (expired, provider.token(now, aud="another app"), "nonsense", "a.b.c"):
        assert code_of(await sign_in(app, token)) == (401, "IDENTITY_REFUSED")
    assert code_of(await sign_in(app, provider.token(now), nonce="n-1")) == (401, "IDENTITY_REFUSED")
    assert (await sign_in(app, provider.token(now, nonce="n-1"), nonce="n-1")).error is None


@pytest.mark.parametrize("forgery", ["alg none", "public key as secret", "unknown key", "from the future"])
async def test_a_forged_token_is_refused(app: App, provider: OpenIdProvider, forgery: str) -> None:
    """At the REST door, past a provider whose keys are known already."""
    await offer_customer_app(app, issuer=provider.issuer)
    now = app.clock.now
    assert (await sign_in(app, provider.token(now, sub="somebody", email="customer2@demo.example"))).error is None
    token = {
        "alg none": lambda: provider.unsigned(now),
        "public key as secret": lambda: provider.signed_with_the_public_key(now),
        "unknown key": lambda: provider.token(now, kid="rsa-forged"),
        "from the future": lambda: provider.token(now, iat=int(now.timestamp()) + 3600),
    }[forgery]()
    answer = await app.rest(None, "POST", f"{PATH}/auth/idp", {**DEVICE, "id_token": token})
    assert (answer.status_code, answer.json()["code"]) == (401, "IDENTITY_REFUSED")
    assert await bound(app) == {"somebody": app.ids["customer2"]}


async def test_a_token_signed_with_a_retired_key_is_refused(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    old = provider.token(app.clock.now)
    assert (await sign_in(app, old)).error is None
    provider.kids = ["ec-2"]
    app.clock.forward(minutes=2)
    assert (await sign_in(app, provider.token(app.clock.now, kid="ec-2"))).error is None
    assert code_of(await sign_in(app, old)) == (401, "IDENTITY_REFUSED")


async def test_an_unavailable_provider_is_reported(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    provider.down = True
    outcome = await sign_in(app, provider.token(app.clock.now))
    assert code_of(outcome) == (503, "IDENTITY_PROVIDER_UNAVAILABLE")


async def test_an_app_without_a_provider_does_not_offer_provider_sign_in(app: App, provider: OpenIdProvider) -> None:
    await offer_customer_app(app, issuer="")
    assert code_of(await sign_in(app, provider.token(app.clock.now))) == (403, "SIGN_IN_METHOD_OFF")


@pytest.mark.parametrize("wrong", [{"id_token": ""}, {"id_token": None}, {"device_platform": "web"}], ids=str)
async def test_an_invalid_request_is_refused_as_invalid(
    app: App, provider: OpenIdProvider, wrong: dict[str, Any]
) -> None:
    await offer_customer_app(app, issuer=provider.issuer)
    assert code_of(await sign_in(app, "x", **wrong)) == (422, "INVALID_REQUEST")
