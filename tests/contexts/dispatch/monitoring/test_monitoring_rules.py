"""Monitoring rules: pure rules on plain records."""

from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.dispatch.monitoring.rules import (
    ActivityStatus,
    DayExceptionKind,
    LastPosition,
    MonitoredRoute,
    MonitoredStop,
    MonitoringLimits,
    activity_status,
    detect_exceptions,
    expected_line,
    find_current_stop,
    tally_stops,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, StopKind, StopStatus
from haulier.kernel.values.geography import LatLng, distance_to_line_m, great_circle_m

NOW = datetime(2026, 6, 10, 15, tzinfo=UTC)
LIMITS = MonitoringLimits()
TORONTO: LatLng = (43.65, -79.38)
NORTH: LatLng = (43.75, -79.38)


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


def make_stop(id: int = 1, status: StopStatus = StopStatus.PLANNED, **words: Any) -> MonitoredStop:
    return MonitoredStop(id=id, order_id=100 + id, kind=StopKind.DELIVERY, status=status, **words)


def make_position(minutes_ago: float = 1, place: LatLng = TORONTO, standing: float = 2) -> LastPosition:
    return LastPosition(occurred_at=ago(minutes_ago), place=place, standing_since=ago(standing))


def make_route(*stops: MonitoredStop, **words: Any) -> MonitoredRoute:
    return MonitoredRoute(
        **{
            "id": 7,
            "status": RouteStatus.STARTED,
            "driver_id": 3,
            "last_position": make_position(),
            "stops": stops,
            **words,
        }
    )


def kinds(route: MonitoredRoute, limits: MonitoringLimits = LIMITS) -> list[str]:
    return [each.kind.value for each in detect_exceptions([route], NOW, limits)]


def test_a_route_on_schedule_has_no_exceptions() -> None:
    done = make_stop(1, StopStatus.COMPLETED, arrived_at=ago(30), window_end=ago(10), planned_arrival_at=ago(35))
    ahead = make_stop(2, window_end=ago(-60), planned_arrival_at=ago(-5), place=TORONTO)
    assert kinds(make_route(done, ahead, depot=TORONTO)) == []


def test_a_stop_behind_schedule_is_late_until_it_is_reached() -> None:
    (late,) = detect_exceptions([make_route(make_stop(planned_arrival_at=ago(20)))], NOW, LIMITS)
    assert (late.kind, late.stop_id, late.since, late.seconds) == (DayExceptionKind.LATE, 1, ago(20), 1200)
    assert kinds(make_route(make_stop(planned_arrival_at=ago(14)))) == []
    assert kinds(make_route(make_stop(status=StopStatus.ARRIVED, arrived_at=ago(1), planned_arrival_at=ago(99)))) == []


def test_a_window_is_missed_by_late_arrivals_and_absent_drivers() -> None:
    came = make_stop(1, StopStatus.COMPLETED, ended_at=ago(10), window_end=ago(30))
    not_yet = make_stop(2, window_end=ago(5))
    found = detect_exceptions([make_route(came, not_yet)], NOW, LIMITS)
    assert [(each.kind.value, each.stop_id, each.seconds) for each in found] == [
        ("missed_window", 1, 1200),
        ("missed_window", 2, 300),
    ]
    assert kinds(make_route(not_yet, status=RouteStatus.ASSIGNED)) == []


def test_a_route_past_its_start_time_is_late() -> None:
    waiting = make_route(make_stop(), status=RouteStatus.ASSIGNED, planned_start_at=ago(20), last_position=None)
    assert kinds(waiting) == ["late_start"]
    assert kinds(make_route(make_stop(), status=RouteStatus.CANCELLED, planned_start_at=ago(20))) == []


def test_a_failed_stop_remains_an_exception_for_the_day() -> None:
    back = make_stop(1, StopStatus.BROUGHT_BACK, ended_at=ago(60))
    assert kinds(make_route(back, status=RouteStatus.FINISHED, last_position=None)) == ["failed_stop"]


@pytest.mark.parametrize(("minutes", "found"), [(9, []), (11, ["no_signal"])])
def test_a_silent_device_is_reported(minutes: int, found: list[str]) -> None:
    assert kinds(make_route(make_stop(), last_position=make_position(minutes, standing=minutes))) == found


def test_a_driver_on_route_without_positions_has_no_signal() -> None:
    (oddity,) = detect_exceptions([make_route(make_stop(), last_position=None)], NOW, LIMITS)
    assert (oddity.kind, oddity.since, oddity.seconds) == (DayExceptionKind.NO_SIGNAL, None, None)
    assert kinds(make_route(make_stop(), last_position=None, status=RouteStatus.ASSIGNED)) == []


def test_a_driver_who_has_finished_every_stop_needs_no_signal() -> None:
    delivered = make_stop(1, StopStatus.COMPLETED, ended_at=ago(1))
    assert kinds(make_route(delivered, last_position=None)) == []
    assert kinds(make_route(delivered, last_position=make_position(60, standing=60))) == []


def test_a_stationary_driver_is_idle_unless_at_a_stop() -> None:
    assert kinds(make_route(make_stop(), last_position=make_position(standing=25))) == ["idle"]
    at_stop = make_stop(status=StopStatus.ARRIVED, arrived_at=ago(25))
    assert kinds(make_route(at_stop, last_position=make_position(standing=25))) == []


def test_a_driver_far_from_the_line_is_off_route() -> None:
    stops = (make_stop(1, place=NORTH),)
    between = (43.70, -79.38)
    assert kinds(make_route(*stops, depot=TORONTO, last_position=make_position(place=between))) == []
    (oddity,) = detect_exceptions(
        [make_route(*stops, depot=TORONTO, last_position=make_position(place=(43.70, -79.28)))], NOW, LIMITS
    )
    assert oddity.kind is DayExceptionKind.OFF_ROUTE
    assert oddity.metres == pytest.approx(great_circle_m(between, (43.70, -79.28)), rel=0.01)


def test_a_route_without_coordinates_is_never_off_route() -> None:
    assert kinds(make_route(make_stop())) == []


def test_a_declined_route_is_an_exception_until_it_is_reassigned() -> None:
    assert kinds(make_route(make_stop(), status=RouteStatus.DRAFT, declined_at=ago(5))) == ["declined"]
    assert kinds(make_route(make_stop(), status=RouteStatus.ASSIGNED, declined_at=ago(5))) == []


@for_every(
    ("position", "route", "status"),
    [
        (None, None, ActivityStatus.OFFLINE),
        (make_position(11), make_route(make_stop()), ActivityStatus.OFFLINE),
        (make_position(), None, ActivityStatus.IDLE),
        (make_position(), make_route(make_stop()), ActivityStatus.DRIVING),
        (make_position(standing=21), make_route(make_stop()), ActivityStatus.IDLE),
        (make_position(standing=21), make_route(make_stop(status=StopStatus.ARRIVED)), ActivityStatus.AT_STOP),
    ],
)
def test_the_activity_of_a_driver_is_derived(
    position: LastPosition | None, route: MonitoredRoute | None, status: ActivityStatus
) -> None:
    assert activity_status(position, route, NOW, LIMITS) is status


moments = st.none() | st.integers(-300, 300).map(ago)
some_stops = st.lists(
    st.builds(
        make_stop,
        st.integers(1, 99),
        st.sampled_from(StopStatus),
        planned_arrival_at=moments,
        window_end=moments,
        arrived_at=moments,
        ended_at=moments,
    ),
    max_size=12,
)


@given(some_stops)
def test_every_stop_is_done_failed_pending_or_cancelled_and_has_at_most_one_punctuality(
    stops: list[MonitoredStop],
) -> None:
    found = tally_stops(stops, LIMITS)
    assert found.done + found.failed + found.left + found.cancelled == found.total == len(stops)
    assert found.on_time + found.late <= sum(stop.reached_at is not None for stop in stops)


@given(some_stops)
def test_the_current_stop_is_the_drivers_position_or_next_destination(stops: list[MonitoredStop]) -> None:
    stop = find_current_stop(stops)
    assert (stop is None) == all(each.status not in OPEN for each in stops)
    assert stop is None or stop.status in OPEN


@given(some_stops, st.sampled_from(RouteStatus))
def test_tightening_limits_never_reduces_exceptions(stops: list[MonitoredStop], status: RouteStatus) -> None:
    route = make_route(
        *stops, status=status, last_position=make_position(5, standing=15), depot=TORONTO, planned_start_at=ago(30)
    )
    tight = MonitoringLimits(late_after=timedelta(0), idle_after=timedelta(minutes=1), off_route_m=1)
    loose, strict = (detect_exceptions([route], NOW, limits) for limits in (LIMITS, tight))
    assert {(each.kind, each.stop_id) for each in loose} <= {(each.kind, each.stop_id) for each in strict}


def test_the_line_leads_from_the_depot_through_the_stops_and_back() -> None:
    route = make_route(make_stop(1, place=NORTH), make_stop(2), depot=TORONTO)
    assert expected_line(route) == [TORONTO, NORTH, TORONTO]
    assert (distance_to_line_m(TORONTO, []) or inf) == inf
