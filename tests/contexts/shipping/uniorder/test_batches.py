"""Many unified orders in one call, immediate or in a job."""

import asyncio
from typing import Any

import pytest
from tests.contexts.shipping.makers import SENDER, SHIPMENT, make_parcelo_account, make_platform_account
from tests.support.app import App

from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused
from haulier.contexts.shipping.uniorder.actions import ProcessUniorders
from haulier.contexts.shipping.uniorder.jobs import process_uniorders
from haulier.kernel.job_run import JobRun

FORM: dict[str, Any] = {**SHIPMENT, "shipper": SENDER}
LABEL = {"order": FORM, "kind": "label", "service": "next_day"}


def orders(count: int) -> list[dict[str, Any]]:
    """Local deliveries and labels in turn, each with its reference."""
    return [{**({"order": FORM} if n % 2 else LABEL), "order_ref": f"J-{n}"} for n in range(count)]


BAD = [{"order_ref": "BAD-1"}, {"order": FORM, "service": "teleport", "order_ref": "BAD-2"}]


async def run(app: App, job_id: int, attempt: int = 1) -> None:
    await process_uniorders.handler(JobRun(app.application, app.clients["demo"], 1, attempt), ProcessUniorders(job_id))


async def test_each_order_of_a_batch_has_its_own_outcome(app: App) -> None:
    await make_parcelo_account(app)
    done = await app.answer("admin", "uniorder_create_batch", {"orders": [*orders(3), *BAD]}, confirmed=True)
    assert (done.result, done.done, done.failed, done.without_label) == (True, 3, 2, 0)
    assert [(each.reference, each.state) for each in done.outcomes] == [
        ("J-0", "created"),
        ("J-1", "created"),
        ("J-2", "created"),
        ("BAD-1", "refused"),
        ("BAD-2", "refused"),
    ]
    assert [each.order.status for each in done.outcomes[:3]] == ["CREATED"] * 3
    assert [(each.index, each.order_ref, each.code) for each in done.errors] == [
        (3, "BAD-1", "INVALID_REQUEST"),
        (4, "BAD-2", "SERVICE_UNKNOWN"),
    ]
    again = await app.answer("admin", "uniorder_create_batch", {"orders": orders(3)}, confirmed=True)
    assert [each.state for each in again.outcomes] == ["existing"] * 3
    assert (await app.answer("admin", "list_uniorders")).total == 3


async def test_a_refused_label_keeps_its_order_in_the_batch(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused((CarrierMessage("No."),))]
    done = await app.answer("admin", "uniorder_create_batch", {"orders": orders(2)}, confirmed=True)
    assert (done.done, done.failed, done.without_label) == (2, 0, 1)
    assert {each.order.status for each in done.outcomes} == {"LABEL_PURCHASE_FAILED", "CREATED"}


async def test_many_requests_are_rated_together_and_individually(app: App) -> None:
    await make_platform_account(app)
    forms = [
        {**FORM, "reference": "A", "quote_labels": True},
        {"reference": "B"},
        {**FORM, "account_ids": [999], "quote_labels": True},
    ]
    done = await app.answer("admin", "uniorder_rate_batch", {"shipments": forms})
    assert [(each.reference, each.state, each.code) for each in done.outcomes] == [
        ("A", "rated", None),
        ("B", "refused", "INVALID_REQUEST"),
        (None, "refused", "NOT_FOUND"),
    ]
    rated = done.outcomes[0].rated
    assert {each.kind for each in rated.rates} == {"local", "label"}
    made = await app.answer("admin", "uniorder_create", {"rate_id": rated.rates[0].rate_id})
    assert made.order.status == "CREATED"


async def test_a_batch_above_the_limit_is_refused_as_a_whole(app: App) -> None:
    for operation, field, most in (
        ("uniorder_rate_batch", "shipments", 20),
        ("uniorder_create_batch", "orders", 20),
        ("uniorder_rate_batch_async", "shipments", 500),
        ("uniorder_create_batch_async", "orders", 500),
    ):
        row = FORM if field == "shipments" else {"order": FORM}
        refused = await app.call("admin", operation, {field: [row] * (most + 1)}, confirmed=True)
        assert (refused.status, refused.error and refused.error["errors"][0]["field"]) == (422, field)
    assert (await app.answer("admin", "list_uniorders")).total == 0


async def test_a_job_runs_in_the_background_with_progress(app: App) -> None:
    carrier = await make_parcelo_account(app)
    sent = [*orders(44), *BAD]
    started = await app.answer("admin", "uniorder_create_batch_async", {"orders": sent}, confirmed=True)
    assert (started.total, started.refused) == (46, 1)
    waiting = await app.answer("admin", "uniorder_job", {"jobId": started.job_id})
    assert (waiting.state, waiting.done, waiting.total, waiting.purpose) == ("queued", 1, 46, "create")
    await app.work_off()
    page = await app.answer("admin", "uniorder_job", {"jobId": started.job_id, "page": 2, "per_page": 40})
    assert (page.state, page.done, page.succeeded, page.failed) == ("partly_done", 46, 44, 2)
    assert [(each.reference, each.state) for each in page.outcomes[-3:]] == [
        ("J-43", "created"),
        ("BAD-1", "refused"),
        ("BAD-2", "refused"),
    ]
    assert (carrier.bought_times, page.outcomes[0].order.status) == (22, "CREATED")


async def test_a_job_rates_many_requests_that_can_then_be_ordered(app: App) -> None:
    await make_platform_account(app)
    forms = [{**FORM, "quote_labels": True, "reference": f"R-{n}"} for n in range(3)]
    started = await app.answer("customer", "uniorder_rate_batch_async", {"shipments": forms})
    await app.work_off()
    job = await app.answer("customer", "uniorder_job", {"jobId": started.job_id})
    assert (job.state, [each.reference for each in job.outcomes]) == ("done", ["R-0", "R-1", "R-2"])
    local = next(each for each in job.outcomes[1].rated.rates if each.kind == "local")
    assert (await app.answer("customer", "uniorder_create", {"rate_id": local.rate_id})).order.status == "CREATED"
    assert (await app.call("customer2", "uniorder_create", {"rate_id": local.rate_id})).status == 404


async def test_a_killed_job_that_runs_again_repeats_nothing(app: App) -> None:
    carrier = await make_parcelo_account(app)
    started = await app.answer("admin", "uniorder_create_batch_async", {"orders": orders(24)}, confirmed=True)
    carrier.rating = asyncio.CancelledError()  # type: ignore[assignment]
    with pytest.raises(asyncio.CancelledError):
        await run(app, started.job_id)
    carrier.rating = None
    carrier.before_buying = [asyncio.CancelledError()]  # type: ignore[list-item]
    with pytest.raises(asyncio.CancelledError):
        await run(app, started.job_id, 2)
    begun = await app.answer("admin", "uniorder_job", {"jobId": started.job_id})
    assert (begun.state, begun.done) == ("running", 20)
    for attempt in (3, 4):
        await run(app, started.job_id, attempt)
    app.clock.forward(minutes=10)
    await app.work_off()
    job = await app.answer("admin", "uniorder_job", {"jobId": started.job_id, "per_page": 100})
    assert (job.state, {each.order.status for each in job.outcomes}) == ("done", {"CREATED"})
    assert (carrier.bought_times, len(carrier.sold)) == (12, 12)
    assert (await app.answer("admin", "list_uniorders")).total == 24
    assert (await app.answer("admin", "get_orders")).total == 12


async def test_two_workers_on_one_job_do_nothing_twice(app: App) -> None:
    carrier = await make_parcelo_account(app)
    started = await app.answer("admin", "uniorder_create_batch_async", {"orders": orders(30)}, confirmed=True)
    await asyncio.gather(run(app, started.job_id), run(app, started.job_id))
    job = await app.answer("admin", "uniorder_job", {"jobId": started.job_id})
    assert (job.state, job.succeeded, carrier.bought_times) == ("done", 30, 15)
    assert (await app.answer("admin", "list_uniorders")).total == 30


async def test_a_cancelled_job_stops(app: App) -> None:
    started = await app.answer(
        "admin", "uniorder_create_batch_async", {"orders": [{"order": FORM}] * 3}, confirmed=True
    )
    await app.answer("admin", "cancel_uniorder_job", {"jobId": started.job_id})
    await app.work_off()
    job = await app.answer("admin", "uniorder_job", {"jobId": started.job_id})
    assert (job.state, {each.state for each in job.outcomes}) == ("cancelled", {"cancelled"})
    assert (await app.answer("admin", "list_uniorders")).total == 0
    over = await app.call("admin", "cancel_uniorder_job", {"jobId": started.job_id})
    assert over.error
    assert over.error["code"] == "UNIORDER_JOB_IS_OVER"


async def test_a_job_is_visible_to_its_creator_and_the_office(app: App) -> None:
    started = await app.answer("customer", "uniorder_rate_batch_async", {"shipments": [FORM]})
    statuses = {
        who: (await app.call(who, "uniorder_job", {"jobId": started.job_id})).status
        for who in ("customer", "employee", "customer2", "rival")
    }
    assert statuses == {"customer": 200, "employee": 200, "customer2": 404, "rival": 404}
    listed = {who: [job.id for job in (await app.answer(who, "list_uniorder_jobs")).jobs] for who in statuses}
    assert listed == {"customer": [started.job_id], "employee": [started.job_id], "customer2": [], "rival": []}


async def test_jobs_are_listed_newest_first_with_progress(app: App) -> None:
    rates = await app.answer("admin", "uniorder_rate_batch_async", {"shipments": [FORM]})
    orders = await app.answer("admin", "uniorder_create_batch_async", {"orders": [{"order": FORM}] * 3})
    await app.answer("admin", "cancel_uniorder_job", {"jobId": rates.job_id})
    page = await app.answer("admin", "list_uniorder_jobs")
    assert [(job.id, job.purpose, job.state, job.done, job.total) for job in page.jobs] == [
        (orders.job_id, "create", "queued", 0, 3),
        (rates.job_id, "rate", "cancelled", 1, 1),
    ]
    await app.work_off()
    (made,) = (await app.answer("admin", "list_uniorder_jobs", {"purpose": "create", "finished": True})).jobs
    assert (made.state, made.done, made.succeeded, made.failed) == ("done", 3, 3, 0)
    assert (await app.answer("admin", "list_uniorder_jobs", {"finished": False})).jobs == []


async def test_parallel_calls_with_one_reference_create_one_order(app: App) -> None:
    carrier = await make_parcelo_account(app)
    for values in (LABEL, {"order": FORM}):
        ref = {"order_ref": f"P-{values.get('kind', 'local')}"}
        made = await asyncio.gather(*(app.call("admin", "uniorder_create", {**values, **ref}) for _ in range(6)))
        assert len({each.answer.order.id for each in made if each.answer is not None}) == 1
        assert [each.error for each in made if each.error] == []
    assert (carrier.bought_times, (await app.answer("admin", "get_orders")).total) == (1, 1)
