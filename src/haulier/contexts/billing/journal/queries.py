"""Pages of the accounting journal."""

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime
from typing import Any

import msgspec

from haulier.contexts.billing.invoices.queries import InvoiceRow, LineRow, list_documents_of_period
from haulier.contexts.billing.invoices.rules import InvoiceKind
from haulier.contexts.billing.journal import store
from haulier.contexts.billing.journal.contract import AccountingEntry, JournalEntryKind, JournalLine
from haulier.contexts.billing.journal.rules import (
    Closing,
    PostedLine,
    TaxedLine,
    account_of_side,
    number_of,
    numbers_on,
    post_taxes,
    state_taxes,
)
from haulier.contexts.billing.ledger.queries import ListedTransferRow, list_transfers_of_period
from haulier.contexts.billing.ledger.rules import AccountKind
from haulier.kernel.call import Call
from haulier.kernel.values.taxes import Tax

DOCUMENTS_AT_ONCE = 50
"""Documents have up to 1,000 lines each."""
TRANSFERS, DOCUMENTS = "transfers", "documents"
Position = tuple[str, datetime, int]
"""Last entry of a page: its part of the journal, time and id."""


class Numbers(msgspec.Struct, frozen=True):
    """Account numbers now and in closed periods."""

    current: dict[str, str]
    closings: Sequence[Closing]

    def sides(self, day: date, posted: Sequence[PostedLine]) -> dict[str, Any]:
        """Return the lines of an entry, the accounts of both sides and their sum."""
        lines, sums = self.lines(day, posted), [line.minor for line in posted]
        numbers = [line.account_number for line in lines]
        return {
            "lines": lines,
            "debit_account": ", ".join(number for number, minor in zip(numbers, sums, strict=True) if minor > 0),
            "credit_account": ", ".join(number for number, minor in zip(numbers, sums, strict=True) if minor < 0),
            "amount_minor": sum(minor for minor in sums if minor > 0),
        }

    def lines(self, day: date, posted: Sequence[PostedLine]) -> list[JournalLine]:
        """Return the lines of an entry with the account numbers of its day."""
        numbers = numbers_on(day, self.closings, self.current)
        return [
            JournalLine(
                account=line.account,
                account_number=number_of(line, numbers),
                tax_name=line.tax_name,
                tax_rate_bp=line.tax_rate_bp,
                tax_rate_ppm=line.tax_rate_ppm,
                debit_minor=max(line.minor, 0),
                credit_minor=max(-line.minor, 0),
            )
            for line in posted
        ]


async def load_numbers(call: Call) -> Numbers:
    """Return the account numbers of the business."""
    return Numbers(await store.get_numbers(call.work), await store.list_closings(call.work))


async def list_entries(
    call: Call, first: date, last: date, after: Position | None, limit: int
) -> tuple[list[AccountingEntry], Position | None]:
    """Return a page of entries and the position of the next one, or None at the end.

    A page takes the same number of statements, however long the period is.
    """
    numbers, (since, until) = await load_numbers(call), call.span_of_days(first, last)
    entries, document_id = list[AccountingEntry](), 0
    if after is None or after[0] == TRANSFERS:
        key = (after[1], after[2]) if after else (since, 0)
        rows = await list_transfers_of_period(call, since, until, key, limit)
        entries = [_transfer(call, row, numbers) for row in rows]
        if len(rows) == limit:
            return entries, (TRANSFERS, rows[-1].at, rows[-1].id)
    else:
        document_id = after[2]
    most = min(limit - len(entries), DOCUMENTS_AT_ONCE)
    documents = await list_documents_of_period(call, first, last, after=document_id, limit=most)
    for row, lines in documents:
        entries += [entry for entry in _taxes(call, row, lines, numbers, (first, last)) if entry.lines]
    return entries, (DOCUMENTS, since, documents[-1][0].id) if len(documents) == most else None


def _transfer(call: Call, row: ListedTransferRow, numbers: Numbers) -> AccountingEntry:
    debit, credit = (
        account_of_side(kind, row.kind, row.price_family, row.subject_kind) for kind in (row.debit, row.credit)
    )
    posted = [PostedLine(account=debit, minor=row.amount_minor), PostedLine(account=credit, minor=-row.amount_minor)]
    day = call.local_time(row.at).date()
    owners = ((row.debit, row.debit_owner_id), (row.credit, row.credit_owner_id))
    about = f"{row.subject_kind} {row.subject_id}".replace("_", " ") if row.subject_kind else ""
    return AccountingEntry(
        number=f"T{row.id}",
        kind=JournalEntryKind.TRANSFER,
        day=day,
        document_number=None,
        customer_id=next((owner for kind, owner in owners if kind != AccountKind.DRIVER_CASH and owner), None),
        credit_currency=row.currency,
        description=" · ".join(filter(None, (call.translate(f"transfer_{row.kind}"), about))),
        **numbers.sides(day, posted),
    )


def taxed_lines(lines: Sequence[LineRow]) -> list[TaxedLine]:
    """Return the lines of a document with their taxes."""
    return [
        TaxedLine(
            kind=line.kind,
            gross_minor=line.amount_minor,
            price_family=line.price_family,
            taxes=msgspec.convert(line.taxes, list[Tax] | None),
        )
        for line in lines
    ]


def _taxes(
    call: Call, row: InvoiceRow, lines: Sequence[LineRow], numbers: Numbers, days: tuple[date, date]
) -> list[AccountingEntry]:
    """Return the taxes of a document, and their reversal if it was voided."""
    taxed = taxed_lines(lines)
    stated = state_taxes(taxed, row.tax_name, row.tax_rate_bp, row.tax_minor)
    events = [(JournalEntryKind.TAX, row.issued_on)]
    if row.voided_at:
        events.append((JournalEntryKind.TAX_REVERSAL, call.local_time(row.voided_at).date()))
    return [
        AccountingEntry(
            number=f"{'I' if kind is JournalEntryKind.TAX else 'V'}{row.id}",
            kind=kind,
            day=day,
            document_number=row.number,
            customer_id=row.customer_id,
            credit_currency=row.currency,
            description=call.translate(f"journal_{kind}", number=row.number),
            **numbers.sides(
                day,
                post_taxes(taxed, stated, InvoiceKind(row.kind), reverse=kind is JournalEntryKind.TAX_REVERSAL),
            ),
        )
        for kind, day in events
        if days[0] <= day <= days[1]
    ]


async def iterate_documents(call: Call, first: date, last: date) -> AsyncIterator[tuple[InvoiceRow, list[LineRow]]]:
    """Yield the documents that were issued or voided in a period, with their lines."""
    after = 0
    while True:
        documents = await list_documents_of_period(call, first, last, after=after, limit=DOCUMENTS_AT_ONCE)
        for row, lines in documents:
            yield row, lines
        if len(documents) < DOCUMENTS_AT_ONCE:
            return
        after = documents[-1][0].id
