"""What facts about online payments add up to, in whatever order and however often they come.

The end of a payment never depends on the order: success and cancellation stay, a refund that failed stays failed, a bank's
decision stays. Of what is no end, the newest moment counts.
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
    """What is paid for."""

    TOP_UP = "top_up"
    """Credit."""
    SHIPPING_ORDER = "shipping_order"
    STORAGE_ORDER = "storage_order"
    SHIPOUT = "shipout"
    DEVICE_ORDER = "device_order"
    LUGGAGE = "luggage"
    LOCKER_LEASE = "locker_lease"
    """Boxes of a locker, for a term."""
    SHOP_PURCHASE = "shop_purchase"
    """From a box of a locker."""
    NO_SHOW_FEE = "no_show_fee"
    """Of a reservation that was missed."""


class PaymentStatus(StrEnum):
    """How far an online payment is."""

    CREATING = "creating"
    """The provider has not answered yet."""
    REQUIRES_PAYMENT_METHOD = "requires_payment_method"
    """The payer has given nothing to pay with, or it was declined."""
    REQUIRES_ACTION = "requires_action"
    """The payer must still agree, such as by 3-D Secure."""
    PROCESSING = "processing"
    """The bank decides."""
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    REFUSED = "refused"
    """The provider took no such payment."""


OPEN_STATUSES = (
    PaymentStatus.CREATING,
    PaymentStatus.REQUIRES_PAYMENT_METHOD,
    PaymentStatus.REQUIRES_ACTION,
    PaymentStatus.PROCESSING,
)
"""The statuses of a payment of which money may still come, each further than those before it."""
PAYMENT_LIFE = timedelta(hours=24)
"""A payment that nobody has paid for so long is cancelled at the provider."""
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=2), timedelta(hours=4)


class PaymentState(Struct, frozen=True):
    """How far a payment is, and since when that was so at the provider."""

    status: PaymentStatus
    seen_at: datetime | None = None


def next_payment_state(known: PaymentState, status: IntentStatus, at: datetime) -> PaymentState:
    """What is known after a fact. Success counts at any time; what is over is not opened again by a fact that comes late."""
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
    """What is known of a refund after a fact: banks send back what succeeded at first, so failure counts most."""
    order = (RefundStatus.PENDING, RefundStatus.SUCCEEDED, RefundStatus.FAILED)
    return max(known, told, key=order.index)


def next_dispute_status(known: DisputeStatus, told: DisputeStatus) -> DisputeStatus:
    """What is known of a dispute after a fact. A decision stays."""
    order = (DisputeStatus.INQUIRY, DisputeStatus.OPEN, DisputeStatus.LOST, DisputeStatus.WON)
    return max(known, told, key=order.index)


def takes_money(status: DisputeStatus) -> bool:
    """Whether the bank took the money back, be it that it came again."""
    return status is not DisputeStatus.INQUIRY


def follow_pause(round_number: int) -> timedelta:
    """How long to wait before the provider is asked once more what became of a payment: longer each time."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(round_number, 10))
