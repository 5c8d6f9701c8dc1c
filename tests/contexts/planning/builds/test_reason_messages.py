"""Messages for the reasons of unassigned orders."""

import pytest

from haulier.contexts.planning.builds.rules.plan_document import FactValues, choose_reason_message
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.solvers.routing.reason_facts import UnassignedReason

SHIFT: FactValues = {"driver_id": 1, "shift_start": 0, "shift_end": 10}
NEAR: FactValues = {"driver_id": 1, "distance_m": 320_000, "drive_s": 15_000}
CASES: dict[str, FactValues] = {
    "too_far": {**NEAR, "shift_s": 28_800},
    "too_far_coordinates": {**NEAR, "distance_m": 9_400_000, "shift_s": 28_800},
    "unreachable_there": {**NEAR, "missing_way": "there"},
    "unreachable_back": {**NEAR, "missing_way": "back"},
    "unreachable_coordinates": {**NEAR, "distance_m": 9_400_000, "missing_way": "back"},
    "no_place": {"place": "unknown"},
    "shift_window": {**SHIFT, "window_start": 20},
    "shift_end": {**SHIFT, "earliest_end": 11},
    "shift_breaks": {**SHIFT, "earliest_end": 10},
    "window_missed": {"window_end": 5, "earliest_arrival": 6},
    "limits_stops": {"vehicle": 1, "limit": "max_stops", "needed": 2, "available": 1},
    "limits_distance_m": {"vehicle": 1, "limit": "max_distance_m", "needed": 2, "available": 1},
    "limits_time_s": {"vehicle": 1, "limit": "max_time_s", "needed": 2, "available": 1},
    "loading_alone": {"vehicles": 2, "alone": 1},
    "loading_together": {"vehicles": 2, "alone": 0},
    "no_room_of": {"vehicles": 2},
}
REASONS = {"no_place": "unreachable", "no_room_of": "no_room"}


@pytest.mark.parametrize("name", CASES)
def test_each_reason_has_a_message_with_details_in_six_languages(name: str) -> None:
    reason = next(each for each in UnassignedReason if REASONS.get(name, name).startswith(each.value))
    message_id = choose_reason_message(reason, CASES[name])
    assert message_id == f"build_reason_{name}"
    words = {**CASES[name], "window": "18:00–20:00", "shift_start": "8:00", "shift_end": "17:00"}
    texts = {Catalogues().translate(language, message_id, **words) for language in SUPPORTED_LANGUAGES}
    assert len(texts) == 6
    assert not [text for text in texts if "{" in text or text == message_id]
