"""Valid transitions between statuses."""

from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.rules.parser import (
    TransitionKind,
    classify_transition,
    status_code_row,
)
from haulier.contexts.otep.vocabulary.rules import PHASE_RANK, PROFILES, STATUS_CODES, StatusCode, resolve_status
from haulier.contexts.otep.vocabulary.serializers import state_diagram

PAIRS = [(before, after) for before in STATUS_CODES for after in STATUS_CODES]


def between(before: str, after: str, profile: str = "parcel") -> TransitionKind:
    return classify_transition(status_code_row(before, "transit", profile), status_code_row(after, "transit", profile))


def test_forward_steps_are_legal_and_none_after_the_end() -> None:
    for before, after in PAIRS:
        if before.terminal:
            assert classify_transition(before, after) is TransitionKind.AFTER_TERMINAL
        elif PHASE_RANK[after.phase] >= PHASE_RANK[before.phase]:
            assert classify_transition(before, after) is TransitionKind.LEGAL


@for_every(
    ("before", "after", "expected"),
    [
        ("label_created", "picked_up", TransitionKind.LEGAL),
        ("label_created", "delivered", TransitionKind.LEGAL),
        ("in_transit", "received", TransitionKind.STEP_BACK),
        ("delivery_failed", "received", TransitionKind.LEGAL),
        ("in_transit", "out_for_pickup", TransitionKind.LEGAL),
        ("out_for_pickup", "awaiting_pickup", TransitionKind.LEGAL),
        ("picked_up", "label_created", TransitionKind.STEP_BACK),
        ("out_for_delivery", "cancelled", TransitionKind.LEGAL),
        ("out_for_delivery", "returned", TransitionKind.LEGAL),
        ("out_for_delivery", "delayed", TransitionKind.STEP_BACK),
        ("delivered", "delivered", TransitionKind.AFTER_TERMINAL),
        ("returned", "x-odd", TransitionKind.AFTER_TERMINAL),
        ("out_for_delivery", "x-odd", TransitionKind.STEP_BACK),
    ],
)
def test_a_backward_step_needs_an_exception_or_a_new_pickup(before: str, after: str, expected: TransitionKind) -> None:
    assert between(before, after) is expected


def test_an_unregistered_code_belongs_to_its_given_phase() -> None:
    assert status_code_row("x-odd", "pickup", "food") == StatusCode("x-odd", "pickup", "food")
    assert status_code_row("x-odd", "no_such_phase", "food").phase == "transit"


@for_every("profile", PROFILES)
def test_every_status_is_reachable_and_can_reach_an_end(profile: str) -> None:
    rows = [row for row in STATUS_CODES if resolve_status(row.code, profile)]
    following = {
        row.code: {after.code for after in rows if classify_transition(row, after) is TransitionKind.LEGAL}
        for row in rows
    }
    assert all(row.terminal or "delivered" in following[row.code] for row in rows)
    assert following.keys() <= set().union(*following.values())


@for_every("profile", PROFILES)
def test_the_diagram_contains_exactly_the_codes_of_the_profile_by_phase(profile: str) -> None:
    drawn: dict[str, str] = {}
    phase = ""
    for line in state_diagram(profile).splitlines():
        words = line.split()
        if words[0] == "state" and words[-1] == "{":
            phase = words[1]
        elif words[0] == "state":
            drawn[words[1].strip('"')] = phase
    assert drawn == {row.code: row.phase for row in STATUS_CODES if resolve_status(row.code, profile)}
