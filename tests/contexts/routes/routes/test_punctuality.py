"""Punctuality of completed stops."""

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
def test_the_delay_of_an_arrival_is_independent_of_the_query_time(minutes: int, seconds: int) -> None:
    stop = make_stop(planned_arrival_at=PLANNED, reached_at=at(minutes))
    assert seconds_behind_plan(stop, at(1)) == seconds_behind_plan(stop, at(600)) == seconds


def test_an_open_stop_falls_behind_over_time_and_is_never_early() -> None:
    stop = make_stop("planned", planned_arrival_at=PLANNED)
    assert [seconds_behind_plan(stop, at(minutes)) for minutes in (-5, 0, 3)] == [None, None, 180]


def test_without_a_plan_there_is_no_delay() -> None:
    assert seconds_behind_plan(make_stop(reached_at=at(5)), at(5)) is None
    assert assess_punctuality(make_stop(reached_at=at(5)), at(5)) is None


@for_every(("minutes", "word"), [(-1, "early"), (0, "on_time"), (30, "on_time"), (60, "on_time"), (61, "late")])
def test_a_promised_window_takes_precedence_over_the_plan(minutes: int, word: str) -> None:
    stop = make_stop(planned_arrival_at=at(-90), window_start=at(0), window_end=at(60), reached_at=at(minutes))
    assert assess_punctuality(stop, at(120)) == word


@pytest.mark.parametrize(("minutes", "word"), [(-30, "on_time"), (5, "on_time"), (6, "late")])
def test_without_a_window_the_plan_applies_with_a_tolerance(minutes: int, word: str) -> None:
    assert assess_punctuality(make_stop(planned_arrival_at=PLANNED, reached_at=at(minutes)), at(60)) == word


def test_an_unvisited_stop_is_overdue_until_it_is_visited() -> None:
    stop = {"planned_arrival_at": PLANNED, "window_end": at(30)}
    assert assess_punctuality(make_stop("planned", **stop), at(29)) is None
    assert assess_punctuality(make_stop("planned", **stop), at(31)) == "overdue"
    assert assess_punctuality(make_stop("failed", **stop), at(31)) is None


moments = st.integers(-100_000, 100_000).map(lambda minutes: at(minutes))


@given(planned=moments, reached=moments, now=moments)
def test_the_punctuality_of_past_events_does_not_change(planned: datetime, reached: datetime, now: datetime) -> None:
    stop = make_stop(planned_arrival_at=planned, reached_at=reached)
    assert seconds_behind_plan(stop, now) == seconds_behind_plan(stop, reached)
    assert assess_punctuality(stop, now) == assess_punctuality(stop, reached)
