"""Payments are allocated to invoices; what is left stays on account."""

import asyncio
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import credit, faults
from tests.support.app import App

ONCE = {"reference": "Transfer 815"}


async def make_invoices(app: App, *amounts: int) -> list[Any]:
    """Return an open invoice of each amount."""
    await make_billing_business(app)
    made = []
    for minor in amounts:
        await charged(app, minor)
        made.append(await issued(app))
    return made


async def received(app: App, minor: int, **more: Any) -> Any:
    """Record a payment of the customer."""
    paid = {"customer_id": app.ids["customer"], "amount_minor": minor, **ONCE, **more}
    answer = (await app.answer("admin", "top_up_credit", paid)).received_payment
    await app.work_off()
    return await payment(app, answer.id)


async def payment(app: App, id: int) -> Any:
    return (await app.answer("admin", "get_received_payment", {"received_payment_id": id})).received_payment


async def due(app: App, *invoices: Any) -> list[tuple[int, str]]:
    """Return the open amount and status of invoices."""
    found = [await shown(app, each.id) for each in invoices]
    for each in found:
        assert each.paid_minor == sum(part.amount_minor for part in each.allocations)
    return [(each.due_minor, each.status.value) for each in found]


async def refused(app: App, operation: str, **asked: Any) -> str:
    outcome = await app.call("admin", operation, asked)
    assert outcome.error
    return str(outcome.error["code"])


async def test_a_payment_pays_the_oldest_invoices_and_the_rest_pays_later_ones(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    made = await received(app, 1700, received_on="2026-06-01")
    assert await due(app, first, second) == [(0, "paid"), (0, "paid")]
    assert (made.allocated_minor, made.unallocated_minor, made.status.value) == (1500, 200, "unallocated")
    assert [(each.invoice_number, each.amount_minor) for each in made.allocations] == [
        (first.number, 1000),
        (second.number, 500),
    ]
    await charged(app, 300)
    third = await issued(app)
    assert await due(app, third) == [(100, "open")]
    assert (await payment(app, made.id)).status.value == "allocated"
    listed = await app.answer("admin", "list_received_payments", {"status": "unallocated"})
    assert listed.received_payments == []
    assert await faults(app) == []


async def test_invoice_numbers_in_the_reference_are_paid_first(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    await received(app, 700, reference=f"thanks, {second.number.lower()}.")
    assert await due(app, first, second) == [(800, "open"), (0, "paid")]


async def test_explicit_amounts_leave_the_rest_on_account_until_it_is_allocated(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    made = await received(app, 900, allocations=[{"invoice_id": second.id, "amount_minor": 200}])
    assert await due(app, first, second) == [(1000, "open"), (300, "open")]
    assert (made.unallocated_minor, made.automatic) == (700, False)
    await charged(app, 100)
    third = await issued(app)
    assert await due(app, third) == [(100, "open")]
    allocate = {"received_payment_id": made.id, "allocations": [{"invoice_id": third.id}, {"invoice_id": second.id}]}
    now = (await app.answer("admin", "allocate_payment", allocate)).received_payment
    assert now.unallocated_minor == 300
    await app.answer("admin", "allocate_payment", {"received_payment_id": made.id})
    assert await due(app, first, second, third) == [(700, "open"), (0, "paid"), (0, "paid")]
    assert (await credit(app))[0] == -700


async def test_no_more_is_allocated_than_is_open_or_was_paid(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    made = await received(app, 600, allocations=[])

    async def attempt(invoice: Any, minor: int) -> str:
        part = {"invoice_id": invoice.id, "amount_minor": minor}
        return await refused(app, "allocate_payment", received_payment_id=made.id, allocations=[part])

    assert await attempt(first, 601) == "PAYMENT_AMOUNT_TOO_LARGE"
    assert await attempt(second, 501) == "INVOICE_AMOUNT_TOO_LARGE"
    paid = {"customer_id": app.ids["customer"], "amount_minor": 100, "currency": "USD", "reference": "Dollars"}
    part = [{"invoice_id": first.id, "amount_minor": 100}]
    assert await refused(app, "top_up_credit", **paid, allocations=part) == "PAYMENT_CURRENCY_DIFFERS"
    other = {**paid, "currency": "CAD", "customer_id": app.ids["customer2"], "allocations": part}
    assert await refused(app, "top_up_credit", **other) == "NOT_FOUND"
    assert await due(app, first, second) == [(1000, "open"), (500, "open")]
    assert len((await app.answer("admin", "list_received_payments")).received_payments) == 1


async def test_an_undone_allocation_stays_on_account(app: App) -> None:
    (invoice,) = await make_invoices(app, 1000)
    made = await received(app, 1000)
    for _ in range(2):
        undone = await app.answer("admin", "undo_allocation", {"allocation_id": made.allocations[0].id})
        assert (undone.invoice.due_minor, undone.invoice.allocations) == (1000, [])
    await received(app, 100, reference="Later")
    assert await due(app, invoice) == [(900, "open")]
    now = await payment(app, made.id)
    assert (now.unallocated_minor, now.automatic, now.allocations) == (1000, False, [])
    await app.answer("admin", "allocate_payment", {"received_payment_id": made.id})
    assert await due(app, invoice) == [(0, "paid")]


async def test_a_reversed_payment_reopens_its_invoices_and_is_reminded_of(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    made = await received(app, 1600)
    reversal = {"received_payment_id": made.id, "reason": "Returned by the bank"}
    gone = (await app.answer("admin", "reverse_payment", reversal)).received_payment
    assert (gone.status.value, gone.unallocated_minor, gone.reversal_reason) == ("reversed", 0, reversal["reason"])
    assert await due(app, first, second) == [(1000, "open"), (500, "open")]
    assert (await credit(app))[0] == -1500
    assert await refused(app, "reverse_payment", **reversal) == "PAYMENT_REVERSED"
    assert await refused(app, "allocate_payment", received_payment_id=made.id) == "PAYMENT_REVERSED"
    await days_later(app, 21)
    assert (await shown(app, first.id)).dunning_level == 1
    kinds = [each.kind.value for each in (await app.answer("admin", "list_ledger_transfers")).transfers]
    assert kinds.count("payment_reversal") == 1
    assert await faults(app) == []


async def test_a_payment_of_an_invoice_is_a_received_payment_allocated_to_it(app: App) -> None:
    (invoice,) = await make_invoices(app, 1000)
    asked = {"invoice_id": invoice.id, "amount_minor": 400, "paid_by": "cash", "reference": "Till 3"}
    for _ in range(2):
        await app.answer("admin", "record_invoice_payment", asked)
    (made,) = (await app.answer("admin", "list_received_payments", {"reference": "Till 3"})).received_payments
    assert (made.amount_minor, made.paid_by.value, made.status.value) == (400, "cash", "allocated")
    (part,) = (await shown(app, invoice.id)).allocations
    assert (part.received_payment_id, part.reference, part.amount_minor) == (made.id, "Till 3", 400)
    await app.answer("admin", "reverse_payment", {"received_payment_id": made.id, "reason": "Typed wrong"})
    assert await due(app, invoice) == [(1000, "open")]


async def test_a_credit_note_on_a_paid_invoice_frees_the_payment_for_others(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    made = await received(app, 1000)
    await app.answer("admin", "credit_invoice", {"invoice_id": first.id, "amount_minor": 300, "reason": "Late"})
    await app.work_off()
    assert await due(app, first, second) == [(0, "paid"), (200, "open")]
    assert [each.amount_minor for each in (await payment(app, made.id)).allocations] == [700, 300]
    assert (await credit(app))[0] == -200


async def test_a_repeated_payment_counts_once_and_another_under_its_reference_is_refused(app: App) -> None:
    first, second = await make_invoices(app, 1000, 500)
    paid = {"customer_id": app.ids["customer"], "amount_minor": 700, "received_on": "2026-06-01", **ONCE}
    asked = {**paid, "allocations": [{"invoice_id": second.id}]}
    calls = [app.call("admin", "top_up_credit", asked) for _ in range(4)]
    answers = [outcome.answer for outcome in await asyncio.gather(*calls)]
    assert sorted(answer.repeated for answer in answers) == [False, True, True, True]
    assert await due(app, first, second) == [(1000, "open"), (0, "paid")]
    for other in ({"allocations": None}, {"received_on": "2026-06-02"}, {"amount_minor": 701}):
        assert await refused(app, "top_up_credit", **{**asked, **other}) == "LEDGER_KEY_REUSED"
    assert await faults(app) == []


@pytest.mark.parametrize("round", range(3))
async def test_concurrent_allocations_never_exceed_the_payment_or_the_invoice(app: App, round: int) -> None:
    first, second = await make_invoices(app, 1000, 500)
    one = await received(app, 800, allocations=[])
    other = await received(app, 900, allocations=[], reference="Other")
    calls = [
        app.call("admin", "allocate_payment", {"received_payment_id": made.id, "allocations": parts})
        for made in (one, other)
        for parts in ([{"invoice_id": first.id, "amount_minor": 600}], [{"invoice_id": second.id, "amount_minor": 300}])
    ]
    calls += [app.call("admin", "record_invoice_payment", {"invoice_id": first.id, "reference": "Rest"})]
    calls += [app.call("admin", "reverse_payment", {"received_payment_id": one.id, "reason": "Bounced"})]
    outcomes = await asyncio.gather(*calls)
    assert {outcome.status for outcome in outcomes} <= {200, 409}
    for invoice in (first, second):
        now = await shown(app, invoice.id)
        assert 0 <= now.paid_minor <= now.total_minor
        assert now.paid_minor == sum(part.amount_minor for part in now.allocations)
    for made in (await app.answer("admin", "list_received_payments")).received_payments:
        assert made.allocated_minor == sum(part.amount_minor for part in made.allocations) <= made.amount_minor
    assert await faults(app) == []
