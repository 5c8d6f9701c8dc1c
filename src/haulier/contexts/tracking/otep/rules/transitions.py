"""Which status may follow which.

Any code may follow a code of the same or an earlier phase. A step back to an earlier phase is in order only after an
exception (a parcel whose delivery failed goes back to the depot) or around a fresh pickup attempt. A terminal code may end
the journey wherever it is: its own phase says where such journeys usually end. Nothing may follow a terminal code.
"""

from enum import StrEnum

from haulier.contexts.tracking.otep.model import Event
from haulier.contexts.tracking.otep.vocabulary import RANK, TABLE, Phase, StatusCode, resolve

FRESH_ATTEMPT = "out_for_pickup"


class Step(StrEnum):
    """What a step from one status to the next is."""

    LEGAL = "legal"
    STEP_BACK = "step_back"
    """Back to an earlier phase without a reason for it: a validator warns."""
    AFTER_TERMINAL = "after_terminal"
    """After the end: an error in a timeline that is validated; kept and marked late in one that is stored."""


def step(before: StatusCode, after: StatusCode) -> Step:
    """What the step from one status to the next is."""
    if before.terminal:
        return Step.AFTER_TERMINAL
    forward = RANK[after.phase] >= RANK[before.phase]
    if forward or after.terminal or before.exception or FRESH_ATTEMPT in (before.code, after.code):
        return Step.LEGAL
    return Step.STEP_BACK


def row_of(code: str, phase: str, profile: str) -> StatusCode:
    """The row of a code, or for one that nobody registered a plain row in the phase that is told with it.

    An unknown phase is transit.
    """
    known = resolve(code, profile)
    return known or StatusCode(code, phase if phase in RANK else Phase.TRANSIT.value, profile)


def step_between(before: Event, after: Event, profile: str) -> Step:
    """What the step from one event to the next in time is."""
    return step(row_of(before.status_code, before.phase, profile), row_of(after.status_code, after.phase, profile))


def following(code: str, profile: str) -> tuple[str, ...]:
    """The codes of a profile that may follow a code without a warning; none after a terminal or unknown one."""
    row = resolve(code, profile)
    if row is None:
        return ()
    known = (each for each in TABLE if resolve(each.code, profile))
    return tuple(each.code for each in known if step(row, each) is Step.LEGAL)
