"""Cached answers of orders, lists and quotes, until the client's next write."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import update
from tests.contexts.orders.examples import EXAMPLES
from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.adapters.database import database_for
from haulier.app import begin_to_remember, build_application
from haulier.contexts.identity.accounts.store.tables import tokens
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL
from haulier.kernel.http import answer_store, read_cache
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.enums import Effect
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.settings import Settings

QUOTED = {"consignee": make_contact(), "weight_g": 1500}
WRITES = 50
HEARD_WITHIN_S = 60
Question = tuple[str, str, Any]


def questions(order_id: int) -> dict[str, Question]:
    """One for each operation whose answers are kept, as the REST door is asked."""
    return {
        "get_orders": ("GET", "/v1/orders?per_page=20", None),
        "get_order_detail": ("GET", f"/v1/orders/{order_id}", None),
        "order_snapshot": ("GET", f"/v1/orders/{order_id}/snapshot", None),
        "quote_delivery": ("POST", "/v1/orders/rate", QUOTED),
    }


@pytest.fixture
async def serving(app: App) -> AsyncIterator[App]:
    """A process that serves: it hears of writes, and keeps answers."""
    async with AsyncExitStack() as stack:
        await begin_to_remember(app.application, stack)
        yield app


async def ask(app: App, question: Question, who: str = "admin") -> bytes:
    method, path, body = question
    response = await app.rest(who, method, path, body)
    assert response.status_code == 200, response.text
    return response.content


async def statements_of(app: App, question: Question, who: str = "admin") -> int:
    before = app.statements
    await ask(app, question, who)
    return app.statements - before


async def ask_uncached(app: App, order_id: int, operation: str, who: str) -> bytes:
    """The answer of a server over the same database that keeps nothing."""
    values = {"get_orders": {"per_page": 20}, "quote_delivery": QUOTED}.get(operation, {"order_id": order_id})
    application = build_application(Settings(background=False, rate_limits=False), app.database)
    application.clock = app.clock
    request = OperationRequest(
        operation=application.registry[operation],
        interface="rest",
        request_id="anew",
        token=app.tokens[who],
        body=encode_json(values),
    )
    result = await handle_request(application, request)
    assert result.error is None, result.error
    return encode_json(result.answer)


async def test_these_responses_are_cached_and_the_third_call_costs_no_statement(serving: App) -> None:
    asked = questions(await make_order(serving))
    assert set(asked) == {each.name for each in serving.application.registry if each.cached}
    for name, question in asked.items():
        first = await ask(serving, question)
        await ask(serving, question)
        assert await statements_of(serving, question) == 0, name
        assert await ask(serving, question) == first, name


async def test_cached_and_fresh_responses_agree_after_any_write(serving: App) -> None:
    chosen, ids = random.Random(16), [await make_order(serving) for _ in range(3)]
    writes = [
        each.name
        for each in serving.application.registry
        if each.effect is Effect.WRITE and each.name in EXAMPLES and not each.is_document_operation
    ]
    done = 0
    for step in range(WRITES):
        values = {**EXAMPLES[writes[step % len(writes)]]}
        if "order_id" in values:
            values["order_id"] = chosen.choice(ids)
        if "order_ids" in values:
            values["order_ids"] = [chosen.choice(ids)]
        if "order_ref" in values:
            values["order_ref"] = f"W-{step}"
        outcome = await serving.call(chosen.choice(["admin", "employee"]), writes[step % len(writes)], values)
        done += outcome.error is None
        order_id = chosen.choice(ids)
        for name, question in questions(order_id).items():
            await ask(serving, question)
            kept = await ask(serving, question)
            assert await ask(serving, question) == kept == await ask_uncached(serving, order_id, name, "admin"), (
                writes[step % len(writes)],
                name,
            )
    assert done > WRITES / 3, "most of what was asked was done"


async def test_writes_of_other_tenants_keep_the_cache_and_isolation_holds(serving: App) -> None:
    order_id = await make_order(serving)
    question = questions(order_id)["get_order_detail"]
    for _ in range(3):
        await ask(serving, question)
    await serving.answer("rival", "create_order", {"consignee": make_contact()})
    assert await statements_of(serving, question) == 0
    for _ in range(3):
        assert (await serving.rest("rival", "GET", question[1])).status_code == 404


async def test_the_cache_is_per_caller_and_a_revoked_permission_invalidates_it(serving: App) -> None:
    asked = questions(await make_order(serving))
    quote, detail = asked["quote_delivery"], asked["get_order_detail"]
    for _ in range(3):
        office, customer = await ask(serving, quote), await ask(serving, quote, "customer")
        await ask(serving, detail)
        assert b"shipping_price" in office
        assert b"shipping_price" in customer
    hidden = {"customer_id": serving.ids["customer"], "hidden": ["local_delivery"]}
    await serving.answer("admin", "set_price_visibility", hidden)
    for _ in range(3):
        assert b"shipping_price" not in await ask(serving, quote, "customer")
        assert b"shipping_price" in await ask(serving, quote)
        await ask(serving, detail)
    async with serving.database.write(None) as plain:
        work = plain.without_tenant_filter("the test ends everybody's tokens")
        await work.run(update(tokens).values(revoked_at=serving.clock.now))
    assert (await serving.rest("admin", *detail[:2])).status_code == 401


async def test_cached_responses_expire_and_time_dependent_ones_are_not_cached(serving: App) -> None:
    question = questions(await make_order(serving))["get_orders"]
    for _ in range(3):
        await ask(serving, question)
    serving.clock.forward(seconds=read_cache.CACHED_FOR.total_seconds())
    assert await statements_of(serving, question) > 0
    late = ("GET", "/v1/orders?late=true", None)
    for _ in range(3):
        assert await statements_of(serving, late) > 0


async def test_another_node_invalidates_its_cache_after_a_write(serving: App) -> None:
    """On PostgreSQL by a notice after some milliseconds; at once in a shared file."""
    order_id = await make_order(serving)
    question = questions(order_id)["get_order_detail"]
    for _ in range(3):
        await ask(serving, question)
    elsewhere, heard = database_for(serving.database_url), asyncio.Event()
    await elsewhere.open()
    try:
        application = build_application(Settings(background=False, rate_limits=False), elsewhere)
        application.clock = serving.clock
        unlisten = await serving.database.listen(CLIENT_WRITES_CHANNEL, lambda _: heard.set())
        request = OperationRequest(
            operation=application.registry["update_order_note"],
            interface="rest",
            request_id="other",
            token=serving.tokens["admin"],
            body=encode_json({"order_id": order_id, "note": "Told elsewhere."}),
        )
        assert (await handle_request(application, request)).error is None
        if elsewhere.dialect == "postgresql":
            await asyncio.wait_for(heard.wait(), HEARD_WITHIN_S)
        unlisten()
        assert b"Told elsewhere." in await ask(serving, question)
    finally:
        await elsewhere.close()


async def test_the_cache_has_a_maximum_size(serving: App, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [await make_order(serving) for _ in range(4)]
    asked = [questions(each)["get_order_detail"] for each in ids]
    each = len(await ask(serving, asked[0])) + answer_store.BESIDE_CONTENT_BYTES
    monkeypatch.setattr(answer_store, "MAX_KEPT_BYTES", 2 * each + 100)
    for question in asked:
        for _ in range(2):
            await ask(serving, question)
    assert [await statements_of(serving, question) > 0 for question in asked[2:]] == [False, False]
    assert await statements_of(serving, asked[0]) > 0
