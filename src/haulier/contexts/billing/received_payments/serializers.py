"""Serializers for received payments and allocations."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from haulier.contexts.billing.received_payments.contract import PaymentAllocationRecord, ReceivedPayment
from haulier.contexts.billing.received_payments.rules import PaidBy, ReceivedPaymentStatus
from haulier.contexts.billing.received_payments.store import AllocationRow, ReceivedPaymentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def payment_record(
    call: Call, row: ReceivedPaymentRow, allocations: Sequence[AllocationRow], numbers: Mapping[int, str]
) -> ReceivedPayment:
    """Return a received payment with its allocations.

    `numbers` has the invoice numbers by id.
    """
    hidden = bool(call.principal.hidden_prices)
    valid = row.status != ReceivedPaymentStatus.REVERSED
    return record(
        ReceivedPayment,
        row,
        status=ReceivedPaymentStatus(row.status),
        paid_by=PaidBy(row.paid_by),
        credit_currency=row.currency,
        allocated_minor=UNSET if hidden else row.allocated_minor,
        unallocated_minor=UNSET if hidden else (row.amount_minor - row.allocated_minor if valid else 0),
        price_hidden=hidden or UNSET,
        reversed_at=call.local_time(row.reversed_at),
        created_at=call.local_time(row.created_at),
        allocations=[allocation_record(call, each, numbers, row.reference) for each in allocations],
    )


def allocation_record(
    call: Call, row: AllocationRow, numbers: Mapping[int, str], reference: str | None
) -> PaymentAllocationRecord:
    """Return an allocation with its invoice number and payment reference."""
    hidden = bool(call.principal.hidden_prices)
    return record(
        PaymentAllocationRecord,
        row,
        received_payment_id=row.payment_id,
        reference=reference,
        invoice_number=numbers.get(row.invoice_id, ""),
        amount_minor=UNSET if hidden else row.amount_minor,
        price_hidden=hidden or UNSET,
        allocated_at=call.local_time(row.created_at),
    )
