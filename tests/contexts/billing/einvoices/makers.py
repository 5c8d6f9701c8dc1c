"""Invoices of every tax category, as records without a database."""

from datetime import date
from typing import Any

from msgspec import structs
from tests.contexts.billing.identities.examples import CUSTOMER_IDENTITY, IDENTITY

from haulier.contexts.billing.einvoices.rules import ChargedLine, EInvoice, build_lines, sum_categories
from haulier.contexts.billing.identities.rules import BillingIdentity
from haulier.kernel.values.taxes import Tax

SELLER = BillingIdentity(**IDENTITY)  # pyright: ignore[reportArgumentType]
FRENCH = BillingIdentity(**CUSTOMER_IDENTITY)  # pyright: ignore[reportArgumentType]
GERMAN = structs.replace(
    FRENCH,
    city="Berlin",
    postal_code="10115",
    country="DE",
    vat_number="DE136695976",
    electronic_scheme="0204",
    electronic_address="991-12345-67",
)
SWISS = structs.replace(FRENCH, country="CH", vat_number=None, electronic_scheme="0060", electronic_address="251234567")
UNREGISTERED = structs.replace(
    SELLER, vat_number=None, company_number="HRB 12345", electronic_scheme="0060", electronic_address="251234567"
)


def vat(rate_bp: int, minor: int) -> list[Tax]:
    """Return one tax."""
    return [Tax(name="VAT", rate_bp=rate_bp, amount_minor=minor)]


def make_line(gross_minor: int, taxes: list[Tax] | None = None, **values: Any) -> ChargedLine:
    """Return a charge."""
    fields: dict[str, Any] = {
        "exemption_kind": None,
        "exemption_number": None,
        "subject_kind": "order",
        "name": "Same day delivery",
        "details": "A-1001 · Ada Lovelace & Söhne <Berlin>",
        "reference": "A-1001",
        "serviced_on": date(2026, 11, 20),
    }
    return ChargedLine(gross_minor=gross_minor, taxes=taxes, **(fields | values))


def make_invoice(*lines: ChargedLine, buyer: BillingIdentity = GERMAN, **values: Any) -> EInvoice:
    """Return an invoice with a default tax of 19 %."""
    seller = values.pop("seller", SELLER)
    default = values.pop("default_tax_minor", 0)
    stated = sum(tax.amount_minor for line in lines for tax in line.taxes or ())
    built = build_lines(lines, 1900, stated + default, seller, buyer)
    fields: dict[str, Any] = {
        "number": "INV-000017",
        "credit_note": False,
        "refers_to": None,
        "currency": "EUR",
        "issued_on": date(2026, 12, 1),
        "due_on": date(2026, 12, 31),
        "instructions": "Please name the invoice.",
        "prepaid_minor": 0,
    }
    parts: dict[str, Any] = {"lines": built, "subtotals": sum_categories(built)}
    return EInvoice(seller=seller, buyer=buyer, **(fields | parts | values))


REVERSED: dict[str, Any] = {"exemption_kind": "reverse_charge", "exemption_number": "FR83404833048"}
INVOICES: dict[str, EInvoice] = {
    "one rate": make_invoice(make_line(11_900, vat(1900, 1_900))),
    "two rates and a refund": make_invoice(
        make_line(11_900, vat(1900, 1_900)), make_line(10_700, vat(700, 700)), make_line(-5_950, vat(1900, -950))
    ),
    "default tax": make_invoice(make_line(10_000), make_line(3_333), default_tax_minor=2_129),
    "partly paid": make_invoice(make_line(11_900, vat(1900, 1_900)), prepaid_minor=1_900),
    "zero rate beside a rate": make_invoice(make_line(11_900, vat(1900, 1_900)), make_line(500, [])),
    "exempt": make_invoice(make_line(10_000, [], exemption_kind="certificate", exemption_number="EX-1001")),
    "reverse charge": make_invoice(make_line(10_000, [], **REVERSED), buyer=FRENCH),
    "intra-community supply": make_invoice(
        make_line(10_000, [], subject_kind="shop_purchase", **REVERSED), buyer=FRENCH
    ),
    "export": make_invoice(make_line(10_000, []), buyer=SWISS),
    "not subject": make_invoice(make_line(10_000, []), seller=UNREGISTERED, buyer=structs.replace(SWISS, country="DE")),
    "credit note": make_invoice(
        make_line(5_950, vat(1900, 950)), credit_note=True, number="CN-000003", refers_to="INV-000017"
    ),
    "no decimals": make_invoice(make_line(11_900, vat(1900, 1_900)), currency="JPY"),
}
