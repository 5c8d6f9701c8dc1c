"""Phone verification by SMS code."""

import asyncio
import logging
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.customer_apps.customer_app import CLIENT_APP, PATH, Phones, code_of, offer_customer_app
from tests.contexts.customer_apps.registration.steps import E164, NUMBER, completion_body, prove_phone, request_code
from tests.support.app import App, make_app

from haulier.contexts.customer_apps.apps.rules import CODE_ATTEMPTS_MAX
from haulier.contexts.customer_apps.registration.rules import CODES_PER_DEVICE, CODES_PER_PHONE
from haulier.contexts.customer_apps.registration.store import challenges
from haulier.contexts.messaging.ports import SmsRefused, SmsSender
from haulier.kernel.background import job_table
from haulier.kernel.data.tables import metadata
from haulier.kernel.pipeline.result import OperationResult


async def guess(app: App, challenge: Any, code: str, **options: Any) -> OperationResult:
    body = {**CLIENT_APP, "challenge_id": challenge.challenge_id, "code": code}
    return await app.call(None, "verify_phone", body, **options)


def another(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


async def stored_text(app: App) -> str:
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("a test looks everywhere")
        return str([await work.all(select(table)) for table in metadata.sorted_tables])


async def test_a_six_digit_code_is_sent_only_to_the_phone(app: App, caplog: pytest.LogCaptureFixture) -> None:
    phones = await offer_customer_app(app)
    with caplog.at_level(logging.DEBUG):
        answered = await app.rest(None, "POST", f"{PATH}/registration/phone/request", {"phone": NUMBER})
        await app.work_off()
    assert answered.status_code == 200, answered.text
    body = answered.json()
    assert (body["result"], body["expires_in"], body["resend_after"], body["code_length"]) == (True, 300, 60, 6)
    [(to, text)] = phones.sent
    assert to == E164
    assert text == f"{phones.code} is your code for Demo. It is valid for 5 minutes. Do not share it."
    assert phones.code not in answered.text
    assert phones.code not in await stored_text(app)
    assert phones.code not in caplog.text


async def test_the_message_is_in_the_callers_language(app: App) -> None:
    phones = await offer_customer_app(app)
    await request_code(app, accept_language="de")
    assert phones.sent[0][1].startswith(f"{phones.code} ist Ihr Code für Demo.")


async def test_the_correct_code_verifies_the_phone_once(app: App) -> None:
    phones = await offer_customer_app(app)
    challenge = await request_code(app)
    first = await guess(app, challenge, phones.code)
    assert first.answer
    assert (first.answer.expires_in, first.answer.requires_approval) == (1800, False)
    assert code_of(await guess(app, challenge, phones.code)) == (422, "CODE_EXPIRED")
    assert first.answer.registration_token not in await stored_text(app)


async def test_of_concurrent_correct_guesses_one_counts(app: App) -> None:
    phones = await offer_customer_app(app)
    challenge = await request_code(app)
    outcomes = await asyncio.gather(*(guess(app, challenge, phones.code) for _ in range(4)))
    assert sorted(outcome.status for outcome in outcomes) == [200, 422, 422, 422]


async def test_a_code_is_valid_for_five_minutes(app: App) -> None:
    phones = await offer_customer_app(app)
    challenge = await request_code(app)
    app.clock.forward(minutes=5)
    assert code_of(await guess(app, challenge, phones.code)) == (422, "CODE_EXPIRED")


async def test_after_five_guesses_the_correct_code_is_refused(app: App) -> None:
    phones = await offer_customer_app(app)
    challenge = await request_code(app)
    for _ in range(CODE_ATTEMPTS_MAX):
        assert code_of(await guess(app, challenge, another(phones.code))) == (422, "CODE_WRONG")
    late = await guess(app, challenge, phones.code)
    assert code_of(late) == (429, "RATE_LIMITED")
    assert late.headers["Retry-After"] == "60"


@pytest.mark.parametrize("options", [{}, {"dry_run": True}], ids=["real", "rehearsed"])
async def test_concurrent_guesses_are_all_counted(app: App, options: dict[str, Any]) -> None:
    phones = await offer_customer_app(app)
    challenge = await request_code(app)
    wrong = another(phones.code)
    outcomes = await asyncio.gather(*(guess(app, challenge, wrong, **options) for _ in range(CODE_ATTEMPTS_MAX + 4)))
    assert sorted(outcome.status for outcome in outcomes) == [422] * CODE_ATTEMPTS_MAX + [429] * 4
    assert (await guess(app, challenge, phones.code)).status == 429


async def test_a_new_code_replaces_the_previous_one(app: App) -> None:
    phones = await offer_customer_app(app)
    first, code = await request_code(app), phones.code
    app.clock.forward(seconds=60)
    second = await request_code(app)
    assert code_of(await guess(app, first, code)) == (422, "CODE_EXPIRED")
    assert (await guess(app, second, phones.code)).error is None


async def test_a_resent_message_contains_the_same_code(app: App) -> None:
    await offer_customer_app(app)

    class Rough(Phones):
        async def send(self, to: str, text: str) -> None:
            await super().send(to, text)
            if len(self.sent) == 1:
                raise OSError("the line broke after the message was taken")

    rough = Rough()
    adapters: Any = app.application.adapters
    adapters[SmsSender] = rough
    challenge = await request_code(app)
    old = rough.code
    app.clock.forward(seconds=2)
    await app.work_off()
    assert (len(rough.sent), rough.code) == (2, old)
    assert (await guess(app, challenge, old)).error is None


async def test_an_undeliverable_message_is_retried_only_for_a_limited_time(app: App) -> None:
    await offer_customer_app(app)

    class Wall(Phones):
        async def send(self, to: str, text: str) -> None:
            raise SmsRefused("code 21211")

    adapters: Any = app.application.adapters
    adapters[SmsSender] = Wall()
    await request_code(app)
    async with app.database.read(None) as work:
        job = await work.first(select(job_table).where(job_table.c.kind == "registration.send_code"))
    assert job
    assert (job.state, job.attempts, "21211" in job.last_error) == ("dead", 1, True)


async def test_a_phone_has_to_wait_before_requesting_another_code(app: App) -> None:
    await offer_customer_app(app)
    await request_code(app)
    soon = await app.call(None, "request_phone_code", {**CLIENT_APP, "phone": "+1 (416) 555 0123"})
    assert code_of(soon) == (429, "RATE_LIMITED")
    assert soon.headers["Retry-After"] == "60"
    for _ in range(CODES_PER_PHONE - 1):
        app.clock.forward(seconds=60)
        await request_code(app)
    app.clock.forward(seconds=60)
    many = await app.call(None, "request_phone_code", {**CLIENT_APP, "phone": NUMBER})
    assert (many.status, many.headers["Retry-After"]) == (429, str(3600 - 60 * CODES_PER_PHONE))


async def test_a_device_and_an_address_are_limited_for_any_phone(app: App) -> None:
    await offer_customer_app(app)
    for n in range(CODES_PER_DEVICE):
        body = {**CLIENT_APP, "phone": f"416 555 01{n:02}", "device_id": "phone-1"}
        assert (await app.call(None, "request_phone_code", body, address="192.0.2.1")).error is None
    more = {**CLIENT_APP, "phone": "416 555 0199"}
    assert (await app.call(None, "request_phone_code", {**more, "device_id": "phone-1"})).status == 429
    for n in range(20):
        body = {**CLIENT_APP, "phone": f"416 555 02{n:02}", "device_id": f"phone-{n + 2}"}
        assert (await app.call(None, "request_phone_code", body, address="192.0.2.1")).error is None
    assert (await app.call(None, "request_phone_code", more, address="192.0.2.1")).status == 429
    assert (await app.call(None, "request_phone_code", more, address="192.0.2.2")).error is None


async def test_of_concurrent_requests_for_a_phone_one_is_accepted(app: App) -> None:
    phones = await offer_customer_app(app)
    body = {**CLIENT_APP, "phone": NUMBER}
    outcomes = await asyncio.gather(*(app.call(None, "request_phone_code", body) for _ in range(6)))
    assert sorted(outcome.status for outcome in outcomes) == [200] + [429] * 5
    await app.work_off()
    assert len(phones.sent) == 1


async def test_the_response_does_not_reveal_known_phones(app: App) -> None:
    phones = await offer_customer_app(app)
    await app.answer(None, "complete_registration", completion_body(await prove_phone(app, phones)))
    app.clock.forward(hours=2)
    answers = [
        (await app.rest(None, "POST", f"{PATH}/registration/phone/request", {"phone": number}))
        for number in (NUMBER, "416 555 0188")
    ]
    known, unknown = [{**answer.json(), "challenge_id": "", "request_id": ""} for answer in answers]
    assert known == unknown
    assert [answer.status_code for answer in answers] == [200, 200]
    await app.work_off()
    assert {to for to, _ in phones.sent[1:]} == {E164, "+14165550188"}


@pytest.mark.parametrize("phone", ["hello", "123", "", "+1 900 555 0123", "4" * 51, "416\x00555"])
async def test_an_invalid_phone_number_is_refused(app: App, phone: str) -> None:
    await offer_customer_app(app)
    outcome = await app.call(None, "request_phone_code", {**CLIENT_APP, "phone": phone})
    assert code_of(outcome) == (422, "INVALID_REQUEST")
    assert outcome.error
    assert outcome.error["errors"][0]["field"] == "phone"


async def test_no_code_is_sent_when_registration_is_disabled(app: App) -> None:
    phones = await offer_customer_app(app, methods=["email"])
    assert code_of(await app.call(None, "request_phone_code", {**CLIENT_APP, "phone": NUMBER})) == (
        403,
        "SIGN_IN_METHOD_OFF",
    )
    assert (
        await app.call(None, "request_phone_code", {**CLIENT_APP, "clientCode": "rival", "phone": NUMBER})
    ).status == 403
    assert (await app.call(None, "request_phone_code", {**CLIENT_APP, "appCode": "x", "phone": NUMBER})).status == 404
    await app.work_off()
    assert phones.sent == []


async def test_a_challenge_is_valid_only_in_its_app_and_client(app: App) -> None:
    phones = await offer_customer_app(app)
    await app.answer(
        "rival", "update_app_settings", {"appCode": "customer-app", "enabled": True, "methods": ["registration"]}
    )
    challenge = await request_code(app)
    body = {**CLIENT_APP, "clientCode": "rival", "challenge_id": challenge.challenge_id, "code": phones.code}
    assert code_of(await app.call(None, "verify_phone", body)) == (422, "CODE_EXPIRED")
    assert (await guess(app, challenge, phones.code)).error is None


async def test_expired_challenges_are_deleted(app: App) -> None:
    await offer_customer_app(app)
    await request_code(app)
    app.clock.now += timedelta(days=2)
    await request_code(app, "416 555 0188")
    async with app.database.read(None) as work:
        rows = await work.without_tenant_filter("a test looks").all(select(challenges))
    assert [row.phone for row in rows] == ["+14165550188"]


async def test_a_dry_run_of_a_request_sends_nothing(app: App) -> None:
    phones = await offer_customer_app(app)
    outcome = await app.call(None, "request_phone_code", {**CLIENT_APP, "phone": NUMBER}, dry_run=True)
    assert (outcome.error, outcome.side_effects) == (None, [])  # a stranger does not learn of side effects
    await app.work_off()
    assert phones.sent == []


async def test_requests_from_one_address_are_limited(database_url: str) -> None:
    async with make_app(database_url, rate_limits=True) as app:
        await offer_customer_app(app)
        body = {**CLIENT_APP, "phone": "nonsense"}
        statuses = [(await app.call(None, "request_phone_code", body, address="::1")).status for _ in range(21)]
    assert statuses == [422] * 20 + [429]
