"""Charges contain the taxes of their place, and invoices state them."""

import asyncio
from typing import Any

import pytest
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.invoices.makers import issued
from tests.contexts.billing.ledger.makers import cad, make_call, some_credit
from tests.contexts.billing.taxes.examples import EXEMPTION, RATE
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.taxes.rules import TAX_RATE_OVERLAPS
from haulier.kernel.values.taxes import Tax

GROSS = 11_300


async def charged(app: App, minor: int = GROSS, *, number: int = 1, **line: Any) -> None:
    """Charge the customer for storage."""
    line = {"product_class": billing.ProductClass.STORAGE} | line
    async with make_call(app) as call:
        await billing.charge(
            call,
            app.ids["customer"],
            cad(minor),
            key=f"storage:{number}",
            subject=billing.MoneySubject("storage_order", number),
            line=billing.ChargeDetails(**line),
        )


@pytest.fixture
async def ontario(app: App) -> App:
    """A business in Ontario with its tax rate, and a customer with credit."""
    await app.answer("admin", "set_invoicing_settings", SETTINGS | {"tax_rate_bp": 0})
    await some_credit(app, 10**7)
    await app.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON"})
    await app.answer("admin", "create_tax_rate", RATE)
    return app


async def taxes(app: App) -> list[tuple[str, int, int]]:
    """Return the taxes of the next invoice."""
    return [(tax.name, tax.rate_bp, tax.amount_minor) for tax in (await issued(app)).taxes]


async def test_a_charge_without_its_own_tax_includes_the_home_jurisdictions_tax(ontario: App) -> None:
    await charged(ontario)
    assert await taxes(ontario) == [("HST", 1300, 1300)]


async def test_a_charge_keeps_the_tax_that_its_price_states(ontario: App) -> None:
    await charged(ontario, taxes=(Tax(name="GST", rate_bp=500, amount_minor=538),))
    assert await taxes(ontario) == [("GST", 500, 538)]


async def test_a_charge_abroad_is_not_taxed(ontario: App) -> None:
    await charged(ontario, place=billing.TaxPlace("US", "NY"))
    assert await taxes(ontario) == [("", 0, 0)]


async def test_without_tax_rates_the_default_tax_of_the_invoice_applies(app: App) -> None:
    await app.answer("admin", "set_invoicing_settings", SETTINGS)
    await some_credit(app, 10**7)
    await charged(app)
    assert await taxes(app) == [("HST", 1300, 1300)]


async def test_an_exempt_customer_pays_no_tax_and_the_invoice_names_the_certificate(ontario: App) -> None:
    exempt = {**EXEMPTION, "customer_id": ontario.ids["customer"]}
    await ontario.answer("admin", "create_tax_exemption", exempt)
    await charged(ontario)
    (line,) = (await issued(ontario)).lines
    assert (line.taxes, line.exemption_kind, line.exemption_number) == ([], "certificate", "EX-1001")


async def test_an_exemption_ends_with_its_last_day(ontario: App) -> None:
    exempt = {**EXEMPTION, "customer_id": ontario.ids["customer"], "valid_until": "2026-02-01"}
    await ontario.answer("admin", "create_tax_exemption", exempt)
    await charged(ontario)
    assert await taxes(ontario) == [("HST", 1300, 1300)]


async def test_a_rate_applies_within_its_period(ontario: App) -> None:
    rate = (await ontario.answer("admin", "list_tax_rates", {"country": "CA"})).tax_rates[0]
    ended = {**RATE, "tax_rate_id": rate.id, "valid_until": "2026-06-09"}
    await ontario.answer("admin", "update_tax_rate", ended)
    later = {**RATE, "rate_bp": 1500, "valid_from": "2026-06-10"}
    await ontario.answer("admin", "create_tax_rate", later)
    preview = {"amount_minor": 100, "includes_tax": False}
    rates = [
        (await ontario.answer("admin", "preview_tax", preview | {"day": day})).taxes[0].tax_minor
        for day in ("2026-06-09", "2026-06-10")
    ]
    assert rates == [13, 15]


async def test_invoice_tax_is_rounded_on_the_total_if_configured(ontario: App) -> None:
    await ontario.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON", "rounding": "invoice"})
    for number in range(10):
        await charged(ontario, 104, number=number)
    invoice = await issued(ontario)
    assert (invoice.total_minor, invoice.tax_minor) == (1040, 120)
    assert sum(line.taxes[0].amount_minor for line in invoice.lines) == 120


async def test_rates_created_concurrently_leave_one(app: App) -> None:
    outcomes = await asyncio.gather(*(app.call("admin", "create_tax_rate", RATE) for _ in range(4)))
    assert sum(outcome.error is None for outcome in outcomes) == 1
    assert len((await app.answer("admin", "list_tax_rates", {})).tax_rates) == 1


async def test_standard_rates_are_added_once(app: App) -> None:
    await app.answer("admin", "add_initial_tax_rates", {"country": "CA"})
    rates = (await app.answer("admin", "add_initial_tax_rates", {"country": "CA"})).tax_rates
    assert len(rates) == len({(rate.region, rate.name) for rate in rates}) == 17


async def test_a_rate_cannot_overlap_another(app: App) -> None:
    await app.answer("admin", "create_tax_rate", {**RATE, "valid_until": "2026-03-31"})
    await app.answer("admin", "create_tax_rate", {**RATE, "valid_from": "2026-04-01"})
    overlapping = {**RATE, "valid_from": "2026-03-31", "valid_until": "2026-03-31"}
    refused = await app.call("admin", "create_tax_rate", overlapping)
    assert refused.error
    assert refused.error["code"] == TAX_RATE_OVERLAPS.code


async def test_a_preview_adds_taxes_to_a_net_amount(ontario: App) -> None:
    preview = await ontario.answer("admin", "preview_tax", {"amount_minor": 10_000, "includes_tax": False})
    assert (preview.net_minor, preview.gross_minor, preview.taxes[0].tax_minor) == (10_000, GROSS, 1300)


async def test_another_business_cannot_see_the_rates(app: App) -> None:
    await app.answer("admin", "create_tax_rate", RATE)
    assert (await app.answer("rival", "list_tax_rates", {})).tax_rates == []


async def test_partial_credit_notes_add_up_to_the_whole_tax_of_the_invoice(ontario: App) -> None:
    await charged(ontario, 1000)
    invoice = await issued(ontario)
    notes = []
    for minor in (333, 333, 334):
        note = {"invoice_id": invoice.id, "amount_minor": minor, "reason": "Late."}
        notes.append((await ontario.answer("admin", "credit_invoice", note)).invoice.tax_minor)
    assert (invoice.tax_minor, notes) == (115, [38, 39, 38])


async def test_a_refund_and_a_credit_note_add_up_to_the_whole_tax_of_the_invoice(ontario: App) -> None:
    await charged(ontario, 1000)
    invoice = await issued(ontario)
    refund = {"transfer_id": invoice.lines[0].transfer_id, "amount_minor": 333, "reference": "R", "reason": "Late."}
    await ontario.answer("admin", "refund_charge", refund)
    await ontario.answer("admin", "credit_invoice", {"invoice_id": invoice.id, "reason": "Late."})
    notes = (await ontario.answer("admin", "list_invoices", {"kind": "credit_note"})).invoices
    assert sum(note.tax_minor for note in notes) == invoice.tax_minor


async def test_taxes_are_added_to_net_prices(ontario: App) -> None:
    await ontario.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON", "prices_include_tax": False})
    for _ in range(2):  # a repeat posts nothing
        await charged(ontario, 10_001)
    invoice = await issued(ontario)
    assert (invoice.total_minor, invoice.tax_minor) == (11_301, 1_300)
    assert [(tax.name, tax.rate_ppm, tax.net_minor, tax.amount_minor) for tax in invoice.taxes] == [
        ("HST", 130_000, 10_001, 1_300)
    ]


async def test_a_repeated_net_charge_counts_once_after_a_rate_change(ontario: App) -> None:
    await ontario.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON", "prices_include_tax": False})
    await charged(ontario, 10_000)
    (rate,) = (await ontario.answer("admin", "list_tax_rates")).tax_rates
    await ontario.answer("admin", "update_tax_rate", {**RATE, "tax_rate_id": rate.id, "rate_bp": 1500})
    await charged(ontario, 10_000)
    assert (await issued(ontario)).total_minor == 11_300


async def test_a_held_net_price_is_captured_with_its_tax(ontario: App) -> None:
    await ontario.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON", "prices_include_tax": False})
    line = billing.ChargeDetails(product_class=billing.ProductClass.LABEL)
    subject = billing.MoneySubject("label", 1)
    async with make_call(ontario) as call:
        hold = await billing.hold_credit(
            call, ontario.ids["customer"], cad(10_000), key="h", subject=subject, line=line
        )
        assert hold.money == cad(11_300)
        await billing.capture_hold(call, hold.id, key="c", line=line)
    invoice = await issued(ontario)
    assert (invoice.total_minor, invoice.tax_minor) == (11_300, 1_300)


async def test_partial_refunds_of_a_net_price_add_up_to_the_charge(ontario: App) -> None:
    await ontario.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON", "prices_include_tax": False})
    async with make_call(ontario) as call:
        posted = await billing.charge(
            call,
            ontario.ids["customer"],
            cad(10_001),
            key="r",
            subject=billing.MoneySubject("locker_lease", 1),
            line=billing.ChargeDetails(product_class=billing.ProductClass.RENTAL),
        )
        amounts, before = [], 0
        for part in (3_333, 3_333, 3_335):
            price, amount = await billing.lock_refundable_part(
                call, posted.transfer_id, part, before_minor=before, whole_minor=10_001
            )
            assert price == part
            await billing.refund(call, posted.transfer_id, cad(amount), key=f"r:{before}")
            amounts.append(amount)
            before += part
    assert (amounts, sum(amounts)) == ([3_766, 3_766, 3_769], 11_301)


async def test_setting_the_business_country_adds_its_rates_once(app: App) -> None:
    await app.answer("admin", "update_client", {"country": "DE"})
    (rate,) = (await app.answer("admin", "list_tax_rates")).tax_rates
    assert (rate.country, rate.name, rate.rate_bp, rate.valid_from) == ("DE", "VAT", 1900, app.clock().date())
    await app.answer("admin", "delete_tax_rate", {"tax_rate_id": rate.id}, confirmed=True)
    for country in ("FR", "DE"):
        await app.answer("admin", "update_client", {"country": country})
    assert [each.country for each in (await app.answer("admin", "list_tax_rates")).tax_rates] == ["FR"]


async def test_exact_rates_are_set_in_parts_per_million(app: App) -> None:
    exact = {**RATE, "region": "QC", "name": "QST", "rate_ppm": 99_750}
    exact.pop("rate_bp")
    rate = (await app.answer("admin", "create_tax_rate", exact)).tax_rate
    assert (rate.rate_bp, rate.rate_ppm) == (998, 99_750)
    for wrong, code in (({"rate_bp": 1000}, "TAX_RATES_DIFFER"), ({"rate_ppm": None}, "TAX_RATE_MISSING")):
        refused = await app.call("admin", "create_tax_rate", {**exact, **wrong})
        assert refused.error
        assert [each["code"] for each in refused.error["errors"]] == [code]
