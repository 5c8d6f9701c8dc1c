"""Completion: a customer is created after phone proof, at once or on approval."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, PATH, code_of, offer_customer_app
from tests.contexts.customer_apps.openid_provider import OpenIdProvider, run_openid_provider
from tests.contexts.customer_apps.registration.steps import (
    E164,
    NIA,
    SECRET,
    complete,
    completion_body,
    prove_phone,
    waiting,
)
from tests.support.app import App

from haulier.contexts.customer_apps.registration.store import registrations
from haulier.kernel.pipeline.audit import audit_entries


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    with run_openid_provider() as provider:
        yield provider


async def test_completing_a_registration_creates_a_customer_and_signs_them_in(app: App) -> None:
    phones = await offer_customer_app(app)
    body = completion_body(await prove_phone(app, phones))
    answered = await app.rest(
        None,
        "POST",
        f"{PATH}/registration/complete",
        {name: value for name, value in body.items() if name not in CLIENT_APP},
    )
    assert answered.status_code == 200, answered.text
    assert answered.json()["status"] == "completed"
    session = answered.json()["session"]
    assert session["user"]["email"] == NIA["email"]
    app.tokens["nia"] = session["access_token"]
    me = await app.answer("nia", "who_am_i")
    assert (me.user.account, me.client.code) == ("customer", "demo")
    refreshed = await app.call("nia", "refresh_app_session", {**CLIENT_APP, **DEVICE})
    assert refreshed.error is None
    again = {**CLIENT_APP, **DEVICE, "email": NIA["email"], "password": SECRET}
    assert (await app.call(None, "sign_in_to_app_with_email", again)).error is None


async def test_a_registration_can_be_completed_once_before_it_expires(app: App) -> None:
    phones = await offer_customer_app(app)
    token = await prove_phone(app, phones)
    outcomes = await asyncio.gather(
        complete(app, token), complete(app, token, email="other@home.example"), complete(app, token, name="Twin")
    )
    refused = {code_of(result) for result in outcomes if result.error}
    assert [result.status for result in outcomes].count(200) == 1
    assert refused <= {(422, "REGISTRATION_EXPIRED"), (409, "EMAIL_TAKEN")}, "the winner's address is taken at once"
    assert code_of(await complete(app, token, email="third@home.example")) == (422, "REGISTRATION_EXPIRED")
    app.clock.forward(hours=2)
    late = await prove_phone(app, phones, "416 555 0188")
    app.clock.forward(minutes=30)
    assert code_of(await complete(app, late)) == (422, "REGISTRATION_EXPIRED")
    assert code_of(await complete(app, "hlregistration_guessed")) == (422, "REGISTRATION_EXPIRED")


async def test_a_registration_token_is_valid_only_at_its_client(app: App) -> None:
    phones = await offer_customer_app(app)
    await app.answer(
        "rival",
        "update_app_settings",
        {"appCode": "customer-app", "enabled": True, "methods": ["email", "registration"]},
    )
    token = await prove_phone(app, phones)
    assert code_of(await complete(app, token, clientCode="rival")) == (422, "REGISTRATION_EXPIRED")
    assert (await complete(app, token)).error is None


async def test_a_phone_number_and_an_address_belong_to_one_user(app: App) -> None:
    phones = await offer_customer_app(app)
    assert (await complete(app, await prove_phone(app, phones))).error is None
    app.clock.forward(hours=2)
    again = await complete(app, await prove_phone(app, phones), email="nia2@home.example")
    assert code_of(again) == (409, "PHONE_TAKEN")
    app.clock.forward(hours=2)
    taken = await complete(app, await prove_phone(app, phones, "416 555 0188"), email="Driver@demo.example")
    assert code_of(taken) == (409, "EMAIL_TAKEN")


async def test_a_verified_phone_number_does_not_reveal_existing_users(app: App) -> None:
    phones = await offer_customer_app(app)
    token = await prove_phone(app, phones)
    for who in ("driver", "driver2", "customer", "admin", "employee", "contractor", "contractor2"):
        assert code_of(await complete(app, token, email=f"{who}@demo.example")) == (409, "EMAIL_TAKEN")
    for email in ("customer2@demo.example", "nobody@home.example"):
        refused = await complete(app, token, email=email)
        assert (code_of(refused), refused.headers["Retry-After"]) == ((429, "RATE_LIMITED"), "1800")
    app.clock.forward(minutes=2)
    other = await prove_phone(app, phones, "416 555 0188")
    assert (await complete(app, other)).error is None  # another registration is not delayed


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": "short"},
        {"password": None},
        {"id_token": "a.b.c"},
        {"email": "nobody"},
        {"name": " "},
        {"name": "a\0b"},
        {"device_id": None},
        {"registration_token": ""},
    ],
    ids=str,
)
async def test_an_invalid_last_step_can_be_repeated(app: App, wrong: dict[str, Any]) -> None:
    phones = await offer_customer_app(app)
    token = await prove_phone(app, phones)
    assert code_of(await complete(app, token, **wrong)) == (422, "INVALID_REQUEST")
    assert (await complete(app, token)).error is None


async def test_a_user_can_register_with_the_identity_provider(app: App, provider: OpenIdProvider) -> None:
    phones = await offer_customer_app(app, issuer=provider.issuer)
    id_token = provider.token(app.clock.now, email="nia@home.example")
    sign_in = {**CLIENT_APP, **DEVICE, "id_token": id_token}
    assert code_of(await app.call(None, "sign_in_to_app_with_idp", sign_in)) == (409, "REGISTRATION_REQUIRED")
    token = await prove_phone(app, phones)
    assert code_of(await complete(app, token, password=None, id_token="a.b.c")) == (401, "IDENTITY_REFUSED")
    done = await complete(app, token, password=None, id_token=id_token)
    assert done.answer is not None, done.error
    signed_in = await app.answer(None, "sign_in_to_app_with_idp", sign_in)
    assert signed_in.user == done.answer.session.user


async def test_a_self_registered_address_does_not_take_over_another_users_sign_in(
    app: App, provider: OpenIdProvider
) -> None:
    """A self-registered address was never verified.

    Its owner gets no access to that account.
    """
    phones = await offer_customer_app(app, issuer=provider.issuer)
    assert (await complete(app, await prove_phone(app, phones), email="victim@home.example")).error is None
    victim = {**CLIENT_APP, **DEVICE, "id_token": provider.token(app.clock.now, email="victim@home.example")}
    assert code_of(await app.call(None, "sign_in_to_app_with_idp", victim)) == (409, "IDENTITY_CONFLICT")


async def test_users_wait_for_approval_where_the_business_requires_it(app: App) -> None:
    phones = await offer_customer_app(app, requires_approval=True)
    result = await complete(app, await prove_phone(app, phones))
    assert result.answer
    assert (result.answer.status, result.answer.message[:10]) == ("pending_approval", "Thank you.")
    again = {**CLIENT_APP, **DEVICE, "email": NIA["email"], "password": SECRET}
    assert code_of(await app.call(None, "sign_in_to_app_with_email", again)) == (401, "INVALID_CREDENTIALS")
    [one] = (await app.answer("employee", "list_app_registrations")).registrations
    assert (one.name, one.email, one.phone, one.status) == ("Nia", NIA["email"], E164, "pending_approval")


async def test_an_approved_registration_creates_a_customer_and_notifies_them(app: App) -> None:
    phones = await offer_customer_app(app, requires_approval=True)
    id = await waiting(app, phones)
    approved = (await app.answer("admin", "approve_app_registration", {"registration_id": id})).registration
    assert (approved.status, approved.decided_by) == ("completed", app.ids["admin"])
    await app.work_off()
    assert phones.sent[-1] == (E164, "Demo: your registration was approved. You can now sign in to Parcels.")
    again = {**CLIENT_APP, **DEVICE, "email": NIA["email"], "password": SECRET}
    session = await app.answer(None, "sign_in_to_app_with_email", again)
    assert session.user.id == approved.user_id
    twice = await app.call("admin", "approve_app_registration", {"registration_id": id})
    assert code_of(twice) == (409, "REGISTRATION_DECIDED")


async def test_a_rejected_registration_leaves_no_password_and_no_user(app: App) -> None:
    phones = await offer_customer_app(app, requires_approval=True)
    id = await waiting(app, phones)
    body = {"registration_id": id, "reason": "not in our area"}
    refused = (await app.answer("admin", "reject_app_registration", body)).registration
    assert (refused.status, refused.user_id, refused.reason) == ("rejected", None, "not in our area")
    async with app.database.read(None) as work:
        row = await work.without_tenant_filter("a test looks").first(select(registrations))
    assert row
    assert row.password_hash is None
    app.clock.forward(hours=2)
    assert (await complete(app, await prove_phone(app, phones))).error is None


async def test_an_address_taken_in_the_meantime_is_reported(app: App) -> None:
    phones = await offer_customer_app(app, requires_approval=True)
    id = await waiting(app, phones)
    await app.answer("admin", "create_user", {"name": "N", "email": NIA["email"], "account": "employee"})
    result = await app.call("admin", "approve_app_registration", {"registration_id": id})
    assert code_of(result) == (409, "EMAIL_TAKEN")


async def test_registrations_are_visible_to_their_client_and_decided_by_its_admins(app: App) -> None:
    phones = await offer_customer_app(app, requires_approval=True)
    id = await waiting(app, phones)
    for operation in ("approve_app_registration", "reject_app_registration"):
        assert (await app.call("rival", operation, {"registration_id": id})).status == 404
        assert (await app.call("employee", operation, {"registration_id": id})).status == 403
        assert (await app.call(None, operation, {"registration_id": id})).status == 401
    assert (await app.answer("rival", "list_app_registrations")).total == 0


async def test_of_two_concurrent_decisions_one_counts(app: App) -> None:
    phones = await offer_customer_app(app, requires_approval=True)
    id = await waiting(app, phones)
    outcomes = await asyncio.gather(
        app.call("admin", "approve_app_registration", {"registration_id": id}),
        app.call("admin", "reject_app_registration", {"registration_id": id}),
    )
    assert sorted(result.status for result in outcomes) == [200, 409]


async def test_the_clients_audit_trail_records_the_registration_without_secrets(app: App) -> None:
    phones = await offer_customer_app(app)
    token = await prove_phone(app, phones)
    assert (await complete(app, token)).error is None
    async with app.database.read(None) as work:
        rows = [row for row in await work.all(select(audit_entries)) if row.owner_client_id == app.clients["demo"]]
    told = [row.operation for row in rows]
    assert told[-3:] == ["request_phone_code", "verify_phone", "complete_registration"]
    assert not any(secret in str(rows) for secret in (SECRET, token, phones.code))
