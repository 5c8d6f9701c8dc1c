"""Which status may follow which.

Any code may follow a code of the same or an earlier phase. A step back to an earlier phase is in order only after an
exception (a parcel whose delivery failed goes back to the depot) or around a fresh pickup attempt. A terminal code may end
the journey wherever it is: its own phase says where such journeys usually end. Nothing may follow a terminal code.
"""

from enum import StrEnum

from haulier.contexts.otep.timeline.contract import TrackingEvent
from haulier.contexts.otep.vocabulary.rules import PHASE_RANK, STATUS_CODES, Phase, StatusCode, resolve_status

FRESH_PICKUP_CODE = "out_for_pickup"


class TransitionKind(StrEnum):
    """What a step from one status to the next is."""

    LEGAL = "legal"
    STEP_BACK = "step_back"
    """Back to an earlier phase without a reason for it: a validator warns."""
    AFTER_TERMINAL = "after_terminal"
    """After the end: an error in a timeline that is validated; kept and marked late in one that is stored."""


def classify_transition(before: StatusCode, after: StatusCode) -> TransitionKind:
    """What the step from one status to the next is."""
    if before.terminal:
        return TransitionKind.AFTER_TERMINAL
    forward = PHASE_RANK[after.phase] >= PHASE_RANK[before.phase]
    if forward or after.terminal or before.exception or FRESH_PICKUP_CODE in (before.code, after.code):
        return TransitionKind.LEGAL
    return TransitionKind.STEP_BACK


def status_code_row(code: str, phase: str, profile: str) -> StatusCode:
    """The row of a code, or for one that nobody registered a plain row in the phase that is told with it.

    An unknown phase is transit.
    """
    known = resolve_status(code, profile)
    return known or StatusCode(code, phase if phase in PHASE_RANK else Phase.TRANSIT.value, profile)


def classify_event_transition(before: TrackingEvent, after: TrackingEvent, profile: str) -> TransitionKind:
    """What the step from one event to the next in time is."""
    return classify_transition(
        status_code_row(before.status_code, before.phase, profile),
        status_code_row(after.status_code, after.phase, profile),
    )


def allowed_next_codes(code: str, profile: str) -> tuple[str, ...]:
    """The codes of a profile that may follow a code without a warning; none after a terminal or unknown one."""
    row = resolve_status(code, profile)
    if row is None:
        return ()
    known = (each for each in STATUS_CODES if resolve_status(each.code, profile))
    return tuple(each.code for each in known if classify_transition(row, each) is TransitionKind.LEGAL)
