"""Order batches, immediate or in the background."""

from typing import Any

from tests.support.app import App

from haulier.contexts.orders.batches.operations import ProcessOrderBatch, process_order_batch
from haulier.kernel.job_run import JobRun

THERE = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}


def some(count: int) -> list[dict[str, Any]]:
    return [{"consignee": THERE, "order_ref": f"B-{n}"} for n in range(count)]


BAD = {"consignee": THERE, "service": "teleport", "order_ref": "BAD"}


async def test_an_invalid_order_does_not_stop_the_others(app: App) -> None:
    done = await app.answer("admin", "bulk_create_orders", {"orders": [*some(2), BAD, *some(1)]})
    assert (done.created, done.existing, done.failed) == (2, 1, 1)
    assert [outcome.state for outcome in done.outcomes] == ["created", "created", "refused", "existing"]
    assert done.outcomes[2].code == "SERVICE_UNKNOWN"


async def test_an_invalid_order_stops_the_batch_if_requested(app: App) -> None:
    outcome = await app.call("admin", "bulk_create_orders", {"orders": [*some(2), BAD], "stop_on_error": True})
    assert outcome.status == 422
    assert (await app.answer("admin", "get_orders")).total == 0


async def test_a_batch_is_processed_in_the_background(app: App) -> None:
    started = await app.answer("admin", "bulk_create_orders_async", {"orders": [*some(120), BAD]})
    waiting = await app.answer("admin", "get_async_batch_result", {"id": started.async_id})
    assert (waiting.state, waiting.done, waiting.total) == ("queued", 0, 121)
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id, "page": 3, "per_page": 50})
    assert (batch.state, batch.done, batch.created, batch.failed) == ("partly_done", 121, 120, 1)
    assert (batch.outcomes[-1].order_ref, batch.outcomes[-1].state) == ("BAD", "refused")
    assert (await app.answer("admin", "get_orders")).total == 120


async def test_a_repeated_batch_creates_no_duplicates(app: App) -> None:
    started = await app.answer("admin", "bulk_create_orders_async", {"orders": some(3)})
    for attempt in (1, 2):
        await process_order_batch.handler(
            JobRun(app.application, app.clients["demo"], 1, attempt), ProcessOrderBatch(started.async_id)
        )
    assert (await app.answer("admin", "get_orders")).total == 3


async def test_a_cancelled_batch_creates_no_more_orders(app: App) -> None:
    started = await app.answer("admin", "bulk_create_orders_async", {"orders": some(3)})
    await app.answer("admin", "cancel_async_batch", {"id": started.async_id})
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id})
    assert (batch.state, {outcome.state for outcome in batch.outcomes}) == ("cancelled", {"cancelled"})
    assert (await app.answer("admin", "get_orders")).total == 0


async def test_a_batch_is_visible_to_its_creator_and_the_office(app: App) -> None:
    started = await app.answer("customer", "bulk_create_orders_async", {"orders": some(1)})
    statuses = {
        who: (await app.call(who, "get_async_batch_result", {"id": started.async_id})).status
        for who in ("customer", "employee", "customer2", "rival")
    }
    assert statuses == {"customer": 200, "employee": 200, "customer2": 404, "rival": 404}
