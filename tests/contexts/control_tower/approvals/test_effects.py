"""Comparison of two runs of a write, ignoring generated values."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.control_tower.approvals.rules import WriteEffect
from haulier.contexts.control_tower.approvals.rules import is_same_effect as compare_effects
from haulier.kernel.data.tables import ColumnMarks
from haulier.kernel.values.ids import make_tracking_number

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
LATER = timedelta(hours=5, minutes=7)
WINDOW = "2026-06-11T09:00:00Z"
MARKS = ColumnMarks(
    volatile={"order": frozenset({"number", "job_id"}), "event": frozenset({"event_id"})},
    seconds={"order": frozenset({"shift"})},
)


def is_same_effect(shown: WriteEffect, found: WriteEffect) -> bool:
    return compare_effects(shown, found, MARKS)


def make_order(id: int, number: str, at: datetime) -> dict[str, Any]:
    """A new order with an outbox job and a shift that began just now."""
    question = {"shift": [int(at.timestamp()), int(NOON.timestamp())], "size": 1_800_000_000}
    after = {"number": number, "window": WINDOW, "job_id": id * 2, "question": question}
    return {"record": "order", "id": id, "before": None, "after": after}


def make_event(order_id: int, event_id: str, at: datetime) -> dict[str, Any]:
    """An event of an order, with its full JSON text."""
    document = f'{{"event_id": "{event_id}", "at": "{at.isoformat()}"}}'
    after = {"order_id": order_id, "event_id": event_id, "document": document}
    return {"record": "event", "id": None, "before": None, "after": after}


def make_run(at: datetime, first_id: int, *, digests: str = "a", **words: Any) -> WriteEffect:
    """A run: two orders with events, one held order, and a job with the new numbers."""
    numbers = [make_tracking_number(at), make_tracking_number(at)]
    orders = [make_order(first_id + n, numbers[n], at) for n in range(2)]
    events = [make_event(first_id + n, digests * 31 + str(n), at) for n in range(2)]
    before = {"status": 1, "updated_at": (at - timedelta(days=3)).isoformat()}
    held = {"record": "order", "id": 1, "before": before, "after": {"status": 2, "updated_at": at.isoformat()}}
    args = {"order_ids": [first_id, first_id + 1], "expires_at": (at + timedelta(hours=72)).isoformat()}
    args |= {"numbers": numbers, "size": 1_800_000_000}
    side_effects = [{"kind": "order.mail", "args": args, "run_at": None}]
    plain = {"at": at, "changes": [held, *orders, *events], "side_effects": side_effects, "total": 5, **words}
    return WriteEffect(**plain)


def changed(effect: WriteEffect, *path: Any, to: Any) -> WriteEffect:
    """The same run with one value changed, somewhere in it."""
    plain: Any = {"changes": deepcopy(effect.changes), "side_effects": deepcopy(effect.side_effects)}
    place = plain
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return WriteEffect(at=effect.at, total=effect.total, **plain)


def test_two_runs_with_different_times_ids_and_numbers_are_equal() -> None:
    assert is_same_effect(make_run(NOON, 10), make_run(NOON + LATER, 40, digests="b"))


@given(st.permutations(range(5)))
def test_the_order_of_changed_records_does_not_matter(order: list[int]) -> None:
    other = make_run(NOON + LATER, 40)
    shuffled = WriteEffect(
        at=other.at, changes=[other.changes[n] for n in order], side_effects=other.side_effects, total=5
    )
    assert is_same_effect(make_run(NOON, 10), shuffled)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("changes", 0, "id"), 2),
        (("changes", 0, "record"), "route"),
        (("changes", 0, "before", "status"), 3),
        (("changes", 0, "after", "status"), 5),
        (("changes", 0, "after"), None),
        (("changes", 1, "before"), {"status": 1}),
        (("changes", 1, "after", "window"), "2026-06-12T09:00:00Z"),
        (("changes", 1, "after", "number"), None),
        (("changes", 1, "after", "price"), 100),
        (("changes", 1, "after", "job_id"), None),
        (("changes", 1, "after", "question", "shift", 0), int((NOON + LATER + timedelta(minutes=2)).timestamp())),
        (("changes", 1, "after", "question", "shift", 1), int((NOON + timedelta(minutes=1)).timestamp())),
        (("changes", 1, "after", "question", "size"), 1_800_000_000 + int(LATER.total_seconds())),
        (("changes", 3, "after", "order_id"), 7),
        (("changes", 3, "after", "document"), '{"event_id": "x"}'),
        (("side_effects", 0, "kind"), "another.mail"),
        (("side_effects", 0, "args", "order_ids"), [40]),
        (("side_effects", 0, "args", "order_ids"), [40, 1]),
        (("side_effects", 0, "args", "expires_at"), (NOON + LATER + timedelta(hours=73)).isoformat()),
        (("side_effects", 0, "args", "numbers", 0), make_tracking_number(NOON)),
        (("side_effects", 0, "args", "size"), 1_800_000_000 + int(LATER.total_seconds())),
        (("side_effects", 0, "run_at"), WINDOW),
    ],
    ids=lambda value: "/".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_every_other_difference_is_detected(path: tuple[Any, ...], to: Any) -> None:
    assert not is_same_effect(make_run(NOON, 10), changed(make_run(NOON + LATER, 40), *path, to=to))


def test_different_numbers_of_records_or_side_effects_are_detected_beyond_the_listed_ones() -> None:
    one, other = make_run(NOON, 10), make_run(NOON + LATER, 40)
    assert not is_same_effect(
        one, WriteEffect(at=other.at, changes=other.changes[:4], side_effects=other.side_effects, total=5)
    )
    assert not is_same_effect(one, WriteEffect(at=other.at, changes=other.changes, side_effects=[], total=5))
    assert not is_same_effect(
        one, WriteEffect(at=other.at, changes=other.changes, side_effects=other.side_effects, total=6)
    )


def test_the_last_update_time_of_an_existing_record_is_ignored() -> None:
    other = make_run(NOON + LATER, 40)
    assert is_same_effect(make_run(NOON, 10), changed(other, "changes", 0, "before", "updated_at", to=WINDOW))


def test_a_record_with_only_a_changed_timestamp_is_ignored() -> None:
    route = {
        "record": "route",
        "id": 8,
        "before": {"seen_at": WINDOW},
        "after": {"seen_at": NOON.isoformat()},
    }
    one = make_run(NOON, 10)
    assert is_same_effect(
        WriteEffect(at=NOON, changes=[*one.changes, route], side_effects=one.side_effects, total=6),
        make_run(NOON + LATER, 40),
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab-1{[", max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b_id"]), inner, max_size=2),
    max_leaves=5,
)


def holding(value: Any) -> WriteEffect:
    change = {"record": "order", "id": 1, "before": {"x": 0}, "after": {"x": value}}
    return WriteEffect(at=NOON, changes=[change], side_effects=[], total=1)


@given(VALUES, VALUES)
def test_without_new_values_only_equal_values_match(one: Any, other: Any) -> None:
    assert is_same_effect(holding(one), holding(one))
    assert is_same_effect(holding(one), holding(other)) == (one == other)
