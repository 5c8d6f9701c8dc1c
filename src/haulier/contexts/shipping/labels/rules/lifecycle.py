"""What can be done with a shipment, and in which state."""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

SHIPMENT_STEP_REFUSED = declare_error("shipment_step_refused", 409)
SHIPMENT_REF_TAKEN = declare_error("shipment_ref_taken", 409)
SHIPPING_RATE_EXPIRED = declare_error("shipping_rate_expired", 409)
SHIPPING_RATE_NOT_AVAILABLE = declare_error("shipping_rate_not_available", 409)
LABEL_NOT_BOUGHT = declare_error("label_not_bought", 409)

LEASE = timedelta(seconds=90)
"""How long one process may ask a carrier about a shipment: longer than any carrier may take to answer."""
SETTLE_AFTER = timedelta(seconds=5)
"""When a job looks after a purchase or a void that the call itself did not settle."""
BUY_AGAIN_AFTER = timedelta(minutes=2)
"""A purchase that the carrier does not know so long after it was asked was not made."""
MAX_PURCHASE_ATTEMPTS = 4
_LONGEST_PAUSE = timedelta(hours=1)
_FIRST_PAUSE = timedelta(seconds=15)


class ShipmentState(StrEnum):
    """The state of a shipment."""

    DRAFT = "draft"
    PURCHASE_UNKNOWN = "purchase_unknown"
    """The carrier is being asked, or was, and nobody knows yet what came of it."""
    PURCHASED = "purchased"
    IN_TRANSIT = "in_transit"
    DELIVERED = "delivered"
    VOID_PENDING = "void_pending"
    VOIDED = "voided"
    FAILED = "failed"


class ShipmentStep(StrEnum):
    """What is done with a shipment."""

    BUY = "buy"
    BOUGHT = "bought"
    REFUSED = "refused"
    CHANGE = "change"
    VOID = "void"
    VOIDED = "voided"
    KEPT = "kept"
    MOVED = "moved"
    DELIVERED = "delivered"


_S = ShipmentState


def _refused(step: ShipmentStep, state: ShipmentState) -> OperationError:
    return SHIPMENT_STEP_REFUSED(step=step.value, state=state.value)


SHIPMENT_LIFE = StateMachine(
    {
        ShipmentStep.CHANGE: {_S.DRAFT: _S.DRAFT, _S.FAILED: _S.FAILED},
        ShipmentStep.BUY: {_S.DRAFT: _S.PURCHASE_UNKNOWN, _S.FAILED: _S.PURCHASE_UNKNOWN},
        # Why from failed, too: a carrier may have sold what it denied at first, and then it is ours.
        ShipmentStep.BOUGHT: {_S.PURCHASE_UNKNOWN: _S.PURCHASED, _S.FAILED: _S.PURCHASED},
        ShipmentStep.REFUSED: {_S.PURCHASE_UNKNOWN: _S.FAILED},
        ShipmentStep.VOID: {_S.PURCHASED: _S.VOID_PENDING, _S.DRAFT: _S.VOIDED, _S.FAILED: _S.VOIDED},
        ShipmentStep.VOIDED: {_S.VOID_PENDING: _S.VOIDED},
        ShipmentStep.KEPT: {_S.VOID_PENDING: _S.PURCHASED},
        ShipmentStep.MOVED: {_S.PURCHASED: _S.IN_TRANSIT, _S.VOID_PENDING: _S.IN_TRANSIT, _S.IN_TRANSIT: _S.IN_TRANSIT},
        ShipmentStep.DELIVERED: {
            _S.PURCHASED: _S.DELIVERED,
            _S.IN_TRANSIT: _S.DELIVERED,
            _S.VOID_PENDING: _S.DELIVERED,
        },
    },
    created={_S.DRAFT: "kept", _S.PURCHASE_UNKNOWN: "bought at once"},
    error=_refused,
)
BOUGHT_STATES = frozenset({_S.PURCHASED, _S.IN_TRANSIT, _S.DELIVERED, _S.VOID_PENDING})
"""The states of a shipment whose label can be printed."""
_PHASES_OF_STATE = {
    _S.IN_TRANSIT: frozenset({"pickup", "inbound", "transit", "out_for_delivery"}),
    _S.DELIVERED: frozenset({"delivered"}),
}


def mermaid() -> str:
    """The life of a shipment as a diagram."""
    return SHIPMENT_LIFE.mermaid()


def state_of_phase(phase: str) -> ShipmentState | None:
    """The state that a shipment is in once something of this phase happened to a parcel; None where it says nothing."""
    return next((state for state, phases in _PHASES_OF_STATE.items() if phase in phases), None)


def settle_pause(round_number: int) -> timedelta:
    """How long to wait before a carrier is asked once more about a purchase or a void: longer each time."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(round_number, 10))


def track_pause(idle: timedelta) -> timedelta:
    """How long to wait before a carrier is asked for scans: a quarter of the time since the last, 15 minutes to 12 hours."""
    return max(timedelta(minutes=15), min(timedelta(hours=12), idle / 4))


TRACKED_FOR = timedelta(days=60)
"""A parcel of which nothing was heard for so long is not asked for any more."""


def is_leased(leased_until: datetime | None, now: datetime) -> bool:
    """Whether another process is asking the carrier about it."""
    return leased_until is not None and leased_until > now
