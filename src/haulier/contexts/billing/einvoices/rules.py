"""Rules of electronic invoices: categories, amounts and data of EN 16931."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.identities.rules import BillingIdentity
from haulier.contexts.billing.taxes.rules import ExemptionKind, TaxPlace, is_within_eu
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.money import currency_decimals
from haulier.kernel.values.rounding import PPM, PPM_PER_BASIS_POINT, divide_half_up
from haulier.kernel.values.taxes import Tax

EINVOICE_INCOMPLETE = declare_error("einvoice_incomplete", 409)

GOODS_SUBJECTS = frozenset({"shop_purchase"})
"""Kinds of charged records that are goods; other charges are services."""
DECIMALS_MAX = 2
TOLERANCE_MINOR = 100
"""Difference between a stated and a calculated tax below which EN 16931 accepts an invoice."""
SELLER, BUYER = "seller", "buyer"
SET_SELLER, SET_BUYER, SET_ROUNDING = "set_billing_identity", "set_customer_billing_identity", "set_tax_settings"
GERMANY = "DE"


class TaxCategory(StrEnum):
    """VAT category (UNCL 5305)."""

    STANDARD = "S"
    ZERO = "Z"
    EXEMPT = "E"
    REVERSE_CHARGE = "AE"
    NOT_SUBJECT = "O"
    INTRA_COMMUNITY = "K"
    EXPORT = "G"


EXEMPTION_CODES: Mapping[TaxCategory, str] = {
    TaxCategory.REVERSE_CHARGE: "VATEX-EU-AE",
    TaxCategory.NOT_SUBJECT: "VATEX-EU-O",
    TaxCategory.INTRA_COMMUNITY: "VATEX-EU-IC",
    TaxCategory.EXPORT: "VATEX-EU-G",
}
EXEMPTION_TEXTS: Mapping[TaxCategory, str] = {
    TaxCategory.EXEMPT: "Exempt from tax",
    TaxCategory.REVERSE_CHARGE: "Reverse charge",
    TaxCategory.NOT_SUBJECT: "Not subject to VAT",
    TaxCategory.INTRA_COMMUNITY: "Intra-community supply",
    TaxCategory.EXPORT: "Export outside the EU",
}


class ChargedLine(Struct, frozen=True, kw_only=True):
    """Line of an invoice with its gross amount.

    `taxes` is None for the default tax of the invoice.
    """

    gross_minor: int
    taxes: Sequence[Tax] | None
    exemption_kind: str | None
    exemption_number: str | None
    subject_kind: str | None
    name: str
    details: str
    reference: str | None
    serviced_on: date | None


class EInvoiceLine(Struct, frozen=True, kw_only=True):
    """Line of an electronic invoice with its net amount."""

    net_minor: int
    tax_minor: int
    category: TaxCategory
    rate_ppm: int
    exemption_number: str | None
    name: str
    details: str
    reference: str | None
    serviced_on: date | None


class TaxSubtotal(Struct, frozen=True, kw_only=True):
    """Tax of one category and rate."""

    category: TaxCategory
    rate_ppm: int
    net_minor: int
    tax_minor: int
    reason: str | None
    reason_code: str | None


class EInvoice(Struct, frozen=True, kw_only=True):
    """Content of an electronic invoice or credit note."""

    number: str
    credit_note: bool
    refers_to: str | None
    """Number of the invoice that a credit note reduces."""
    currency: str
    issued_on: date
    due_on: date
    seller: BillingIdentity
    buyer: BillingIdentity
    instructions: str
    lines: Sequence[EInvoiceLine]
    subtotals: Sequence[TaxSubtotal]
    prepaid_minor: int

    @property
    def net_minor(self) -> int:
        """Return the sum of all lines without tax."""
        return sum(line.net_minor for line in self.lines)

    @property
    def tax_minor(self) -> int:
        """Return the sum of all taxes."""
        return sum(each.tax_minor for each in self.subtotals)


class MissingDatum(Struct, frozen=True):
    """Required datum, and the operation that sets it."""

    field: str
    operation: str


def build_lines(
    lines: Sequence[ChargedLine], default_rate_bp: int, tax_minor: int, seller: BillingIdentity, buyer: BillingIdentity
) -> list[EInvoiceLine]:
    """Return the lines with their net amount, category and rate.

    Several taxes of a line become one with their combined rate. Lines without stated taxes share the rest of the
    invoice's tax.
    """
    rest = tax_minor - sum(tax.amount_minor for line in lines for tax in line.taxes or ())
    shared = sum(line.gross_minor for line in lines if line.taxes is None)
    untaxed = not any(line.taxes or (line.taxes is None and default_rate_bp) for line in lines)
    built, before = list[EInvoiceLine](), 0
    for line in lines:
        if line.taxes is None:
            rate = default_rate_bp * PPM_PER_BASIS_POINT
            tax = _part(rest, before + line.gross_minor, shared) - _part(rest, before, shared)
            before += line.gross_minor
        else:
            rate = sum(each.ppm for each in line.taxes)
            tax = sum(each.amount_minor for each in line.taxes)
        built.append(
            EInvoiceLine(
                net_minor=line.gross_minor - tax,
                tax_minor=tax,
                category=TaxCategory.STANDARD if rate else _category_of(line, seller, buyer, untaxed=untaxed),
                rate_ppm=rate,
                exemption_number=line.exemption_number,
                name=line.name,
                details=line.details,
                reference=line.reference,
                serviced_on=line.serviced_on,
            )
        )
    return built


def _part(whole: int, part: int, of: int) -> int:
    return divide_half_up(whole * part, of) if of else 0


def _category_of(line: ChargedLine, seller: BillingIdentity, buyer: BillingIdentity, *, untaxed: bool) -> TaxCategory:
    """Return the category of an untaxed line."""
    if line.exemption_kind == ExemptionKind.CERTIFICATE:
        return TaxCategory.EXEMPT
    if line.exemption_kind == ExemptionKind.REVERSE_CHARGE:
        goods = line.subject_kind in GOODS_SUBJECTS
        return TaxCategory.INTRA_COMMUNITY if goods else TaxCategory.REVERSE_CHARGE
    if seller.country and buyer.country and seller.country != buyer.country:
        home, there = TaxPlace(seller.country), TaxPlace(buyer.country)
        if is_within_eu(home, home) and not is_within_eu(home, there):
            return TaxCategory.EXPORT
    if untaxed and not (seller.vat_number or seller.tax_number):
        return TaxCategory.NOT_SUBJECT
    return TaxCategory.ZERO


def sum_categories(lines: Sequence[EInvoiceLine]) -> list[TaxSubtotal]:
    """Return the taxes by category and rate, highest rate first."""
    groups: dict[tuple[TaxCategory, int], list[EInvoiceLine]] = {}
    for line in lines:
        groups.setdefault((line.category, line.rate_ppm), []).append(line)
    return [
        TaxSubtotal(
            category=category,
            rate_ppm=rate_ppm,
            net_minor=sum(line.net_minor for line in group),
            tax_minor=sum(line.tax_minor for line in group),
            reason=_reason(category, group),
            reason_code=EXEMPTION_CODES.get(category),
        )
        for (category, rate_ppm), group in sorted(groups.items(), key=lambda each: (-each[0][1], each[0][0]))
    ]


def _reason(category: TaxCategory, lines: Sequence[EInvoiceLine]) -> str | None:
    text = EXEMPTION_TEXTS.get(category)
    numbers = sorted({line.exemption_number for line in lines if line.exemption_number})
    return f"{text}: {', '.join(numbers)}" if text and category is TaxCategory.EXEMPT and numbers else text


def find_missing(invoice: EInvoice) -> list[MissingDatum]:
    """Return the required data that the invoice lacks by EN 16931 and Peppol."""
    return [
        *(MissingDatum(f"{SELLER}.{name}", SET_SELLER) for name in _missing_of_seller(invoice)),
        *(MissingDatum(f"{BUYER}.{name}", SET_BUYER) for name in _missing_of_buyer(invoice)),
        *(MissingDatum("rounding", SET_ROUNDING) for each in invoice.subtotals if not _is_exact(each)),
    ]


def _missing_of_seller(invoice: EInvoice) -> Iterator[str]:
    seller, categories = invoice.seller, {each.category for each in invoice.subtotals}
    yield from _unset(seller, "legal_name", "country", "electronic_address")
    by_vat_number = bool(categories & {TaxCategory.INTRA_COMMUNITY, TaxCategory.EXPORT})
    if by_vat_number or (categories != {TaxCategory.NOT_SUBJECT} and not seller.tax_number):
        yield from _unset(seller, "vat_number")
    elif not seller.vat_number or TaxCategory.NOT_SUBJECT in categories:
        yield from _unset(seller, "company_number")
    if is_german(invoice):
        yield from _unset(seller, "city", "postal_code", "contact_name", "contact_phone", "contact_email", "iban")


def _missing_of_buyer(invoice: EInvoice) -> Iterator[str]:
    buyer, categories = invoice.buyer, {each.category for each in invoice.subtotals}
    yield from _unset(buyer, "legal_name", "country", "electronic_address", "buyer_reference")
    company = buyer.company_number and TaxCategory.INTRA_COMMUNITY not in categories
    if categories & {TaxCategory.REVERSE_CHARGE, TaxCategory.INTRA_COMMUNITY} and not company:
        yield from _unset(buyer, "vat_number")
    if is_german(invoice):
        yield from _unset(buyer, "city", "postal_code")


def _unset(identity: BillingIdentity, *names: str) -> Iterator[str]:
    return (name for name in names if not getattr(identity, name))


def is_german(invoice: EInvoice) -> bool:
    """Return True if seller and buyer are in Germany, where further data are required."""
    return invoice.seller.country == invoice.buyer.country == GERMANY


def _is_exact(each: TaxSubtotal) -> bool:
    exact = divide_half_up(each.net_minor * each.rate_ppm, PPM)
    return abs(exact - each.tax_minor) < TOLERANCE_MINOR


def has_supported_currency(currency: str) -> bool:
    """Return True if a currency has at most two decimals, as EN 16931 requires."""
    return currency_decimals(currency) <= DECIMALS_MAX
