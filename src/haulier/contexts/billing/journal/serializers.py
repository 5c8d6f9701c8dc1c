"""Journal entries as CSV, and in the French FEC format."""

import csv
import io
from collections.abc import Iterator, Sequence

from msgspec import UnsetType

from haulier.contexts.billing.journal.contract import AccountingEntry, JournalLine
from haulier.kernel.call import Call
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import percent_text

CSV_HEADER = (
    *("entry", "day", "kind", "document", "account", "account_name", "debit", "credit", "currency"),
    *("tax_name", "tax_rate", "customer_id", "description"),
)
FEC_HEADER = (
    *("JournalCode", "JournalLib", "EcritureNum", "EcritureDate", "CompteNum", "CompteLib", "CompAuxNum"),
    *("CompAuxLib", "PieceRef", "PieceDate", "EcritureLib", "Debit", "Credit", "EcritureLet", "DateLet"),
    *("ValidDate", "Montantdevise", "Idevise"),
)
FEC_JOURNAL = ("VT", "Haulier")


def journal_csv(call: Call, entries: Sequence[AccountingEntry], *, header: bool) -> str:
    """Return one line per account of each entry. Amounts are decimals."""
    text = csv_text(CSV_HEADER, _csv_rows(call, entries))
    return text if header else text.partition("\r\n")[2]


def _csv_rows(call: Call, entries: Sequence[AccountingEntry]) -> Iterator[tuple[object, ...]]:
    for entry in entries:
        for line in entry.lines:
            yield (
                *(entry.number, entry.day, entry.kind, entry.document_number),
                *(line.account_number, call.translate(f"choice.{line.account}")),
                *(_decimal(line.debit_minor, entry), _decimal(line.credit_minor, entry), entry.credit_currency),
                *(line.tax_name, None if line.tax_rate_ppm is None else percent_text(line.tax_rate_ppm)),
                *(entry.customer_id, entry.description),
            )


def journal_fec(call: Call, entries: Sequence[AccountingEntry], *, header: bool) -> str:
    """Return the entries in the French FEC format: 18 columns, separated by tabs."""
    document = io.StringIO()
    writer = csv.writer(document, delimiter="\t", lineterminator="\r\n", quoting=csv.QUOTE_NONE, quotechar=None)
    if header:
        writer.writerow(FEC_HEADER)
    for entry in entries:
        writer.writerows(_fec_row(call, entry, line) for line in entry.lines)
    return document.getvalue()


def _fec_row(call: Call, entry: AccountingEntry, line: JournalLine) -> tuple[str, ...]:
    day, home = f"{entry.day:%Y%m%d}", entry.credit_currency == call.business.currency
    amounts = [_decimal(each, entry).replace(".", ",") for each in (line.debit_minor, line.credit_minor)]
    foreign = ("", "") if home else (amounts[0] if line.debit_minor else f"-{amounts[1]}", entry.credit_currency)
    text = " ".join(f"{entry.description} {line.tax_name or ''}".split())
    return (
        *(*FEC_JOURNAL, entry.number, day, line.account_number, call.translate(f"choice.{line.account}")),
        *("", "", entry.document_number or entry.number, day, text, *amounts, "", "", day, *foreign),
    )


def _decimal(minor: int | UnsetType, entry: AccountingEntry) -> str:
    return f"{Money(minor or 0, entry.credit_currency).major:f}"
