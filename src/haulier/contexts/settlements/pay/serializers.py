"""Serializers for rates and earnings."""

from collections.abc import Sequence

from haulier.contexts.settlements.pay.contract import Earning, PayRateRecord
from haulier.contexts.settlements.pay.rules import EarningKind, PayeeKind
from haulier.contexts.settlements.pay.store import EarningRow, PayRateRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.csv_text import csv_text

CSV_COLUMNS = (
    "id",
    "payee_kind",
    "payee_id",
    "kind",
    "day",
    "route_id",
    "stop_id",
    "order_id",
    "quantity",
    "rate_minor",
    "amount_minor",
    "currency",
    "reason",
    "corrects_id",
    "at",
    "recorded_at",
)


def pay_rate_record(row: PayRateRow) -> PayRateRecord:
    """Return a rate."""
    return record(PayRateRecord, row, payee_kind=PayeeKind(row.payee_kind))


def earning_record(call: Call, row: EarningRow) -> Earning:
    """Return an earning."""
    return record(
        Earning,
        row,
        payee_kind=PayeeKind(row.payee_kind),
        kind=EarningKind(row.kind),
        at=call.local_time(row.at),
        recorded_at=call.local_time(row.recorded_at),
    )


def earnings_csv(earnings: Sequence[Earning]) -> str:
    """Return earnings as a CSV document, one per line."""
    return csv_text(CSV_COLUMNS, ([getattr(earning, name) for name in CSV_COLUMNS] for earning in earnings))
