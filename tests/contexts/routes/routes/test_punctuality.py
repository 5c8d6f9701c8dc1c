"""How punctual a stop was, looking back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.routes.routes.rules.sequence import StopTimes, assess_punctuality, seconds_behind_plan
from haulier.contexts.routes.stops.rules import StopStatus

PLANNED = datetime(2026, 6, 10, 10, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return PLANNED + timedelta(minutes=minutes)


def make_stop(status: str = "completed", **words: Any) -> StopTimes:
    return StopTimes(status=StopStatus(status), **words)


@pytest.mark.parametrize(("minutes", "seconds"), [(-10, -600), (0, 0), (7, 420)])
def test_an_arrival_is_so_far_behind_the_plan_whenever_it_is_looked_at(minutes: int, seconds: int) -> None:
    stop = make_stop(planned_arrival_at=PLANNED, reached_at=at(minutes))
    assert seconds_behind_plan(stop, at(1)) == seconds_behind_plan(stop, at(600)) == seconds


def test_an_open_stop_falls_behind_with_the_clock_and_is_never_ahead() -> None:
    stop = make_stop("planned", planned_arrival_at=PLANNED)
    assert [seconds_behind_plan(stop, at(minutes)) for minutes in (-5, 0, 3)] == [None, None, 180]


def test_without_a_plan_nothing_is_behind() -> None:
    assert seconds_behind_plan(make_stop(reached_at=at(5)), at(5)) is None
    assert assess_punctuality(make_stop(reached_at=at(5)), at(5)) is None


@for_every(("minutes", "word"), [(-1, "early"), (0, "on_time"), (30, "on_time"), (60, "on_time"), (61, "late")])
def test_a_promised_window_decides_and_not_the_plan(minutes: int, word: str) -> None:
    stop = make_stop(planned_arrival_at=at(-90), window_start=at(0), window_end=at(60), reached_at=at(minutes))
    assert assess_punctuality(stop, at(120)) == word


@pytest.mark.parametrize(("minutes", "word"), [(-30, "on_time"), (5, "on_time"), (6, "late")])
def test_without_a_promise_the_plan_decides_with_some_tolerance(minutes: int, word: str) -> None:
    assert assess_punctuality(make_stop(planned_arrival_at=PLANNED, reached_at=at(minutes)), at(60)) == word


def test_what_should_have_been_visited_is_overdue_until_it_is() -> None:
    stop = {"planned_arrival_at": PLANNED, "window_end": at(30)}
    assert assess_punctuality(make_stop("planned", **stop), at(29)) is None
    assert assess_punctuality(make_stop("planned", **stop), at(31)) == "overdue"
    assert assess_punctuality(make_stop("failed", **stop), at(31)) is None


moments = st.integers(-100_000, 100_000).map(lambda minutes: at(minutes))


@given(planned=moments, reached=moments, now=moments)
def test_the_clock_changes_nothing_about_what_has_happened(planned: datetime, reached: datetime, now: datetime) -> None:
    stop = make_stop(planned_arrival_at=planned, reached_at=reached)
    assert seconds_behind_plan(stop, now) == seconds_behind_plan(stop, reached)
    assert assess_punctuality(stop, now) == assess_punctuality(stop, reached)
