"""Electronic invoices satisfy UBL 2.1, EN 16931 and Peppol BIS Billing 3.0."""

from base64 import b64decode
from collections import defaultdict
from decimal import Decimal
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.contexts.billing.einvoices.makers import FRENCH, INVOICES, make_invoice, make_line, vat
from tests.contexts.billing.identities.examples import CUSTOMER_IDENTITY, IDENTITY
from tests.contexts.billing.invoices.makers import issued
from tests.contexts.billing.ledger.makers import cad, make_call, some_credit
from tests.support.app import App
from tests.support.schematron import broken_rules
from tests.support.shared import shared

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.einvoices.rules import EInvoice, find_missing
from haulier.contexts.billing.einvoices.serializers import CAC, CBC, to_ubl
from haulier.kernel.values.taxes import Tax, tax_within

etree: Any = import_module("lxml.etree")


def text(element: ElementTree.Element, path: str) -> str:
    """Return the text below a path such as `cac:TaxTotal/cbc:TaxAmount`."""
    found = element.findtext(path, namespaces={"cac": CAC, "cbc": CBC})
    assert found is not None, path
    return found


def amount(element: ElementTree.Element, path: str) -> Decimal:
    return Decimal(text(element, path))


def broken_sums(document: bytes) -> list[str]:
    """Return the rules of EN 16931 about sums that a document breaks."""
    root = ElementTree.fromstring(document)
    names = {"cac": CAC, "cbc": CBC}
    kind = "CreditNote" if root.tag.endswith("CreditNote") else "Invoice"
    lines = root.findall(f"cac:{kind}Line", names)
    parts = root.findall("cac:TaxTotal/cac:TaxSubtotal", names)
    total = "cac:LegalMonetaryTotal/cbc:"
    by_category: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for line in lines:
        category = "cac:Item/cac:ClassifiedTaxCategory/cbc:"
        key = text(line, f"{category}ID"), line.findtext(f"{category}Percent", "0", names)
        by_category[key] += amount(line, "cbc:LineExtensionAmount")
    net = sum(amount(line, "cbc:LineExtensionAmount") for line in lines)
    tax, gross = amount(root, "cac:TaxTotal/cbc:TaxAmount"), amount(root, f"{total}TaxInclusiveAmount")
    paid = Decimal(root.findtext(f"{total}PrepaidAmount", "0", names))
    checks = {
        "BR-CO-10": amount(root, f"{total}LineExtensionAmount") == net,
        "BR-CO-13": amount(root, f"{total}TaxExclusiveAmount") == net,
        "BR-CO-14": tax == sum(amount(part, "cbc:TaxAmount") for part in parts),
        "BR-CO-15": gross == net + tax,
        "BR-CO-16": amount(root, f"{total}PayableAmount") == gross - paid,
        "BR-CO-17": all(
            abs(amount(part, "cbc:TaxAmount") - amount(part, "cbc:TaxableAmount") * Decimal(rate) / 100) < 1
            for part in parts
            if (rate := part.findtext("cac:TaxCategory/cbc:Percent", "0", names))
        ),
        "BR-CO-18": bool(parts),
        "BR-S-08": by_category
        == {
            (
                text(part, "cac:TaxCategory/cbc:ID"),
                part.findtext("cac:TaxCategory/cbc:Percent", "0", names),
            ): amount(part, "cbc:TaxableAmount")
            for part in parts
        },
        "BR-27": all(amount(line, "cac:Price/cbc:PriceAmount") >= 0 for line in lines),
    }
    return [rule for rule, holds in checks.items() if not holds]


@pytest.mark.parametrize("name", INVOICES)
def test_totals_satisfy_the_rules(name: str) -> None:
    assert broken_sums(to_ubl(INVOICES[name])) == []
    assert find_missing(INVOICES[name]) == []


@pytest.mark.parametrize("name", INVOICES)
def test_a_document_is_valid_ubl(name: str) -> None:
    kind = "CreditNote" if INVOICES[name].credit_note else "Invoice"
    schema = etree.XMLSchema(etree.parse(shared(f"standards/ubl/xsd/maindoc/UBL-{kind}-2.1.xsd")))
    schema.validate(etree.fromstring(to_ubl(INVOICES[name])))
    assert [str(each) for each in schema.error_log] == []


@pytest.mark.parametrize(
    "rules", ["en16931/EN16931-UBL-validation.xslt", "peppol/PEPPOL-EN16931-UBL.sch"], ids=["EN 16931", "Peppol"]
)
@pytest.mark.parametrize("name", INVOICES)
def test_a_document_satisfies_the_public_rules(rules: str, name: str) -> None:
    assert broken_rules(shared(f"standards/{rules}"), to_ubl(INVOICES[name])) == []


@pytest.mark.parametrize("rules", ["en16931/EN16931-UBL-validation.xslt", "peppol/PEPPOL-EN16931-UBL.sch"])
def test_the_public_rules_find_a_broken_document(rules: str) -> None:
    broken = to_ubl(INVOICES["one rate"]).replace(b"<cbc:DocumentCurrencyCode>EUR", b"<cbc:DocumentCurrencyCode>XXY")
    broken = broken.replace(b'schemeID="9930"', b'schemeID="1"')
    assert broken_rules(shared(f"standards/{rules}"), broken) != []


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("one rate", ["S"]),
        ("two rates and a refund", ["S", "S"]),
        ("zero rate beside a rate", ["S", "Z"]),
        ("exempt", ["E"]),
        ("reverse charge", ["AE"]),
        ("intra-community supply", ["K"]),
        ("export", ["G"]),
        ("not subject", ["O"]),
    ],
)
def test_each_tax_reason_maps_to_its_category(name: str, category: list[str]) -> None:
    assert [each.category.value for each in INVOICES[name].subtotals] == category


GROSS = st.integers(1, 10**7)


@given(amounts=st.lists(st.tuples(GROSS, st.sampled_from([None, 0, 700, 1900])), min_size=1, max_size=20))
def test_the_lines_of_any_invoice_add_up_to_its_total(amounts: list[tuple[int, int | None]]) -> None:
    lines = [
        make_line(gross, None if rate is None else vat(rate, tax_within(gross, rate)) if rate else [])
        for gross, rate in amounts
    ]
    default = tax_within(sum(gross for gross, rate in amounts if rate is None), 1900)
    invoice = make_invoice(*lines, default_tax_minor=default)
    assert broken_sums(to_ubl(invoice)) == []
    assert invoice.net_minor + invoice.tax_minor == sum(gross for gross, _ in amounts)


def test_multiple_taxes_on_a_line_are_stated_with_their_combined_rate() -> None:
    taxes = [Tax(name="GST", rate_bp=500, amount_minor=500), Tax(name="PST", rate_bp=700, amount_minor=700)]
    (found,) = make_invoice(make_line(11_200, taxes)).subtotals
    assert (found.rate_ppm, found.net_minor, found.tax_minor) == (120_000, 10_000, 1_200)


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"seller.vat_number": None}, ["seller.vat_number"]),
        ({"seller.iban": None, "buyer.postal_code": None}, ["seller.iban", "buyer.postal_code"]),
        ({"buyer.buyer_reference": None, "buyer.country": None}, ["buyer.country", "buyer.buyer_reference"]),
        ({"seller.vat_number": None, "seller.tax_number": "12/345/67890"}, ["seller.company_number"]),
    ],
)
def test_missing_data_is_reported_by_field(changes: dict[str, Any], missing: list[str]) -> None:
    invoice: EInvoice = INVOICES["one rate"]
    for path, value in changes.items():
        party, name = path.split(".")
        invoice = structs.replace(invoice, **{party: structs.replace(getattr(invoice, party), **{name: value})})
    assert [each.field for each in find_missing(invoice)] == missing


def test_a_reverse_charge_requires_the_customers_tax_number() -> None:
    buyer = structs.replace(FRENCH, vat_number=None)
    invoice = structs.replace(INVOICES["reverse charge"], buyer=buyer)
    assert [(each.field, each.operation) for each in find_missing(invoice)] == [
        ("buyer.vat_number", "set_customer_billing_identity")
    ]


async def charged(app: App, minor: int, number: int = 1) -> None:
    """Charge the customer with 19 % tax."""
    async with make_call(app) as call:
        await billing.charge(
            call,
            app.ids["customer"],
            cad(minor),
            key=f"order:{number}",
            subject=billing.MoneySubject("order", number),
            line=billing.ChargeDetails(
                item="Same day",
                reference="A-1001",
                taxes=(Tax(name="VAT", rate_bp=1900, amount_minor=tax_within(minor, 1900)),),
            ),
        )


async def test_an_invoice_is_refused_until_required_data_is_set(app: App) -> None:
    await some_credit(app, 10**6)
    await charged(app, 11_900)
    invoice = await issued(app)
    result = await app.call("admin", "get_invoice_ubl", {"invoice_id": invoice.id})
    assert result.error
    assert (result.status, result.error["code"]) == (409, "EINVOICE_INCOMPLETE")
    faults = {each["field"]: each["message"] for each in result.error["errors"]}
    assert {"seller.vat_number", "buyer.electronic_address"} <= faults.keys()
    assert "set_billing_identity" in faults["seller.vat_number"]
    await app.answer("admin", "set_billing_identity", IDENTITY)
    customer = {**CUSTOMER_IDENTITY, "customer_id": app.ids["customer"]}
    await app.answer("admin", "set_customer_billing_identity", customer)
    file = await app.answer("customer", "get_invoice_ubl", {"invoice_id": invoice.id})
    assert broken_sums(b64decode(file.content)) == []
    path = f"/api/v1/billing/invoices/{invoice.id}/ubl"
    headers = {"Authorization": f"Bearer {app.tokens['admin']}", "Accept": "application/xml"}
    sent = await app.http.get(path, headers=headers)
    assert (sent.headers["content-type"], sent.content) == ("application/xml", b64decode(file.content))
    note = (
        await app.answer(
            "admin", "credit_invoice", {"invoice_id": invoice.id, "amount_minor": 1_000, "reason": "Late."}
        )
    ).invoice
    document = b64decode((await app.answer("admin", "get_invoice_ubl", {"invoice_id": note.id})).content)
    assert broken_sums(document) == []
    assert (
        text(ElementTree.fromstring(document), "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID")
        == invoice.number
    )
