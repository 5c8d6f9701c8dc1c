"""Serializers for cash-on-delivery entries and report lines."""

from collections.abc import Mapping, Sequence

from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.settlements.cash_on_delivery.contract import CodAmounts, CodEntry, CodReportLine
from haulier.contexts.settlements.cash_on_delivery.rules import CodEntryKind, CodMethod
from haulier.contexts.settlements.cash_on_delivery.store import CodEntryRow, CodLineRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record
from haulier.kernel.values.csv_text import csv_text

CSV_COLUMNS = (
    "id",
    "kind",
    "order_id",
    "driver_id",
    "day",
    "method",
    "amount_minor",
    "cod_currency",
    "reason",
    "reverses_id",
    "at",
    "recorded_at",
)


def cod_entry_record(call: Call, row: CodEntryRow) -> CodEntry:
    """Return an entry. Customers see neither the driver nor the office's note."""
    customer = call.principal.account is Account.CUSTOMER
    return record(
        CodEntry,
        row,
        kind=CodEntryKind(row.kind),
        method=CodMethod(row.method) if row.method else None,
        cod_currency=row.currency,
        driver_id=None if customer else row.driver_id,
        reason=None if customer else row.reason,
        at=call.local_time(row.at),
        recorded_at=call.local_time(row.recorded_at),
    )


def cod_entries_csv(entries: Sequence[CodEntry]) -> str:
    """Return entries as a CSV document, one per line."""
    return csv_text(CSV_COLUMNS, ([getattr(entry, name) for name in CSV_COLUMNS] for entry in entries))


def cod_report_line(row: CodLineRow, drivers: Mapping[int, DriverRow]) -> CodReportLine:
    """Return a report line."""
    driver = drivers.get(row.driver_id or 0)
    amounts = cod_amounts(row)
    return record(
        CodReportLine,
        row,
        driver_name=driver.name if driver else None,
        **{name: getattr(amounts, name) for name in CodAmounts.__struct_fields__},
    )


def cod_amounts(row: CodLineRow | None) -> CodAmounts:
    """Return the amounts of a line, or zeros if there is no line."""
    due, cash, card, other, written_off = (
        (0, 0, 0, 0, 0)
        if row is None
        else (row.due or 0, row.cash or 0, row.card or 0, row.other or 0, row.written_off or 0)
    )
    collected = cash + card + other
    return CodAmounts(
        due_minor=due,
        collected_minor=collected,
        cash_minor=cash,
        card_minor=card,
        other_minor=other,
        written_off_minor=written_off,
        open_minor=due - collected - written_off,
    )
