"""Receivables as records and as CSV."""

from collections.abc import Iterable, Mapping
from typing import Any

from haulier.contexts.billing.receivables.contract import AgedAmounts, CustomerReceivables
from haulier.contexts.billing.receivables.store import AgedRow
from haulier.kernel.values.csv_text import csv_text

AGES = ("not_due_minor", "days_1_30_minor", "days_31_60_minor", "days_61_90_minor", "days_over_90_minor")
HEADER = ("customer_id", "name", "credit_currency", "invoices", "oldest_due_on", *AGES, "overdue_minor", "due_minor")


def aged_fields(row: AgedRow) -> dict[str, Any]:
    """Return the fields of `AgedAmounts`."""
    ages = {name: getattr(row, name) for name in AGES}
    due = sum(ages.values())
    return {
        "credit_currency": row.currency,
        "invoices": row.invoices,
        "oldest_due_on": row.oldest_due_on,
        **ages,
        "overdue_minor": due - row.not_due_minor,
        "due_minor": due,
    }


def customer_receivables(rows: Iterable[AgedRow], names: Mapping[int, str]) -> list[CustomerReceivables]:
    """Return receivables with the names of their customers."""
    return [
        CustomerReceivables(customer_id=row.customer_id, name=names.get(row.customer_id), **aged_fields(row))
        for row in rows
    ]


def aged_sums(rows: Iterable[AgedRow]) -> list[AgedAmounts]:
    """Return the sums of each currency."""
    return [AgedAmounts(**aged_fields(row)) for row in rows]


def receivables_csv(rows: Iterable[CustomerReceivables]) -> str:
    """Return receivables as CSV, a row for each customer and currency."""
    return csv_text(HEADER, [[getattr(row, name) for name in HEADER] for row in rows])
