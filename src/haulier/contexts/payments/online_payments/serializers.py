"""Rows of online payments as answers show them."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from haulier.contexts.payments.online_payments.contract import (
    Payment,
    PaymentDetail,
    PaymentDisputeRecord,
    PaymentRefundRecord,
)
from haulier.contexts.payments.online_payments.rules import PaymentPurpose, PaymentStatus
from haulier.contexts.payments.online_payments.store import DisputeRow, PaymentRow, RefundRow
from haulier.contexts.payments.ports import DisputeStatus, RefundStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.records import record


def payment_summary(call: Call, row: PaymentRow) -> Payment:
    """Return a payment."""
    return record(Payment, row, **_shared(call, row))


def payment_detail(
    call: Call, row: PaymentRow, refunds: Sequence[RefundRow], disputes: Sequence[DisputeRow]
) -> PaymentDetail:
    """Return a payment with refunds and disputes; hidden prices are omitted."""
    hidden = row.price_family is not None and call.principal.hides(PriceFamily(row.price_family))
    return record(
        PaymentDetail,
        row,
        **_shared(call, row),
        refunds=[_refund(call, each, hidden=hidden) for each in refunds],
        disputes=[_dispute(call, each, hidden=hidden) for each in disputes],
    )


def _refund(call: Call, row: RefundRow, *, hidden: bool) -> PaymentRefundRecord:
    return PaymentRefundRecord(
        refund_id=row.id,
        status=RefundStatus(row.status),
        amount_minor=UNSET if hidden else row.amount_minor,
        price_hidden=hidden or UNSET,
        reason=row.reason,
        created_at=call.local_time(row.created_at),
    )


def _dispute(call: Call, row: DisputeRow, *, hidden: bool) -> PaymentDisputeRecord:
    return PaymentDisputeRecord(
        dispute_id=row.id,
        dispute_status=DisputeStatus(row.status),
        amount_minor=UNSET if hidden else row.amount_minor,
        price_hidden=hidden or UNSET,
        dispute_reason=row.reason,
        created_at=call.local_time(row.created_at),
    )


def _shared(call: Call, row: PaymentRow) -> dict[str, Any]:
    return {
        "payment_id": row.id,
        "payment_minor": row.amount_minor,
        "refunded_minor": row.refunded_minor,
        "disputed_minor": row.disputed_minor,
        "purpose": PaymentPurpose(row.purpose),
        "status": PaymentStatus(row.status),
        "price_family": PriceFamily(row.price_family) if row.price_family else None,
        "created_at": call.local_time(row.created_at),
        "settled_at": call.local_time(row.settled_at),
    }
