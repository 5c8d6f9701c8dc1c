"""Which status may follow which.

Any code may follow a code of the same or an earlier phase. A step back to an earlier phase is in order only after an
exception (a parcel whose delivery failed goes back to the depot) or around a fresh pickup attempt. A terminal code may end
the journey wherever it is: its own phase says where such journeys usually end. Nothing may follow a terminal code.
"""

from enum import StrEnum

from haulier.contexts.otep.vocabulary.rules import PHASE_RANK, STATUS_CODES, Phase, StatusCode, resolve_status

FRESH_PICKUP_CODE = "out_for_pickup"


class TransitionKind(StrEnum):
    """The kind of a step from one status to the next."""

    LEGAL = "legal"
    STEP_BACK = "step_back"
    """Back to an earlier phase without a reason for it: a validator warns."""
    AFTER_TERMINAL = "after_terminal"
    """After the end: an error in a timeline that is validated; kept and marked late in one that is stored."""


def classify_transition(before: StatusCode, after: StatusCode) -> TransitionKind:
    """The kind of the step from one status to the next."""
    if before.terminal:
        return TransitionKind.AFTER_TERMINAL
    forward = PHASE_RANK[after.phase] >= PHASE_RANK[before.phase]
    if forward or after.terminal or before.exception or FRESH_PICKUP_CODE in (before.code, after.code):
        return TransitionKind.LEGAL
    return TransitionKind.STEP_BACK


def status_code_row(code: str, phase: str, profile: str) -> StatusCode:
    """The row of a code; for an unregistered code a plain row in the given phase.

    An unknown phase is transit.
    """
    registered = resolve_status(code, profile)
    return registered or StatusCode(code, phase if phase in PHASE_RANK else Phase.TRANSIT.value, profile)


def allowed_next_codes(code: str, profile: str) -> tuple[str, ...]:
    """The codes of a profile that may follow a code without a warning; none after a terminal or unknown one."""
    row = resolve_status(code, profile)
    if row is None:
        return ()
    rows = (after for after in STATUS_CODES if resolve_status(after.code, profile))
    return tuple(after.code for after in rows if classify_transition(row, after) is TransitionKind.LEGAL)
