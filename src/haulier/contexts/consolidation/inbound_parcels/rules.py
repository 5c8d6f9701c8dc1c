"""Rules of inbound parcels."""

from datetime import timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.consolidation.inbound_parcels.contract import TEXT_MAX
from haulier.contexts.otep.public import TrackingEvent
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

LABEL_EXTENSION = "consignee"
"""Member of an event's `extensions` with the recipient text of the label."""


def label_text_of(event: TrackingEvent) -> str | None:
    """Return the recipient text of an event's label, or None."""
    told = (event.extensions or {}).get(LABEL_EXTENSION)
    return told.replace("\0", "")[:TEXT_MAX] or None if isinstance(told, str) else None


INBOUND_STEP_REFUSED = declare_error("inbound_step_refused", 409)
INBOUND_PARCEL_MATCHED = declare_error("inbound_parcel_matched", 409)
PRE_ALERT_NUMBER_TAKEN = declare_error("pre_alert_number_taken", 409)

ASKED_FOR = timedelta(days=60)
"""Silence after which a parcel is no longer polled."""


class InboundState(StrEnum):
    """State of an inbound parcel."""

    EXPECTED = "expected"
    """Announced, without events."""
    IN_TRANSIT = "in_transit"
    """A carrier has it."""
    ARRIVED = "arrived"
    """It is here; its owner is unknown."""
    MATCHED = "matched"
    """It is here; its owner is known."""
    CONSOLIDATED = "consolidated"
    """It belongs to a ship-out."""
    SHIPPED = "shipped"
    UNCLAIMED = "unclaimed"
    """It has been here for long without a known owner."""


class InboundStep(StrEnum):
    """Steps of an inbound parcel."""

    CHANGE = "change"
    CANCEL = "cancel"
    MOVE = "move"
    RECEIVE = "receive"
    MATCH = "match"
    UNMATCH = "unmatch"
    GIVE_UP = "give_up"
    CONSOLIDATE = "consolidate"
    TAKE_OUT = "take_out"
    SHIP = "ship"


_S = InboundState


def _refused(step: InboundStep, state: InboundState) -> OperationError:
    return INBOUND_STEP_REFUSED(step=step.value, state=state.value)


INBOUND_LIFE = StateMachine(
    {
        InboundStep.CHANGE: {_S.EXPECTED: _S.EXPECTED, _S.IN_TRANSIT: _S.IN_TRANSIT},
        InboundStep.CANCEL: {_S.EXPECTED: _S.EXPECTED},
        InboundStep.MOVE: {_S.EXPECTED: _S.IN_TRANSIT, _S.IN_TRANSIT: _S.IN_TRANSIT},
        InboundStep.RECEIVE: {_S.EXPECTED: _S.ARRIVED, _S.IN_TRANSIT: _S.ARRIVED},
        InboundStep.MATCH: {_S.IN_TRANSIT: _S.IN_TRANSIT, _S.ARRIVED: _S.MATCHED, _S.UNCLAIMED: _S.MATCHED},
        InboundStep.UNMATCH: {_S.IN_TRANSIT: _S.IN_TRANSIT, _S.MATCHED: _S.ARRIVED},
        InboundStep.GIVE_UP: {_S.ARRIVED: _S.UNCLAIMED},
        InboundStep.CONSOLIDATE: {_S.MATCHED: _S.CONSOLIDATED},
        InboundStep.TAKE_OUT: {_S.CONSOLIDATED: _S.MATCHED},
        InboundStep.SHIP: {_S.CONSOLIDATED: _S.SHIPPED},
    },
    created={_S.EXPECTED: "announced", _S.IN_TRANSIT: "reported by a carrier", _S.ARRIVED: "received"},
    error=_refused,
)
HERE_STATES = frozenset({_S.ARRIVED, _S.MATCHED, _S.CONSOLIDATED, _S.UNCLAIMED})
"""The states of a parcel that is here."""
UNDER_WAY_STATES = frozenset({_S.EXPECTED, _S.IN_TRANSIT})
"""The states of a parcel that is still to come."""
_MOVING_PHASES = frozenset({"pickup", "inbound", "transit", "out_for_delivery", "delivered"})


def mermaid() -> str:
    """Return the life of an inbound parcel as a diagram."""
    return INBOUND_LIFE.mermaid()


def is_moving(phase: str) -> bool:
    """Return True if an event of this phase means that a carrier has the parcel.

    Delivered counts: staff record the arrival, not the carrier.
    """
    return phase in _MOVING_PHASES


def poll_pause(idle: timedelta) -> timedelta:
    """Return the pause before the next poll.

    A quarter of the time since the last news, 1 to 12 hours.
    """
    return max(timedelta(hours=1), min(timedelta(hours=12), idle / 4))


POLL_JOB = "consolidation.poll"
GIVE_UP_JOB = "consolidation.give_up"


class PollInboundParcel(Struct, frozen=True):
    """Job arguments: a parcel to poll."""

    parcel_id: int


class GiveUpUnclaimed(Struct, frozen=True):
    """Job without arguments: checks all parcels without an owner."""
