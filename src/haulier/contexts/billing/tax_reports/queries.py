"""Sums of the taxes of a period."""

from datetime import date

from haulier.contexts.billing.invoices.queries import InvoiceRow, LineRow
from haulier.contexts.billing.invoices.rules import InvoiceKind
from haulier.contexts.billing.journal.queries import iterate_documents, taxed_lines
from haulier.contexts.billing.journal.rules import state_taxes
from haulier.contexts.billing.tax_reports.contract import TaxReport, TaxReportLine, TaxReportTotal
from haulier.contexts.billing.tax_reports.rules import (
    TaxedAmount,
    TaxKey,
    TaxTotals,
    add_amounts,
    find_jurisdiction,
)
from haulier.contexts.billing.taxes.queries import list_tax_rules
from haulier.kernel.call import Call
from haulier.kernel.values.taxes import rate_in_bp


async def load_tax_report(call: Call, first: date, last: date) -> TaxReport:
    """Return the sums of the taxes of a period.

    Credit notes count negative, and a voided invoice is subtracted on the day on which it was voided.
    """
    groups, totals, documents = dict[TaxKey, TaxTotals](), dict[str, TaxTotals](), 0
    async for row, lines in iterate_documents(call, first, last):
        documents += 1
        for sign in _signs(call, row, first, last):
            add_amounts(groups, row.currency, _amounts(row, lines), sign)
            total = totals.setdefault(row.currency, TaxTotals())
            total.tax_minor += sign * row.tax_minor
            total.gross_minor += sign * row.total_minor
    rules = await list_tax_rules(call)
    return TaxReport(
        date_from=first,
        date_to=last,
        documents=documents,
        lines=[
            TaxReportLine(
                country=place[0],
                region=place[1],
                tax_name=key.name,
                rate_bp=rate_in_bp(key.rate_ppm),
                rate_ppm=key.rate_ppm,
                treatment=key.treatment,
                credit_currency=key.currency,
                net_minor=group.net_minor,
                tax_minor=group.tax_minor,
                gross_minor=group.gross_minor,
            )
            for key, group in sorted(groups.items())
            for place in [find_jurisdiction(rules, key.name, key.rate_ppm)]
        ],
        totals=[
            TaxReportTotal(
                credit_currency=currency,
                net_minor=total.gross_minor - total.tax_minor,
                tax_minor=total.tax_minor,
                gross_minor=total.gross_minor,
            )
            for currency, total in sorted(totals.items())
        ],
    )


def _signs(call: Call, row: InvoiceRow, first: date, last: date) -> list[int]:
    """Return the signs with which a document counts in a period."""
    issued = 1 if row.kind == InvoiceKind.INVOICE else -1
    days = [(issued, row.issued_on)]
    if row.voided_at:
        days.append((-issued, call.local_time(row.voided_at).date()))
    return [sign for sign, day in days if first <= day <= last]


def _amounts(row: InvoiceRow, lines: list[LineRow]) -> list[TaxedAmount]:
    taxed = taxed_lines(lines)
    stated = state_taxes(taxed, row.tax_name, row.tax_rate_bp, row.tax_minor)
    return [
        TaxedAmount(gross_minor=line.amount_minor, taxes=taxes, exemption_kind=line.exemption_kind)
        for line, taxes in zip(lines, stated, strict=True)
    ]
