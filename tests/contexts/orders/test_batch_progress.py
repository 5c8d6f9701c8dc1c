"""Batch progress: pages, dead workers, and the end of cancellation."""

from typing import Any

import pytest
from tests.support.app import App
from tests.support.transport import make_contact, status_and_code

from haulier.contexts.orders.batches import operations
from haulier.contexts.orders.batches.operations import ORDERS_PER_TRANSACTION, ProcessOrderBatch, process_order_batch
from haulier.kernel.job_run import JobRun


async def make_batch(app: App, count: int, who: str = "admin", **words: Any) -> int:
    orders = [{"consignee": make_contact(), "order_ref": f"B-{n}", **words} for n in range(count)]
    return (await app.answer(who, "bulk_create_orders_async", {"orders": orders})).async_id


async def read(app: App, batch_id: int, **words: Any) -> Any:
    return await app.answer("admin", "get_async_batch_result", {"id": batch_id, **words})


async def test_the_pages_of_a_batch_list_every_outcome_once_and_in_order(app: App) -> None:
    batch_id = await make_batch(app, 25)
    await app.work_off()
    pages = [await read(app, batch_id, page=page, per_page=10) for page in (1, 2, 3, 4)]
    assert [len(page.outcomes) for page in pages] == [10, 10, 5, 0]
    assert [each.index for page in pages for each in page.outcomes] == list(range(25))
    assert len({each.order_id for page in pages for each in page.outcomes}) == 25


async def test_another_worker_continues_a_batch_after_a_killed_one(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    batch_id, chunks, real = await make_batch(app, ORDERS_PER_TRANSACTION + 10), [0], operations.create_orders

    async def dying(*args: Any, **words: Any) -> Any:
        chunks[0] += 1
        taken = await real(*args, **words)
        if chunks[0] == 2:
            raise ConnectionError
        return taken

    monkeypatch.setattr(operations, "create_orders", dying)
    with pytest.raises(ConnectionError):
        await process_order_batch.handler(
            JobRun(app.application, app.clients["demo"], 1, 1), ProcessOrderBatch(batch_id)
        )
    half = await read(app, batch_id)
    assert (half.state, half.done) == ("running", ORDERS_PER_TRANSACTION)
    await process_order_batch.handler(JobRun(app.application, app.clients["demo"], 1, 2), ProcessOrderBatch(batch_id))
    assert ((whole := await read(app, batch_id)).state, whole.created) == ("done", ORDERS_PER_TRANSACTION + 10)
    assert (await app.answer("admin", "get_orders")).total == ORDERS_PER_TRANSACTION + 10


async def test_a_finished_batch_cannot_be_cancelled_and_its_orders_stay(app: App) -> None:
    batch_id = await make_batch(app, 2)
    await app.work_off()
    assert status_and_code(await app.call("admin", "cancel_async_batch", {"id": batch_id})) == (409, "BATCH_IS_OVER")
    assert (await app.answer("admin", "get_orders", {"status": "NEW_ORDER"})).total == 2


async def test_a_customers_batch_creates_orders_of_that_customer(app: App) -> None:
    await make_batch(app, 2, "customer")
    await app.work_off()
    assert (await app.answer("customer", "get_orders")).total == 2
    assert (await app.answer("customer2", "get_orders")).total == 0


async def test_only_its_creator_can_cancel_a_batch(app: App) -> None:
    batch_id = await make_batch(app, 1)
    for who, status in (("customer", 404), ("rival", 404), ("driver", 403), (None, 401)):
        assert (await app.call(who, "cancel_async_batch", {"id": batch_id})).status == status
    assert (await read(app, batch_id)).state == "queued"


async def test_a_batch_of_only_invalid_orders_fails(app: App) -> None:
    batch_id = await make_batch(app, 2, service="teleport")
    await app.work_off()
    batch = await read(app, batch_id)
    assert (batch.state, batch.failed, {each.code for each in batch.outcomes}) == ("failed", 2, {"SERVICE_UNKNOWN"})
