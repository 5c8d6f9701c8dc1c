"""Rules of freight claims: kinds, deadlines and decisions."""

from datetime import date, timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

FREIGHT_CLAIM_TOO_EARLY = declare_error("freight_claim_too_early", 409)
FREIGHT_CLAIM_TOO_LATE = declare_error("freight_claim_too_late", 409)
FREIGHT_CLAIM_OPEN = declare_error("freight_claim_open", 409)
FREIGHT_CLAIM_DECIDED = declare_error("freight_claim_decided", 409)


class FreightClaimKind(StrEnum):
    """Kind of a freight claim."""

    SHORTAGE = "shortage"
    DAMAGE = "damaged"
    LOSS = "lost"
    DELAY = "delay"
    OVERCHARGE = "overcharge"


class FreightClaimState(StrEnum):
    """State of a freight claim."""

    OPEN = "open"
    APPROVED = "approved"
    DENIED = "denied"


NEEDS_DELIVERY = frozenset({FreightClaimKind.SHORTAGE, FreightClaimKind.DAMAGE})
CONCEALABLE = NEEDS_DELIVERY
"""Kinds that the recipient can see at delivery. Not noted on the receipt, they are concealed."""


def is_concealed(kind: FreightClaimKind, *, noted: bool) -> bool:
    """Return True for shortage or damage that the delivery receipt does not note."""
    return kind in CONCEALABLE and not noted


def last_day(started: date, *, concealed: bool, claim_days: int, concealed_days: int) -> date:
    """Return the last day for a claim.

    It counts from the delivery, or from the pickup of a shipment that never arrived.
    """
    return started + timedelta(days=min(claim_days, concealed_days) if concealed else claim_days)
