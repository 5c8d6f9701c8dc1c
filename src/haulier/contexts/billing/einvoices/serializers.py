"""Electronic invoices as UBL 2.1 documents."""

from collections.abc import Iterator
from datetime import date
from xml.etree.ElementTree import Element, SubElement, indent, register_namespace, tostring

from haulier.contexts.billing.einvoices.rules import (
    EInvoice,
    EInvoiceLine,
    TaxCategory,
    TaxSubtotal,
)
from haulier.contexts.billing.identities.rules import BillingIdentity
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import percent_text

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
CAC, CBC = f"{UBL}CommonAggregateComponents-2", f"{UBL}CommonBasicComponents-2"
CUSTOMIZATION = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
PROFILE = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
INVOICE_TYPE, CREDIT_NOTE_TYPE = "380", "381"
CREDIT_TRANSFER, SEPA_TRANSFER, ANY_MEANS = "30", "58", "1"
ONE = "C62"
"""Unit of a line: a charge is one piece."""
register_namespace("cac", CAC)
register_namespace("cbc", CBC)


def to_ubl(invoice: EInvoice) -> bytes:
    """Return an invoice or credit note as a UBL 2.1 document."""
    kind = "CreditNote" if invoice.credit_note else "Invoice"
    root = Element(f"{kind}", xmlns=f"{UBL}{kind}-2")
    _add_head(root, invoice)
    _add_party(_group(root, "AccountingSupplierParty"), invoice.seller, invoice)
    _add_party(_group(root, "AccountingCustomerParty"), invoice.buyer, invoice)
    _add_delivery(root, invoice)
    _add_payment(root, invoice)
    _add_taxes(root, invoice)
    _add_totals(root, invoice)
    for number, line in enumerate(invoice.lines, 1):
        _add_line(root, invoice, number, line)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True)


def _group(parent: Element, name: str) -> Element:
    return SubElement(parent, f"{{{CAC}}}{name}")


def _add(parent: Element, name: str, value: str | date | None, **attributes: str) -> None:
    """Add an element with text.

    Empty text is left out, because empty elements are not allowed.
    """
    if value is not None and str(value).strip():
        SubElement(parent, f"{{{CBC}}}{name}", attributes).text = str(value).strip()


def _add_amount(parent: Element, name: str, minor: int, currency: str) -> None:
    _add(parent, name, f"{Money(minor, currency).major:f}", currencyID=currency)


def _add_head(root: Element, invoice: EInvoice) -> None:
    _add(root, "CustomizationID", CUSTOMIZATION)
    _add(root, "ProfileID", PROFILE)
    _add(root, "ID", invoice.number)
    _add(root, "IssueDate", invoice.issued_on)
    if invoice.credit_note:
        _add(root, "CreditNoteTypeCode", CREDIT_NOTE_TYPE)
    else:
        _add(root, "DueDate", invoice.due_on)
        _add(root, "InvoiceTypeCode", INVOICE_TYPE)
    _add(root, "DocumentCurrencyCode", invoice.currency)
    _add(root, "BuyerReference", invoice.buyer.buyer_reference)
    if invoice.refers_to:
        _add(_group(_group(root, "BillingReference"), "InvoiceDocumentReference"), "ID", invoice.refers_to)


def _add_party(parent: Element, identity: BillingIdentity, invoice: EInvoice) -> None:
    party = _group(parent, "Party")
    _add(party, "EndpointID", identity.electronic_address, schemeID=identity.electronic_scheme or "")
    _add(_group(party, "PartyName"), "Name", identity.legal_name)
    _add_address(_group(party, "PostalAddress"), identity)
    subject = all(each.category is not TaxCategory.NOT_SUBJECT for each in invoice.subtotals)
    if subject:
        _add_tax_number(party, identity.vat_number, "VAT")
    if identity is invoice.seller:
        _add_tax_number(party, identity.tax_number, "TAX")
    legal = _group(party, "PartyLegalEntity")
    _add(legal, "RegistrationName", identity.legal_name)
    _add(legal, "CompanyID", identity.company_number)
    if identity.contact_name or identity.contact_phone or identity.contact_email:
        contact = _group(party, "Contact")
        _add(contact, "Name", identity.contact_name)
        _add(contact, "Telephone", identity.contact_phone)
        _add(contact, "ElectronicMail", identity.contact_email)


def _add_address(address: Element, identity: BillingIdentity) -> None:
    _add(address, "StreetName", identity.street)
    _add(address, "CityName", identity.city)
    _add(address, "PostalZone", identity.postal_code)
    _add(address, "CountrySubentity", identity.region)
    _add(_group(address, "Country"), "IdentificationCode", identity.country)


def _add_tax_number(party: Element, number: str | None, scheme: str) -> None:
    if number:
        taxed = _group(party, "PartyTaxScheme")
        _add(taxed, "CompanyID", number)
        _add(_group(taxed, "TaxScheme"), "ID", scheme)


def _add_delivery(root: Element, invoice: EInvoice) -> None:
    """Add the place and last day of delivery, which intra-community supplies require."""
    if all(each.category is not TaxCategory.INTRA_COMMUNITY for each in invoice.subtotals):
        return
    delivery = _group(root, "Delivery")
    days = [line.serviced_on for line in invoice.lines if line.serviced_on]
    _add(delivery, "ActualDeliveryDate", max(days, default=invoice.issued_on))
    _add_address(_group(_group(delivery, "DeliveryLocation"), "Address"), invoice.buyer)


def _add_payment(root: Element, invoice: EInvoice) -> None:
    iban = invoice.seller.iban
    means = _group(root, "PaymentMeans")
    transfer = SEPA_TRANSFER if invoice.currency == "EUR" else CREDIT_TRANSFER
    _add(means, "PaymentMeansCode", transfer if iban else ANY_MEANS)
    _add(means, "PaymentID", invoice.number)
    if iban:
        account = _group(means, "PayeeFinancialAccount")
        _add(account, "ID", iban)
        _add(account, "Name", invoice.seller.legal_name)
        if invoice.seller.bic:
            _add(_group(account, "FinancialInstitutionBranch"), "ID", invoice.seller.bic)
    if not invoice.credit_note and invoice.instructions.strip():
        _add(_group(root, "PaymentTerms"), "Note", invoice.instructions)
    elif invoice.credit_note:
        _add(_group(root, "PaymentTerms"), "Note", f"Credit of {invoice.number}")


def _add_taxes(root: Element, invoice: EInvoice) -> None:
    total = _group(root, "TaxTotal")
    _add_amount(total, "TaxAmount", invoice.tax_minor, invoice.currency)
    for each in invoice.subtotals:
        part = _group(total, "TaxSubtotal")
        _add_amount(part, "TaxableAmount", each.net_minor, invoice.currency)
        _add_amount(part, "TaxAmount", each.tax_minor, invoice.currency)
        _add_category(_group(part, "TaxCategory"), each)


def _add_category(category: Element, each: TaxSubtotal | EInvoiceLine) -> None:
    _add(category, "ID", each.category.value)
    if isinstance(each, TaxSubtotal) or each.category is not TaxCategory.NOT_SUBJECT:
        _add(category, "Percent", percent_text(each.rate_ppm))
    if isinstance(each, TaxSubtotal):
        _add(category, "TaxExemptionReasonCode", each.reason_code)
        _add(category, "TaxExemptionReason", each.reason)
    _add(_group(category, "TaxScheme"), "ID", "VAT")


def _add_totals(root: Element, invoice: EInvoice) -> None:
    totals, gross = _group(root, "LegalMonetaryTotal"), invoice.net_minor + invoice.tax_minor
    for name, minor in _totals(invoice, gross):
        _add_amount(totals, name, minor, invoice.currency)


def _totals(invoice: EInvoice, gross: int) -> Iterator[tuple[str, int]]:
    yield "LineExtensionAmount", invoice.net_minor
    yield "TaxExclusiveAmount", invoice.net_minor
    yield "TaxInclusiveAmount", gross
    if invoice.prepaid_minor:
        yield "PrepaidAmount", invoice.prepaid_minor
    yield "PayableAmount", gross - invoice.prepaid_minor


def _add_line(root: Element, invoice: EInvoice, number: int, line: EInvoiceLine) -> None:
    """Add a line.

    A refund has a negative quantity, because prices must not be negative.
    """
    kind, quantity = ("CreditNote", "CreditedQuantity") if invoice.credit_note else ("Invoice", "InvoicedQuantity")
    added = _group(root, f"{kind}Line")
    _add(added, "ID", str(number))
    _add(added, quantity, "-1" if line.net_minor < 0 else "1", unitCode=ONE)
    _add_amount(added, "LineExtensionAmount", line.net_minor, invoice.currency)
    if line.serviced_on:
        period = _group(added, "InvoicePeriod")
        _add(period, "StartDate", line.serviced_on)
        _add(period, "EndDate", line.serviced_on)
    if line.reference:
        _add(_group(added, "OrderLineReference"), "LineID", line.reference)
    item = _group(added, "Item")
    _add(item, "Description", line.details)
    _add(item, "Name", line.name)
    _add_category(_group(item, "ClassifiedTaxCategory"), line)
    _add_amount(_group(added, "Price"), "PriceAmount", abs(line.net_minor), invoice.currency)
