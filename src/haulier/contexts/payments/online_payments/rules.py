"""Rules that combine facts about payments in any order and repetition.

The end of a payment never depends on the order: success and cancellation stay, a failed refund stays failed, a bank's
decision stays. Otherwise the newest moment counts.
"""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.payments.ports import DisputeStatus, IntentStatus, RefundStatus
from haulier.kernel.operations.errors import declare_error

PAYMENT_NOT_DUE = declare_error("payment_not_due", 409)
PAYMENT_STEP_REFUSED = declare_error("payment_step_refused", 409)
PAYMENT_NOT_READY = declare_error("payment_not_ready", 409)
PAYMENT_REFUND_TOO_MUCH = declare_error("payment_refund_too_much", 409)
PAYMENT_SIGNATURE_WRONG = declare_error("payment_signature_wrong", 401)
PAYMENT_EVENT_UNREADABLE = declare_error("payment_event_unreadable", 400)


class PaymentPurpose(StrEnum):
    """Purposes of a payment."""

    TOP_UP = "top_up"
    """Credit."""
    SHIPPING_ORDER = "shipping_order"
    STORAGE_ORDER = "storage_order"
    SHIPOUT = "shipout"
    DEVICE_ORDER = "device_order"
    LUGGAGE = "luggage"
    LOCKER_LEASE = "locker_lease"
    """Locker rental for a term."""
    SHOP_PURCHASE = "shop_purchase"
    """Purchase from a locker compartment."""
    NO_SHOW_FEE = "no_show_fee"
    """Fee for a missed reservation."""


class PaymentStatus(StrEnum):
    """State of an online payment."""

    CREATING = "creating"
    """The provider has not answered yet."""
    REQUIRES_PAYMENT_METHOD = "requires_payment_method"
    """The payer gave no payment method, or it was declined."""
    REQUIRES_ACTION = "requires_action"
    """The payer must confirm, such as by 3-D Secure."""
    PROCESSING = "processing"
    """The bank decides."""
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    REFUSED = "refused"
    """The provider rejected the payment."""


OPEN_STATUSES = (
    PaymentStatus.CREATING,
    PaymentStatus.REQUIRES_PAYMENT_METHOD,
    PaymentStatus.REQUIRES_ACTION,
    PaymentStatus.PROCESSING,
)
"""Statuses in which money may still come, in order of progress."""
PAYMENT_LIFE = timedelta(hours=24)
"""Time after which an unpaid payment is cancelled at the provider."""
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=2), timedelta(hours=4)


class PaymentState(Struct, frozen=True):
    """State of a payment, and its time at the provider."""

    status: PaymentStatus
    seen_at: datetime | None = None


def next_payment_state(known: PaymentState, status: IntentStatus, at: datetime) -> PaymentState:
    """Return the state after a fact. Success always counts; late facts do not reopen."""
    told = PaymentStatus(status.value)
    if told is PaymentStatus.SUCCEEDED or known.status is PaymentStatus.SUCCEEDED:
        return PaymentState(PaymentStatus.SUCCEEDED, known.seen_at or at)
    if PaymentStatus.CANCELLED in (told, known.status):
        return PaymentState(PaymentStatus.CANCELLED, known.seen_at or at)
    if known.seen_at is None or (at, _progress(told)) > (known.seen_at, _progress(known.status)):
        return PaymentState(told, at)
    return known


def _progress(status: PaymentStatus) -> int:
    return OPEN_STATUSES.index(status) if status in OPEN_STATUSES else -1


def next_refund_status(known: RefundStatus, told: RefundStatus) -> RefundStatus:
    """Return the refund status after a fact.

    Failure counts most: banks return refunds.
    """
    order = (RefundStatus.PENDING, RefundStatus.SUCCEEDED, RefundStatus.FAILED)
    return max(known, told, key=order.index)


def next_dispute_status(known: DisputeStatus, told: DisputeStatus) -> DisputeStatus:
    """Return the dispute status after a fact. A decision stays."""
    order = (DisputeStatus.INQUIRY, DisputeStatus.OPEN, DisputeStatus.LOST, DisputeStatus.WON)
    return max(known, told, key=order.index)


def takes_money(status: DisputeStatus) -> bool:
    """Return True if the bank took the money back, also if it returned later."""
    return status is not DisputeStatus.INQUIRY


def retry_delay(round_number: int) -> timedelta:
    """Return the pause before the next query; it grows with each round."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(round_number, 10))
