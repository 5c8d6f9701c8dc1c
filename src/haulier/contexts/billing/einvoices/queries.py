"""Electronic invoices of issued invoices and credit notes."""

from msgspec import structs

from haulier.contexts.billing.einvoices.rules import (
    EINVOICE_INCOMPLETE,
    ChargedLine,
    EInvoice,
    build_lines,
    find_missing,
    has_supported_currency,
    sum_categories,
)
from haulier.contexts.billing.identities.queries import load_parties
from haulier.contexts.billing.invoices.queries import InvoiceRow, LineRow, list_invoice_lines, load_invoice
from haulier.contexts.billing.invoices.rules import InvoiceKind
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.values.taxes import Tax


async def load_einvoice(call: Call, row: InvoiceRow) -> EInvoice:
    """Return the content of an electronic invoice.

    Raises `EINVOICE_INCOMPLETE` with every missing datum and the operation that sets it.
    """
    seller, buyer = await load_parties(call, row.id, row.customer_id)
    buyer = structs.replace(buyer, legal_name=buyer.legal_name or row.billing_name or None)
    original = await load_invoice(call, row.refers_to) if row.refers_to else None
    charged = [_line(call, line, taxes) for line, taxes in await list_invoice_lines(call, row.id)]
    lines = build_lines(charged, row.tax_rate_bp, row.tax_minor, seller, buyer)
    invoice = EInvoice(
        number=row.number,
        credit_note=row.kind == InvoiceKind.CREDIT_NOTE,
        refers_to=original.number if original else None,
        currency=row.currency,
        issued_on=row.issued_on,
        due_on=row.due_on,
        seller=seller,
        buyer=buyer,
        instructions=row.payment_instructions,
        lines=lines,
        subtotals=sum_categories(lines),
        prepaid_minor=row.covered_minor,
    )
    _require_complete(invoice)
    return invoice


def _require_complete(invoice: EInvoice) -> None:
    faults = [
        FieldError(each.field, "field.einvoice_missing", {"operation": each.operation})
        for each in find_missing(invoice)
    ]
    if not has_supported_currency(invoice.currency):
        faults.append(FieldError("currency", "field.einvoice_currency", {"currency": invoice.currency}))
    if faults:
        missing = ", ".join(fault.field for fault in faults)
        raise EINVOICE_INCOMPLETE.for_fields(*faults, number=invoice.number, missing=missing)


def _line(call: Call, line: LineRow, taxes: list[Tax] | None) -> ChargedLine:
    return ChargedLine(
        gross_minor=line.amount_minor,
        taxes=taxes,
        exemption_kind=line.exemption_kind,
        exemption_number=line.exemption_number,
        subject_kind=line.subject_kind,
        name=line.item or call.translate(f"transfer_{line.kind}"),
        details=" · ".join(filter(None, (line.reference, line.recipient, line.reason))),
        reference=line.reference,
        serviced_on=line.serviced_on,
    )
