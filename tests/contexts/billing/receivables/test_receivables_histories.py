"""Receivables equal the open invoices after any history."""

import random
from collections import Counter
from itertools import count
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import days_later, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import faults, make_call
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.receivables.rules import AGES, age_brackets
from haulier.kernel.values.money import Money

CURRENCIES = ("CAD", "USD", "EUR")
NUMBERS = count(50_000)


async def owe(app: App, who: str, amounts: list[int], currency: str) -> Any:
    async with make_call(app) as call:
        for minor in amounts:
            number = next(NUMBERS)
            about = billing.MoneySubject("order", number, None)
            await billing.charge(call, app.ids[who], Money(minor, currency), key=f"order:{number}", subject=about)
    return await issued(app, who, currency=currency)


async def step(app: App, draw: random.Random, known: list[int]) -> None:
    kind = draw.choice(["owe", "owe", "owe", "days", "pay", "credit", "lines", "lines", "void", "remind"])
    if kind == "owe":
        amounts = [draw.randint(1, 3_000) for _ in range(draw.randint(1, 4))]
        made = await owe(app, draw.choice(["customer", "customer2"]), amounts, draw.choice(CURRENCIES))
        known.append(made.id)
    elif kind == "days":
        await days_later(app, draw.randint(1, 40))
    elif known and kind == "lines":
        await credit_lines(app, draw, draw.choice(known))
    elif known:
        one = await shown(app, draw.choice(known))
        part = {"invoice_id": one.id}
        if one.due_minor and kind in ("pay", "credit"):
            part["amount_minor"] = draw.randint(1, one.due_minor)
        name, more = {
            "pay": ("record_invoice_payment", {"reference": f"R{draw.randrange(10**9)}"}),
            "credit": ("credit_invoice", {"reason": "Late."}),
            "void": ("void_invoice", {"reason": "Wrong."}),
            "remind": ("send_invoice_reminder", {}),
        }[kind]
        answer = await app.call("admin", name, part | more)
        assert answer.status in (200, 201, 409), (name, answer.error)
        await app.work_off()


async def credit_lines(app: App, draw: random.Random, invoice_id: int) -> None:
    """Credit parts of random lines; preview, note and invoice agree to the cent."""
    before = await shown(app, invoice_id)
    lines = [line for line in before.lines if line.refundable_minor]
    chosen = draw.sample(lines, draw.randint(1, len(lines))) if lines else before.lines[:1]
    charges = [
        {"transfer_id": line.transfer_id, "amount_minor": draw.choice([None, draw.randint(1, line.amount_minor)])}
        for line in chosen
    ]
    asked = {"invoice_id": invoice_id, "charges": charges, "reason": "Late."}
    tried = await app.call("admin", "credit_invoice", asked, dry_run=True)
    assert (await shown(app, invoice_id)).credited_minor == before.credited_minor
    made = await app.call("admin", "credit_invoice", asked)
    assert made.status in (200, 201, 409), made.error
    assert bool(tried.error) == bool(made.error)
    if made.error is None:
        note, after = made.answer.invoice, await shown(app, invoice_id)
        for name in ("total_minor", "tax_minor", "taxes"):
            assert getattr(note, name) == getattr(tried.answer.invoice, name)
        assert sum(tax.amount_minor for tax in note.taxes) == note.tax_minor
        assert sum(line.amount_minor for line in note.lines) == note.total_minor
        assert made.answer.due_reduced_minor + made.answer.to_credit_minor == note.total_minor
        assert before.due_minor - after.due_minor == made.answer.due_reduced_minor
        assert after.credited_minor == before.credited_minor + note.total_minor <= after.total_minor
        assert all((line.refundable_minor or 0) >= 0 for line in after.lines)
    await app.work_off()


async def check(app: App, known: list[int]) -> None:
    async with make_call(app) as call:
        ages, today = age_brackets(call.today), call.today
    expected: Counter[tuple[int, str, str]] = Counter()
    for id in known:
        one = await shown(app, id)
        if one.status.value != "open":
            continue
        (name,) = [
            each.name
            for each in ages
            if (each.due_from is None or each.due_from <= one.due_on)
            and (each.due_to is None or one.due_on <= each.due_to)
        ]
        expected[one.customer_id, one.credit_currency, name] += one.due_minor
    found = await app.answer("admin", "get_receivables", {"per_page": 50})
    got = Counter(
        {(r.customer_id, r.credit_currency, n): getattr(r, f"{n}_minor") for r in found.receivables for n in AGES}
    )
    assert +got == +expected, today
    for total in found.sums:
        for name in AGES:
            assert getattr(total, f"{name}_minor") == sum(
                v for (_, currency, n), v in expected.items() if (currency, n) == (total.credit_currency, name)
            )
    assert {t.credit_currency for t in found.sums} == {r.credit_currency for r in found.receivables}


@pytest.mark.parametrize("seed", range(4))
async def test_receivables_equal_the_open_invoices_after_any_history(app: App, seed: int) -> None:
    draw, known = random.Random(seed), []
    await make_billing_business(app)
    async with make_call(app) as call:
        for who in ("customer", "customer2"):
            for currency in CURRENCIES:
                await billing.set_credit_limit(call, app.ids[who], Money(1_000_000, currency))
    for number in range(45):
        await step(app, draw, known)
        if number % 5 == 4:
            await check(app, known)
    await check(app, known)
    assert len(known) > 8
    assert await faults(app) == []
