"""The pipeline with a real database and sample operations."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.support.kernel_app import (
    call_operation,
    chatty,
    contracted,
    erase,
    fail_halfway,
    greet,
    guess,
    list_offers,
    make_app,
    scarce,
    take_once,
    write_note,
)

from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.http.rate_limits import RateLimiter
from haulier.kernel.operations.enums import Module, Scope
from haulier.kernel.pipeline.audit import audit_entries

NOTE = '{"name": "Bo"}'


async def audit_rows(database: Database) -> int:
    async with database.read(None) as work:
        return await work.value(select(func.count()).select_from(audit_entries))


class TestLanguage:
    async def test_an_error_is_in_the_callers_language(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), greet, "{}", accept_language="fr-CA")
        assert outcome.language == "fr"
        english = await call_operation(make_app(database), greet, "{}")
        assert outcome.error
        assert english.error
        assert outcome.error["message"] != english.error["message"]
        assert outcome.error["code"] == english.error["code"] == "INVALID_REQUEST"


class TestValidation:
    async def test_every_error_is_reported_together(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), greet, '{"name": "x", "times": 9, "colour": "red"}')
        assert outcome.status == 422
        assert outcome.error
        assert {(e["field"], e["code"]) for e in outcome.error["errors"]} == {
            ("name", "STRING_TOO_SHORT"),
            ("times", "LESS_THAN_EQUAL"),
            ("colour", "EXTRA_FORBIDDEN"),
        }

    async def test_a_quoted_number_is_not_a_number(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), greet, '{"name": "Bo", "times": "2"}')
        assert outcome.status == 422

    async def test_invalid_json_is_reported(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), greet, "{nope")
        assert (outcome.status, outcome.error and outcome.error["code"]) == (400, "MALFORMED_JSON")


class TestAuthorization:
    @pytest.mark.parametrize(
        ("token", "operation", "status", "code"),
        [
            (None, list_offers, 401, "UNAUTHENTICATED"),
            ("stranger", list_offers, 401, "INVALID_TOKEN"),
            ("driver", list_offers, 403, "ACCOUNT_NOT_ALLOWED"),
            ("reader", write_note, 403, "SCOPE_MISSING"),
            ("elsewhere", contracted, 403, "MODULE_NOT_ENABLED"),
            ("admin", chatty, 409, "FEATURE_OFF"),
        ],
    )
    async def test_a_caller_without_the_permission_is_refused(
        self, database: Database, token: str | None, operation: Any, status: int, code: str
    ) -> None:
        outcome = await call_operation(make_app(database), operation, NOTE, token=token)
        assert outcome.error
        assert (outcome.status, outcome.error["code"]) == (status, code)

    async def test_a_disabled_family_says_so_in_the_body(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), chatty, token="admin")
        assert outcome.error
        assert outcome.error["feature_enabled"] is False

    async def test_a_module_without_tables_returns_503(self, database: Database) -> None:
        application = make_app(database, modules_missing=frozenset({Module.BROKER_ORDER_ASSIGNMENTS}))
        assert (await call_operation(application, contracted, token="admin")).status == 503

    async def test_a_refused_caller_learns_nothing_about_the_request(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), write_note, "{}", token="driver")
        assert outcome.status == 403

    async def test_an_expired_token_is_refused_by_a_public_read(self, database: Database) -> None:
        assert (await call_operation(make_app(database), greet, NOTE, token="stranger")).status == 401

    async def test_an_interface_can_narrow_a_token_but_not_widen_it(self, database: Database) -> None:
        application = make_app(database)
        narrow = await call_operation(
            application, write_note, NOTE, token="admin", narrow_to=frozenset({Scope.ORDERS_READ})
        )
        wide = await call_operation(
            application, write_note, NOTE, token="reader", narrow_to=frozenset({Scope.ORDERS_WRITE})
        )
        assert (narrow.status, wide.status) == (403, 403)


class TestRateLimits:
    async def test_an_exhausted_limit_states_the_waiting_time(self, database: Database) -> None:
        application = make_app(database)
        statuses = [(await call_operation(application, scarce, NOTE, address="10.0.0.1")).status for _ in range(3)]
        last = await call_operation(application, scarce, NOTE, address="10.0.0.1")
        assert statuses == [200, 200, 429]
        assert 1 <= int(last.headers["Retry-After"]) <= 61

    async def test_limits_are_counted_as_declared(self, database: Database) -> None:
        application = make_app(database)
        for _ in range(3):
            await call_operation(application, scarce, NOTE, address="10.0.0.1")
        assert (await call_operation(application, scarce, NOTE, address="10.0.0.2")).status == 200

    async def test_a_failure_limit_ignores_successes_and_refuses_after_too_many_failures(
        self, database: Database
    ) -> None:
        limited = make_app(database, rate_limiter=RateLimiter(database))
        for application in (limited, make_app(database)):
            for names, statuses in (
                (["Ada"] * 3, [200] * 3),
                (["Eve", "", "Eve", "Eve", "Ada"], [404, 422, 404, 429, 429]),
            ):
                answers = [await call_operation(application, guess, f'{{"name": "{name}"}}') for name in names]
                assert [answer.status for answer in answers] == statuses

    async def test_concurrent_failures_get_a_limited_number_of_answers(self, database: Database) -> None:
        application = make_app(database, rate_limiter=RateLimiter(database))
        wrong = [call_operation(application, guess, '{"name": "Eve"}') for _ in range(6)]
        statuses = [answer.status for answer in await asyncio.gather(*wrong)]
        assert sorted(statuses) == [404] * 2 + [429] * 4


class TestTransactions:
    @pytest.mark.parametrize(("name", "status"), [("refuse", 404), ("break", 500)])
    async def test_a_call_that_fails_halfway_leaves_no_changes(
        self, database: Database, name: str, status: int
    ) -> None:
        outcome = await call_operation(make_app(database), fail_halfway, f'{{"name": "{name}"}}', token="admin")
        assert outcome.status == status
        assert await audit_rows(database) == 0

    async def test_an_internal_error_shows_only_the_request_id(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), fail_halfway, '{"name": "break"}', token="admin")
        assert outcome.error
        assert outcome.error["code"] == "INTERNAL_ERROR"
        assert "Zero" not in str(outcome.error)

    async def test_a_write_leaves_one_audit_entry(self, database: Database) -> None:
        await call_operation(make_app(database), write_note, NOTE, token="admin")
        async with database.read(None) as work:
            (entry,) = await work.all(select(audit_entries))
        assert (entry.operation, entry.user_id, entry.request) == ("write_note", 1, {"name": "Bo"})


class TestDryRun:
    async def test_a_dry_run_responds_without_writing_rows(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), write_note, NOTE, token="admin", dry_run=True)
        assert outcome.answer is not None
        assert outcome.side_effects == []
        assert await audit_rows(database) == 0


class TestConfirmation:
    async def test_a_dangerous_call_requires_confirmation_where_the_interface_does(self, database: Database) -> None:
        application = make_app(database)
        assert (await call_operation(application, erase, token="admin", confirmed=False)).status == 428
        assert (await call_operation(application, erase, token="admin", confirmed=True)).status == 200
        assert (await call_operation(application, erase, token="admin", confirmed=False, dry_run=True)).status == 200


class TestIdempotency:
    async def test_the_same_key_returns_the_first_response(self, database: Database) -> None:
        application = make_app(database)
        first = await call_operation(application, write_note, NOTE, token="admin", idempotency_key="k1")
        again = await call_operation(application, write_note, NOTE, token="admin", idempotency_key="k1")
        assert again.answer == first.answer
        assert (first.replayed, again.replayed) == (False, True)
        assert await audit_rows(database) == 1

    async def test_concurrent_calls_with_one_key_run_once(self, database: Database) -> None:
        application = make_app(database)
        outcomes = await asyncio.gather(
            *(call_operation(application, write_note, NOTE, token="admin", idempotency_key="k") for _ in range(20))
        )
        assert {outcome.status for outcome in outcomes} == {200}
        assert sum(not outcome.replayed for outcome in outcomes) == 1
        assert await audit_rows(database) == 1

    async def test_a_key_with_another_request_is_refused(self, database: Database) -> None:
        application = make_app(database)
        await call_operation(application, write_note, NOTE, token="admin", idempotency_key="k")
        other = await call_operation(application, write_note, '{"name": "Cy"}', token="admin", idempotency_key="k")
        assert other.error
        assert (other.status, other.error["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")

    async def test_repeating_a_one_time_preparation_returns_the_first_response(self, database: Database) -> None:
        application = make_app(database)
        first = await call_operation(application, take_once, NOTE, token="admin", idempotency_key="k")
        for _ in range(2):
            again = await call_operation(application, take_once, NOTE, token="admin", idempotency_key="k")
            assert (again.answer, again.replayed) == (first.answer, True)
        shown = await call_operation(application, take_once, NOTE, token="admin", idempotency_key="k", dry_run=True)
        assert (shown.answer, shown.replayed) == (first.answer, True)
        others = {"a key of its own": "k2", "no key": None}
        for key in others.values():
            assert (
                await call_operation(application, take_once, NOTE, token="admin", idempotency_key=key)
            ).status == 404
        other = await call_operation(application, take_once, '{"name": "Cy"}', token="admin", idempotency_key="k")
        assert other.status == 404

    async def test_a_refused_call_can_be_retried_with_its_key(self, database: Database) -> None:
        application = make_app(database)
        await call_operation(application, fail_halfway, '{"name": "refuse"}', token="admin", idempotency_key="k")
        again = await call_operation(application, fail_halfway, '{"name": "break"}', token="admin", idempotency_key="k")
        assert again.status == 500

    async def test_keys_of_different_callers_are_independent(self, database: Database) -> None:
        application = make_app(database)
        await call_operation(application, write_note, NOTE, token="admin", idempotency_key="k")
        assert not (
            await call_operation(application, write_note, NOTE, token="elsewhere", idempotency_key="k")
        ).replayed

    @pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\nb"])
    async def test_an_unstorable_key_is_refused(self, database: Database, key: str) -> None:
        assert (
            await call_operation(make_app(database), write_note, NOTE, token="admin", idempotency_key=key)
        ).status == 422


class TestPrices:
    async def test_prices_of_a_hidden_family_are_absent_and_marked(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), list_offers, token="customer")
        (offer,) = outcome.answer.offers  # type: ignore[union-attr]
        assert (offer.rate_id, offer.label_minor, offer.price_hidden) == ("r1", 99, True)
        assert not isinstance(offer.amount_minor, int)

    async def test_prices_are_kept_for_callers_without_hidden_families(self, database: Database) -> None:
        outcome = await call_operation(make_app(database), list_offers, token="admin")
        (offer,) = outcome.answer.offers  # type: ignore[union-attr]
        assert offer.amount_minor == 1234
        assert not isinstance(offer.price_hidden, bool)
