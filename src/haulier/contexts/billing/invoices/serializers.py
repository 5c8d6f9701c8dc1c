"""Serializers for invoices.

Callers who may not see a price family on an invoice do not see its sums either, since those would reveal the prices.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.billing.invoices.contract import (
    DunningLetterRecord,
    InvoiceDetail,
    InvoiceLineRecord,
    InvoiceSummary,
    InvoiceTax,
    LineTax,
)
from haulier.contexts.billing.invoices.queries import hidden_family, taxes_of
from haulier.contexts.billing.invoices.rules import InvoiceKind, InvoiceStatus
from haulier.contexts.billing.invoices.store import InvoiceRow, LetterRow, LineRow, left_minor
from haulier.contexts.billing.ledger.rules import TransferKind
from haulier.contexts.billing.received_payments.queries import AllocationRow
from haulier.contexts.billing.received_payments.serializers import allocation_record
from haulier.contexts.billing.taxes.rules import ExemptionKind
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.records import record
from haulier.kernel.values.taxes import Tax

_SUMS = ("total_minor", "tax_minor", "paid_minor", "credited_minor")


def invoice_summary(call: Call, row: InvoiceRow) -> InvoiceSummary:
    """Return an invoice in a list."""
    return record(InvoiceSummary, row, **_summary(call, row))


def invoice_detail(
    call: Call,
    row: InvoiceRow,
    lines: Sequence[LineRow],
    letters: Sequence[LetterRow],
    refundable: Mapping[int, int],
    allocations: Sequence[tuple[AllocationRow, str | None]],
) -> InvoiceDetail:
    """Return an invoice with its lines, reminders and payments.

    `refundable` has the remaining amounts of its charges by transfer. `allocations` come with the payment reference.
    """
    hidden = hidden_family(call.principal, row) is not None
    return record(
        InvoiceDetail,
        row,
        **_summary(call, row),
        lines=[_line(call, line, refundable) for line in lines],
        taxes=UNSET if hidden else [record(InvoiceTax, each) for each in taxes_of(row, lines)],
        letters=[_email_record(call, letter, hidden=hidden) for letter in letters],
        allocations=[allocation_record(call, each, {row.id: row.number}, said) for each, said in allocations],
        paid_at=call.local_time(row.paid_at),
        voided_at=call.local_time(row.voided_at),
    )


def _summary(call: Call, row: InvoiceRow) -> dict[str, Any]:
    hidden = hidden_family(call.principal, row) is not None
    is_open = row.status == InvoiceStatus.OPEN
    sums: dict[str, Any] = {name: UNSET if hidden else getattr(row, name) for name in _SUMS}
    return {
        **sums,
        "due_minor": UNSET if hidden else left_minor(row) if is_open else 0,
        "price_hidden": hidden or UNSET,
        "kind": InvoiceKind(row.kind),
        "status": InvoiceStatus(row.status),
        "credit_currency": row.currency,
        "overdue": is_open and row.due_on < call.today,
        "reminders_enabled": row.dunning,
        "sent_at": call.local_time(row.sent_at),
    }


def _line(call: Call, row: LineRow, refundable: Mapping[int, int]) -> InvoiceLineRecord:
    hidden = bool(row.price_family) and call.principal.hides(PriceFamily(row.price_family))
    return record(
        InvoiceLineRecord,
        row,
        kind=TransferKind(row.kind),
        at=call.local_time(row.at),
        amount_minor=UNSET if hidden else row.amount_minor,
        refundable_minor=UNSET if hidden else refundable.get(row.transfer_id or 0),
        taxes=UNSET if hidden else _taxes(row),
        exemption_kind=ExemptionKind(row.exemption_kind) if row.exemption_kind else None,
        price_hidden=hidden or UNSET,
    )


def _taxes(row: LineRow) -> list[LineTax] | None:
    taxes = msgspec.convert(row.taxes, list[Tax] | None)
    return None if taxes is None else [record(LineTax, each, rate_ppm=each.ppm) for each in taxes]


def _email_record(call: Call, row: LetterRow, *, hidden: bool) -> DunningLetterRecord:
    return record(
        DunningLetterRecord,
        row,
        fee_minor=UNSET if hidden else row.fee_minor,
        price_hidden=hidden or UNSET,
        written_at=call.local_time(row.written_at),
    )
