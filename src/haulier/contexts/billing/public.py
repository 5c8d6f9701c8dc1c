"""What other contexts may use of billing: money is moved within their own transaction, once for each key.

A key names what the money is for, such as `label:17:purchase`. The same call again gives the same transfer; the same key for
something else is refused. An error leaves nothing written, and the caller's transaction can go on.
"""

from haulier.contexts.billing.ledger.actions.credit import adjust, set_credit_limit, top_up
from haulier.contexts.billing.ledger.actions.holds import Hold, capture_hold, hold_credit, void_hold
from haulier.contexts.billing.ledger.actions.postings import Posted, charge, post, record_carrier_cost, refund
from haulier.contexts.billing.ledger.queries import Credit, balance_of, check_ledger, is_posted, list_credits
from haulier.contexts.billing.ledger.rules import (
    CREDIT_INSUFFICIENT,
    HOLD_ENDED,
    HOLD_TOO_SMALL,
    LEDGER_KEY_REUSED,
    REFUND_TOO_MUCH,
    AccountKey,
    AccountKind,
    HoldStatus,
    MoneySubject,
    TransferKind,
    make_posting,
)

__all__ = [
    "CREDIT_INSUFFICIENT",
    "HOLD_ENDED",
    "HOLD_TOO_SMALL",
    "LEDGER_KEY_REUSED",
    "REFUND_TOO_MUCH",
    "AccountKey",
    "AccountKind",
    "Credit",
    "Hold",
    "HoldStatus",
    "MoneySubject",
    "Posted",
    "TransferKind",
    "adjust",
    "balance_of",
    "capture_hold",
    "charge",
    "check_ledger",
    "hold_credit",
    "is_posted",
    "list_credits",
    "make_posting",
    "post",
    "record_carrier_cost",
    "refund",
    "set_credit_limit",
    "top_up",
    "void_hold",
]
