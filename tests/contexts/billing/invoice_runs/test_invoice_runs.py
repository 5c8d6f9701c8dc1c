"""An invoice run bills every customer of a cycle once, whatever happens meanwhile."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.orders.makers import make_delivered_order
from tests.contexts.storage.makers import refusal
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.invoice_runs import jobs
from haulier.contexts.billing.invoice_runs.rules import RunInvoices
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import record_not_found

DELIVERY = 903


async def two_customers(app: App) -> None:
    """Create a billing business with two customers who owe 11.30 and 22.60."""
    await make_billing_business(app)
    async with make_call(app) as call:
        await billing.set_credit_limit(call, app.ids["customer2"], cad(100_000))
    await charged(app, 1130)
    await charged(app, 2260, who="customer2")


async def started(app: App, **values: Any) -> Any:
    """Start a run until today."""
    return (await app.answer("admin", "start_invoice_run", {"until": today(app), **values})).invoice_run


def today(app: App) -> str:
    return app.clock().date().isoformat()


async def run_of(app: App, run_id: int) -> Any:
    """Return a run as it is now."""
    return (await app.answer("admin", "get_invoice_run", {"invoice_run_id": run_id})).invoice_run


async def invoices_of(app: App, run_id: int) -> list[Any]:
    """Return the invoices of a run."""
    return (await app.answer("admin", "list_invoices", {"invoice_run_id": run_id})).invoices


async def test_a_preview_matches_the_invoices_that_the_run_issues(app: App) -> None:
    await two_customers(app)
    preview = await app.answer("admin", "preview_invoice_run", {"until": today(app)})
    assert [(each.customers, each.lines, each.total_minor) for each in preview.sums] == [(2, 2, 3390)]
    assert [(each.customer_id, each.net_minor, each.tax_minor) for each in preview.customers] == [
        (app.ids["customer"], 1000, 130),
        (app.ids["customer2"], 2000, 260),
    ]
    assert {tuple(each.warnings) for each in preview.customers} == {("no_billing_address",)}
    run = await started(app)
    assert (run.state, run.customers, run.done) == ("queued", 2, 0)
    await app.work_off()
    run = await run_of(app, run.id)
    assert (run.state, run.done, run.issued, run.failed) == ("done", 2, 2, 0)
    assert [(each.invoices, each.net_minor, each.tax_minor, each.total_minor) for each in run.sums] == [
        (2, 3000, 390, 3390)
    ]
    assert len(await invoices_of(app, run.id)) == 2
    assert (await app.answer("admin", "preview_invoice_run", {"until": today(app)})).customers == []


async def test_a_second_run_of_a_period_issues_no_duplicates(app: App) -> None:
    await two_customers(app)
    first, second = await started(app), await started(app)
    await app.work_off()
    runs = [await run_of(app, each.id) for each in (first, second)]
    assert sorted((run.issued, run.nothing) for run in runs) == [(0, 2), (2, 0)]
    assert await refusal(app, "admin", "start_invoice_run", {"until": today(app)}) == (409, "NOTHING_TO_INVOICE")
    assert await faults(app) == []


async def test_parallel_runs_and_manual_invoices_bill_each_charge_once(app: App) -> None:
    await two_customers(app)
    runs = [await started(app) for _ in range(2)]
    by_hand = {"customer_id": app.ids["customer"]}
    await asyncio.gather(
        *(_work_off(app, run.id) for run in runs),
        app.call("admin", "issue_invoice", by_hand),
        _work_off(app, runs[0].id),
    )
    listed = (await app.answer("admin", "list_invoices", {})).invoices
    assert sorted((each.customer_id, each.total_minor) for each in listed) == sorted(
        [(app.ids["customer"], 1130), (app.ids["customer2"], 2260)]
    )
    assert await faults(app) == []


async def _work_off(app: App, run_id: int) -> None:
    await jobs.run_invoices.handler(JobRun(app.application, app.clients["demo"], 1, 1), RunInvoices(run_id))


async def test_a_killed_run_continues_with_the_next_customer(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await two_customers(app)
    run, bill = await started(app), jobs.bill_customer

    async def killed(call: Any, customer_id: int, *given: Any, **named: Any) -> Any:
        made = await bill(call, customer_id, *given, **named)
        if customer_id == app.ids["customer2"]:
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(jobs, "bill_customer", killed)
    with pytest.raises(KeyboardInterrupt):
        await _work_off(app, run.id)
    between = await run_of(app, run.id)
    assert (between.state, between.done, between.issued) == ("running", 1, 1)
    monkeypatch.setattr(jobs, "bill_customer", bill)
    await _work_off(app, run.id)
    assert (await run_of(app, run.id)).issued == 2
    assert sorted(each.number for each in await invoices_of(app, run.id)) == ["INV-000001", "INV-000002"]


async def test_a_failed_customer_is_reported_and_billed_by_a_retry(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await two_customers(app)
    run, bill = await started(app), jobs.bill_customer

    async def failing(call: Any, customer_id: int, *given: Any, **named: Any) -> Any:
        made = await bill(call, customer_id, *given, **named)
        if customer_id == app.ids["customer"]:
            raise record_not_found(customer_id=customer_id)
        return made

    monkeypatch.setattr(jobs, "bill_customer", failing)
    await app.work_off()
    assert (await run_of(app, run.id)).state == "partly_done"
    failed = {"invoice_run_id": run.id, "outcome": "failed"}
    (outcome,) = (await app.answer("admin", "list_invoice_run_customers", failed)).customers
    assert (outcome.customer_id, outcome.code, outcome.invoices) == (app.ids["customer"], "NOT_FOUND", [])
    monkeypatch.setattr(jobs, "bill_customer", bill)
    await app.answer("admin", "retry_invoice_run", {"invoice_run_id": run.id})
    await app.work_off()
    after = await run_of(app, run.id)
    assert (after.state, after.issued, after.failed) == ("done", 2, 0)
    assert [each.number for each in reversed(await invoices_of(app, run.id))] == ["INV-000001", "INV-000002"]


async def test_a_cancelled_run_bills_no_more_customers(app: App) -> None:
    await two_customers(app)
    run = await started(app)
    for _ in range(2):
        cancelled = (await app.answer("admin", "cancel_invoice_run", {"invoice_run_id": run.id})).invoice_run
        assert cancelled.state == "cancelled"
    await app.work_off()
    assert await invoices_of(app, run.id) == []
    over = {"invoice_run_id": run.id}
    assert await refusal(app, "admin", "retry_invoice_run", over) == (409, "INVOICE_RUN_NOT_OVER")


async def test_a_finished_run_cannot_be_cancelled_and_a_running_one_cannot_be_sent(app: App) -> None:
    await two_customers(app)
    over = {"invoice_run_id": (await started(app)).id}
    assert await refusal(app, "admin", "send_invoice_run", over) == (409, "INVOICE_RUN_NOT_OVER")
    await app.work_off()
    assert await refusal(app, "admin", "cancel_invoice_run", over) == (409, "INVOICE_RUN_OVER")


async def test_emails_are_held_until_the_run_is_sent(app: App) -> None:
    await two_customers(app)
    run = await started(app, send=False)
    await app.work_off()
    mails = await received_mails(app)
    assert [each for each in mails if "INV-" in each.subject] == []
    assert [each.sent for each in (await run_of(app, run.id)).sums] == [0]
    for _ in range(2):
        await app.answer("admin", "send_invoice_run", {"invoice_run_id": run.id})
        await app.work_off()
    mails = await received_mails(app)
    assert len([each for each in mails if "INV-" in each.subject]) == 2
    assert [each.sent for each in (await run_of(app, run.id)).sums] == [2]


async def test_a_run_bills_the_customers_of_its_billing_cycle(app: App) -> None:
    await two_customers(app)
    weekly = {"customer_id": app.ids["customer"], "period": "week", "billing_day": 3, "automatic": False}
    terms = await app.answer("admin", "set_billing_terms", weekly)
    assert (terms.automatic, terms.next_invoice_on.isoweekday()) == (False, 3)
    for cycle, who in (("week", "customer"), ("manual", "customer2")):
        preview = await app.answer("admin", "preview_invoice_run", {"cycle": cycle, "until": today(app)})
        assert [each.customer_id for each in preview.customers] == [app.ids[who]]
    preview = await app.answer("admin", "preview_invoice_run", {"cycle": "month", "until": today(app)})
    assert preview.customers == []


async def test_unbilled_orders_are_charged_and_invoiced_by_the_run(app: App) -> None:
    await make_billing_business(app)
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_invoice_run"})
    await make_delivered_order(app, consignee=ADDRESS, customer_id=app.ids["customer"])
    await app.work_off()
    until = today(app)
    preview = await app.answer("admin", "preview_invoice_run", {"until": until})
    (each,) = preview.customers
    assert (each.lines, each.pending, each.total_minor, each.tax_minor) == (1, 1, DELIVERY, 104)
    app.clock.forward(days=2)
    await charged(app, 500)
    run = await started(app, until=until)
    await app.work_off()
    (invoice,) = await invoices_of(app, run.id)
    assert (invoice.total_minor, invoice.tax_minor) == (DELIVERY, 104)
    assert await credit(app) == (-DELIVERY - 500, 0, 100_000 - DELIVERY - 500)
    assert (await issued(app)).total_minor == 500
    assert await refusal(app, "admin", "issue_invoice", {"customer_id": app.ids["customer"]}) == (
        409,
        "NOTHING_TO_INVOICE",
    )
    assert await faults(app) == []


async def test_the_period_of_a_run_ends_with_its_cycle(app: App) -> None:
    await two_customers(app)
    app.clock.forward(days=40)
    now = app.clock().date()
    ends = {
        cycle: (await app.answer("admin", "preview_invoice_run", {"cycle": cycle})).until
        for cycle in ("week", "month", "manual")
    }
    assert ends["week"] == now - timedelta(days=now.isoweekday())
    assert ends["month"] == now.replace(day=1) - timedelta(days=1)
    assert ends["manual"] == now - timedelta(days=1)


async def test_expired_exemptions_and_existing_credit_produce_warnings(app: App) -> None:
    await two_customers(app)
    day = app.clock().date()
    exempt = {
        "customer_id": app.ids["customer"],
        "kind": "certificate",
        "certificate_number": "X1",
        "valid_from": (day - timedelta(days=30)).isoformat(),
        "valid_until": (day - timedelta(days=1)).isoformat(),
    }
    await app.answer("admin", "create_tax_exemption", exempt)
    async with make_call(app) as call:
        await billing.top_up(call, app.ids["customer"], cad(2000), key="more")
    preview = await app.answer("admin", "preview_invoice_run", {"until": today(app)})
    first = next(each for each in preview.customers if each.customer_id == app.ids["customer"])
    assert (first.covered_minor, set(first.warnings)) == (
        1130,
        {"exemption_expired", "credit_left", "no_billing_address"},
    )


async def test_a_preview_warns_about_a_tax_number_required_by_law(app: App) -> None:
    await two_customers(app)
    await app.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON"})
    preview = await app.answer("admin", "preview_invoice_run", {"until": today(app)})
    assert all("no_tax_number" in each.warnings for each in preview.customers)
    identity = {"legal_name": "Rapid Courier Inc.", "city": "Toronto", "country": "CA", "tax_number": "123456782RT0001"}
    await app.answer("admin", "set_billing_identity", identity)
    preview = await app.answer("admin", "preview_invoice_run", {"until": today(app)})
    assert not any("no_tax_number" in each.warnings for each in preview.customers)


async def test_customers_cannot_see_runs_or_hidden_prices(app: App) -> None:
    await make_billing_business(app)
    async with make_call(app) as call:
        await billing.set_credit_limit(call, app.ids["customer"], cad(100_000))
    await charged(app, 4321, family=PriceFamily.LABEL_SERVICE)
    await app.answer(
        "admin",
        "set_price_visibility",
        {"customer_id": app.ids["customer"], "hidden": [PriceFamily.LABEL_SERVICE.value]},
    )
    run = await started(app)
    await app.work_off()
    for operation in ("get_invoice_run", "list_invoice_run_customers", "cancel_invoice_run", "send_invoice_run"):
        assert (await app.call("customer", operation, {"invoice_run_id": run.id})).status == 403
    for operation in ("preview_invoice_run", "list_invoice_runs", "start_invoice_run"):
        assert (await app.call("customer", operation, {})).status == 403
    (seen,) = (await app.answer("customer", "list_invoices", {"invoice_run_id": run.id})).invoices
    assert "4321" not in repr(seen)
    assert "43.21" not in "".join([each.text for each in await received_mails(app)])
