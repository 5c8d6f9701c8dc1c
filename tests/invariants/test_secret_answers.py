"""Idempotency keys apply to every write, including those with an unstored secret."""

import asyncio
from typing import Any

import pytest
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.errors import ANSWER_NOT_REPEATED, IDEMPOTENCY_KEY_REUSED, OperationError
from haulier.kernel.pipeline.idempotency import IdempotencyClaim, claim_idempotency_key, digest_request

SECRET = [operation for operation in registry() if operation.effect is Effect.WRITE and not operation.replayable]
TOKEN = {"name": "once", "scopes": ["orders:read", "account:read", "routes:read"]}


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


async def refusal(call: Any, operation: Operation[Any, Any], digest: bytes) -> str:
    with pytest.raises(OperationError) as refused:
        await claim_idempotency_key(call, operation, "key", digest)
    return refused.value.error_type.id


async def test_every_write_with_a_secret_response_claims_its_key(sqlite_app: App) -> None:
    async with sqlite_app.database.write(None) as work:
        call = await call_as_system(sqlite_app.application, None, work)
        for operation in SECRET:
            claim = await claim_idempotency_key(call, operation, "key", b"one")
            assert isinstance(claim, IdempotencyClaim)
            await claim.store(call, Done(message=""))
            assert await refusal(call, operation, b"one") == ANSWER_NOT_REPEATED.id
            assert await refusal(call, operation, b"other") == IDEMPOTENCY_KEY_REUSED.id
    assert len(SECRET) > 40


async def test_a_repeat_names_the_existing_record_and_another_body_is_refused(app: App) -> None:
    first = await app.answer("admin", "issue_api_token", TOKEN, idempotency_key="once")
    again = await app.call("admin", "issue_api_token", TOKEN, idempotency_key="once")
    assert code(again) == (409, "ANSWER_NOT_REPEATED")
    assert again.error
    assert again.error["existing"] == {"id": first.id}
    assert str(first.id) in again.error["message"]
    other = await app.call("admin", "issue_api_token", {**TOKEN, "name": "other"}, idempotency_key="once")
    assert code(other) == (422, "IDEMPOTENCY_KEY_REUSED")
    tokens = (await app.answer("admin", "list_api_tokens", {"search": "once"})).tokens
    assert [token.id for token in tokens] == [first.id]


async def test_of_concurrent_calls_with_one_key_one_runs(app: App) -> None:
    calls = [app.call("admin", "issue_api_token", TOKEN, idempotency_key="at-once") for _ in range(4)]
    outcomes = await asyncio.gather(*calls)
    assert sorted(outcome.status for outcome in outcomes)[1:] == [409] * 3
    assert len((await app.answer("admin", "list_api_tokens", {"search": "once"})).tokens) == 1


async def test_no_stored_request_contains_a_password(app: App) -> None:
    person = {"email": "admin@demo.example", "password": "one"}
    digests = {operation.name: operation for operation in SECRET}
    request = digests["login"].request.model_validate(person)
    other = digests["login"].request.model_validate({**person, "password": "two"})
    assert digest_request(digests["login"], request, b"") == digest_request(digests["login"], other, b"")
