"""Rules of inbound parcels."""

from datetime import timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.consolidation.inbound_parcels.contract import TEXT_MAX
from haulier.contexts.otep.public import TrackingEvent
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

LABEL_EXTENSION = "consignee"
"""The member of an event's `extensions` in which a provider tells whom a parcel is for, as its label says."""


def label_text_of(event: TrackingEvent) -> str | None:
    """What an event tells of whom a parcel is for; None where it tells nothing that can be read."""
    told = (event.extensions or {}).get(LABEL_EXTENSION)
    return told.replace("\0", "")[:TEXT_MAX] or None if isinstance(told, str) else None


INBOUND_STEP_REFUSED = declare_error("inbound_step_refused", 409)
INBOUND_PARCEL_MATCHED = declare_error("inbound_parcel_matched", 409)
PRE_ALERT_NUMBER_TAKEN = declare_error("pre_alert_number_taken", 409)

ASKED_FOR = timedelta(days=60)
"""A parcel of which nothing was heard for so long is not asked for any more."""


class InboundState(StrEnum):
    """Where an inbound parcel is on its way through us."""

    EXPECTED = "expected"
    """Announced; nothing was heard of it."""
    IN_TRANSIT = "in_transit"
    """A carrier has it."""
    ARRIVED = "arrived"
    """It is here, and nobody knows whose it is."""
    MATCHED = "matched"
    """It is here, and its customer is known."""
    CONSOLIDATED = "consolidated"
    """It is part of a ship-out."""
    SHIPPED = "shipped"
    UNCLAIMED = "unclaimed"
    """It has been here for long, and still nobody knows whose it is."""


class InboundStep(StrEnum):
    """What is done with an inbound parcel."""

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
    """The life of an inbound parcel as a diagram."""
    return INBOUND_LIFE.mermaid()


def is_moving(phase: str) -> bool:
    """Whether a carrier has a parcel once something of this phase happened to it.

    Delivered counts: that it is here is said by whoever received it, not by the carrier.
    """
    return phase in _MOVING_PHASES


def poll_pause(idle: timedelta) -> timedelta:
    """How long to wait before a carrier is asked again: a quarter of the time since the last news, 1 to 12 hours."""
    return max(timedelta(hours=1), min(timedelta(hours=12), idle / 4))


POLL_JOB = "consolidation.poll"
GIVE_UP_JOB = "consolidation.give_up"


class PollInboundParcel(Struct, frozen=True):
    """Of which parcel scans are asked for."""

    parcel_id: int


class GiveUpUnclaimed(Struct, frozen=True):
    """No arguments: the job looks at every parcel of its client that is nobody's."""
