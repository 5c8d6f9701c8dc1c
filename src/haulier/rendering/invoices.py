"""Content and layout of invoices and credit notes."""

from collections.abc import Sequence

import msgspec

from haulier.rendering.page import Page
from haulier.rendering.sheets import Column, PaperHead, Sheets


class InvoicePaperLine(msgspec.Struct, frozen=True, kw_only=True):
    """A charge with localized values."""

    day: str
    text: str
    amount: str


class InvoicePaper(msgspec.Struct, frozen=True, kw_only=True):
    """Content of an invoice or credit note. Amounts are localized."""

    head: PaperHead
    credit_note: bool
    number: str
    refers_to: str
    """Number of the invoice that a credit note reduces; empty for an invoice."""
    issuer_lines: Sequence[str]
    customer_lines: Sequence[str]
    issued_on: str
    due_on: str
    until: str
    lines: Sequence[InvoicePaperLine]
    total: str
    taxes: Sequence[str]
    """Taxes included in the total, each with name and rate."""
    paid: str
    """Amount already paid; empty for none."""
    due: str
    instructions: str


def lay_out_invoice(paper: InvoicePaper) -> list[Page]:
    """Return the pages of an invoice or credit note."""
    sheets = Sheets(paper.head, "paper_credit_note" if paper.credit_note else "paper_invoice")
    say = sheets.say
    issuer = [paper.head.issuer, *paper.issuer_lines]
    sheets.blocks([(say("paper_seller"), issuer), (say("paper_customer"), paper.customer_lines)])
    sheets.facts(
        [
            (say("paper_invoice_number"), paper.number),
            (say("paper_invoice_of"), paper.refers_to),
            (say("paper_day"), paper.issued_on),
            (say("paper_due_on"), "" if paper.credit_note else paper.due_on),
            (say("paper_charges_until"), "" if paper.credit_note else paper.until),
        ]
    )
    columns = [
        Column(say("paper_day"), 0.16),
        Column(say("paper_description"), 0.66),
        Column(say("paper_entry_amount"), 0.18, "right"),
    ]
    sheets.table(columns, [(line.day, line.text, line.amount) for line in paper.lines])
    sheets.space()
    totals = [
        (say("paper_invoice_total"), paper.total),
        *((say("paper_invoice_tax"), tax) for tax in paper.taxes),
        (say("paper_invoice_paid"), paper.paid),
        (say("paper_invoice_due"), "" if paper.credit_note else paper.due),
    ]
    sheets.totals([(name, amount) for name, amount in totals if amount])
    if not paper.credit_note:
        sheets.line(paper.instructions, lines=6)
    return sheets.to_pages()
