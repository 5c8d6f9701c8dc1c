"""The jobs that follow payments, and that apply what a provider told."""

from msgspec import Struct

from haulier.contexts.payments.ports import DisputeFact, IntentFact, LookAgain, RefundFact

FOLLOW_PAYMENT_JOB = "follow_online_payment"
APPLY_NOTICE_JOB = "apply_payment_notice"


class FollowPayment(Struct, frozen=True):
    """The payment, and how often it was asked about. `once`: it is not asked about again by this job."""

    payment_id: int
    round: int = 0
    once: bool = False


class ApplyNotice(Struct, frozen=True):
    """What a notice told."""

    fact: IntentFact | RefundFact | DisputeFact | LookAgain
