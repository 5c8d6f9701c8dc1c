"""Packages with their own numbers, and bulk calls with concurrent references."""

import asyncio
from typing import Any

from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.contexts.orders.public import OrderStep, apply_order_transition
from haulier.kernel.job_run import JobRun


def orders(count: int, **words: Any) -> list[dict[str, Any]]:
    return [{"consignee": make_contact(), "order_ref": f"R-{n}", **words} for n in range(count)]


async def tracked(app: App, number: str) -> list[str]:
    return [event.status_code for event in (await app.answer(None, "track_package", {"number": number})).events]


async def test_every_package_is_tracked_by_the_number_on_its_label(app: App) -> None:
    order_id = await make_order(app, packages=[{}, {}, {}])
    app.clock.forward(minutes=1)
    await app.answer("admin", "hold_order", {"order_id": order_id})
    labels = (await app.answer("admin", "print_local_label", {"order_id": order_id})).data
    for label in labels:
        assert sorted(await tracked(app, label.tracking_number)) == ["information_submitted", "on_hold"]
    assert len({label.tracking_number for label in labels}) == 3


async def test_a_step_uses_a_constant_number_of_statements_for_orders_and_packages(app: App) -> None:
    async def cost(count: int, pieces: int) -> int:
        made = await app.answer(
            "admin",
            "bulk_create_orders",
            {"orders": [{"consignee": make_contact(), "packages": [{}] * pieces}] * count},
        )
        async with JobRun(app.application, app.clients["demo"], 1, 1).call() as call:
            before = call.work.statements
            await apply_order_transition(call, OrderStep.HOLD, [outcome.order_id for outcome in made.outcomes])
            return call.work.statements - before

    assert await cost(2, 2) == await cost(40, 5)


async def test_parallel_batches_with_the_same_references_all_succeed_and_create_each_order_once(app: App) -> None:
    body = {"orders": orders(20)}
    answers = await asyncio.gather(*(app.answer("admin", "bulk_create_orders", body) for _ in range(4)))
    assert sum(answer.created for answer in answers) == 20
    assert sum(answer.existing for answer in answers) == 60
    assert (await app.answer("admin", "get_orders")).total == 20


async def test_a_stopped_batch_reports_every_invalid_order(app: App) -> None:
    bad = [{"consignee": make_contact(), "service": "teleport"}, {"consignee": make_contact(), "customer_id": 999_999}]
    asked = {"orders": [*orders(1), *bad], "stop_on_error": True}
    outcome = await app.call("admin", "bulk_create_orders", asked)
    assert [(each["field"], each["code"]) for each in outcome.error["errors"]] == [  # type: ignore[index]
        ("orders.1.service", "SERVICE_UNKNOWN"),
        ("orders.2.customer_id", "CUSTOMER_UNKNOWN"),
    ]
    assert (await app.answer("admin", "get_orders")).total == 0


async def test_a_batch_counts_existing_orders_separately(app: App) -> None:
    await app.answer("admin", "bulk_create_orders", {"orders": orders(2)})
    started = await app.answer("admin", "bulk_create_orders_async", {"orders": orders(5)})
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id})
    assert (batch.state, batch.done, batch.created, batch.existing, batch.failed) == ("done", 5, 3, 2, 0)
