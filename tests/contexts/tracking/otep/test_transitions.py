"""Which status may follow which."""

import pytest

from haulier.contexts.tracking.otep.diagram import diagram
from haulier.contexts.tracking.otep.rules.transitions import Step, following, row_of, step
from haulier.contexts.tracking.otep.vocabulary import PROFILES, RANK, TABLE, StatusCode, resolve

PAIRS = [(before, after) for before in TABLE for after in TABLE]


def between(before: str, after: str, profile: str = "parcel") -> Step:
    return step(row_of(before, "transit", profile), row_of(after, "transit", profile))


def test_forward_is_always_legal_and_after_the_end_nothing_is() -> None:
    for before, after in PAIRS:
        if before.terminal:
            assert step(before, after) is Step.AFTER_TERMINAL
        elif RANK[after.phase] >= RANK[before.phase]:
            assert step(before, after) is Step.LEGAL


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("label_created", "picked_up", Step.LEGAL),
        ("label_created", "delivered", Step.LEGAL),
        ("in_transit", "received", Step.STEP_BACK),
        ("delivery_failed", "received", Step.LEGAL),
        ("in_transit", "out_for_pickup", Step.LEGAL),
        ("out_for_pickup", "awaiting_pickup", Step.LEGAL),
        ("picked_up", "label_created", Step.STEP_BACK),
        ("out_for_delivery", "cancelled", Step.LEGAL),
        ("out_for_delivery", "returned", Step.LEGAL),
        ("out_for_delivery", "delayed", Step.STEP_BACK),
        ("delivered", "delivered", Step.AFTER_TERMINAL),
        ("returned", "x-odd", Step.AFTER_TERMINAL),
        ("out_for_delivery", "x-odd", Step.STEP_BACK),
    ],
)
def test_a_step_back_needs_an_exception_or_a_fresh_pickup(before: str, after: str, expected: Step) -> None:
    assert between(before, after) is expected


def test_a_code_nobody_registered_stands_in_the_phase_it_is_told_with() -> None:
    assert row_of("x-odd", "pickup", "food") == StatusCode("x-odd", "pickup", "food")
    assert row_of("x-odd", "no_such_phase", "food").phase == "transit"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_status_can_still_end_and_every_status_can_be_reached(profile: str) -> None:
    rows = [row for row in TABLE if resolve(row.code, profile)]
    assert all(row.terminal or "delivered" in following(row.code, profile) for row in rows)
    reached = {code for row in rows for code in following(row.code, profile)}
    assert {row.code for row in rows} <= reached
    assert following("no_such_code", profile) == ()


@pytest.mark.parametrize("profile", PROFILES)
def test_the_drawing_has_every_code_of_the_profile_in_its_phase_and_no_other(profile: str) -> None:
    drawn: dict[str, str] = {}
    phase = ""
    for line in diagram(profile).splitlines():
        words = line.split()
        if words[0] == "state" and words[-1] == "{":
            phase = words[1]
        elif words[0] == "state":
            drawn[words[1].strip('"')] = phase
    assert drawn == {row.code: row.phase for row in TABLE if resolve(row.code, profile)}
