"""Billing identities are validated by country and scheme, and stated on invoices."""

from typing import Any

import pytest
from tests.contexts.billing.identities.examples import CUSTOMER_IDENTITY, IDENTITY
from tests.contexts.billing.invoices.makers import issued
from tests.contexts.billing.ledger.makers import cad, make_call, some_credit
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.identities.queries import load_parties, load_printed_lines
from haulier.contexts.billing.identities.rules import is_electronic_address, normalize_tax_number, normalize_vat_number


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("DE 136 695 976", "DE136695976"),
        ("GR094259216", "EL094259216"),
        ("CHE-107.787.577 MWST", "CHE107787577MWST"),
        ("NO995525828MVA", "NO995525828MVA"),
        ("AE100234567890003", "AE100234567890003"),
        ("DE136695977", None),
        ("136695976", None),
        ("", None),
    ],
)
def test_vat_numbers_are_validated_by_country(given: str, stored: str | None) -> None:
    assert normalize_vat_number(given) == stored


@pytest.mark.parametrize(
    ("country", "given", "stored"),
    [
        ("CA", "12302 6635 RC 0001", "123026635RC0001"),
        ("CA", "123026636RC0001", None),
        ("AU", "83 914 571 673", "83914571673"),
        ("DE", " 12/345/67890 ", "12/345/67890"),
        (None, "12", "12"),
    ],
)
def test_tax_numbers_are_validated_by_country(country: str | None, given: str, stored: str | None) -> None:
    assert normalize_tax_number(given, country) == stored


@pytest.mark.parametrize(
    ("scheme", "address", "valid"),
    [
        ("0204", "991-12345-67", True),
        ("0204", "991_12345", False),
        ("9930", "DE136695976", True),
        ("9930", "FR83404833048", False),
        ("0088", "7300010000001", True),
        ("0088", "7300010000002", False),
        ("0192", "995525828", True),
        ("0208", "0403019261", True),
        ("0060", "12345678", False),
        ("0235", "1XXXXXXXXX", True),
        ("0235", "with space", False),
    ],
)
def test_electronic_addresses_are_validated_by_scheme(scheme: str, address: str, valid: bool) -> None:
    assert is_electronic_address(scheme, address) is valid


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"vat_number": "DE136695977"}, "VAT_NUMBER_INVALID"),
        ({"tax_number": "1", "country": "CA"}, "TAX_NUMBER_INVALID"),
        ({"electronic_scheme": "9930"}, "ELECTRONIC_ADDRESS_INCOMPLETE"),
        ({"electronic_scheme": "0001", "electronic_address": "x"}, "ELECTRONIC_SCHEME_UNKNOWN"),
        ({"electronic_scheme": "9930", "electronic_address": "x"}, "ELECTRONIC_ADDRESS_INVALID"),
        ({"iban": "DE89370400440532013001"}, "IBAN_INVALID"),
        ({"bic": "X"}, "BIC_INVALID"),
    ],
)
async def test_an_invalid_number_is_refused_with_its_reason(app: App, values: dict[str, Any], code: str) -> None:
    result = await app.call("admin", "set_billing_identity", values)
    assert result.error
    assert (result.status, [each["code"] for each in result.error["errors"]]) == (422, [code])


async def test_an_identity_is_replaced_as_a_whole(app: App) -> None:
    await app.answer("admin", "set_billing_identity", IDENTITY)
    assert (await app.answer("admin", "get_billing_identity")).iban == IDENTITY["iban"]
    await app.answer("admin", "set_billing_identity", {"legal_name": "Other"})
    found = await app.answer("admin", "get_billing_identity")
    assert (found.legal_name, found.iban, found.vat_number) == ("Other", None, None)
    assert (await app.answer("rival", "get_billing_identity")).legal_name is None


async def make_invoice(app: App) -> Any:
    """Issue an invoice of one charge to the customer."""
    await some_credit(app, 10**6)
    async with make_call(app) as call:
        await billing.charge(
            call,
            app.ids["customer"],
            cad(5_000),
            key="storage:1",
            subject=billing.MoneySubject("storage_order", 1),
            line=billing.ChargeDetails(),
        )
    return await issued(app)


async def test_an_invoice_keeps_the_identities_at_issue_and_fills_gaps_later(app: App) -> None:
    customer = {**CUSTOMER_IDENTITY, "customer_id": app.ids["customer"]}
    await app.answer("admin", "set_billing_identity", {"legal_name": "Old GmbH"})
    await app.answer("admin", "set_customer_billing_identity", customer)
    invoice = await make_invoice(app)
    await app.answer("admin", "set_billing_identity", IDENTITY)
    await app.answer("admin", "set_customer_billing_identity", {**customer, "city": "Lyon"})
    async with make_call(app) as call:
        seller, buyer = await load_parties(call, invoice.id, app.ids["customer"])
    assert (seller.legal_name, seller.vat_number, buyer.city) == ("Old GmbH", "DE136695976", "Paris")


async def test_printed_lines_show_each_number_once(app: App) -> None:
    await app.answer("admin", "set_billing_identity", IDENTITY)
    customer = {**CUSTOMER_IDENTITY, "customer_id": app.ids["customer"]}
    await app.answer("admin", "set_customer_billing_identity", customer)
    invoice = await make_invoice(app)
    async with make_call(app) as call:
        stated = ["Hafenstr. 1", "VAT DE 136695976"]
        seller, buyer = await load_printed_lines(call, invoice.id, app.ids["customer"], stated, [])
    assert seller == stated
    assert buyer == ["1 rue de la Paix", "75002 Paris", "FR", "VAT number: FR83404833048"]
