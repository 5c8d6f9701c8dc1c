"""Positions: newest known, downsampled log, late and repeated points, retention."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select
from tests.contexts.driver_app.makers import make_policy
from tests.support.app import START, App
from tests.support.transport import make_driver, status_and_code

from haulier.contexts.driver_app.positions.rules import (
    STANDSTILL_RADIUS_M,
    DevicePoint,
    Standstill,
    correct_points,
    downsample_points,
    plausible_points,
    points_after,
    time_slot,
    update_standstill,
)
from haulier.contexts.driver_app.positions.store import points, positions
from haulier.kernel.values.geography import great_circle_m

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


def make_point(second: int = 0, lat: float = 43.65, lng: float = -79.38) -> DevicePoint:
    return DevicePoint(occurred_at=NOON + timedelta(seconds=second), lat=lat, lng=lng)


a_trail = st.lists(
    st.builds(make_point, st.integers(0, 600), st.floats(43.6, 43.7), st.floats(-79.4, -79.3)), min_size=1, max_size=40
)


@given(a_trail, st.integers(1, 120))
def test_at_most_one_point_is_stored_per_interval(told: list[DevicePoint], every_s: int) -> None:
    kept = downsample_points(plausible_points(told, NOON + timedelta(hours=1), 1), every_s)
    assert kept.keys() == {time_slot(point.occurred_at, every_s) for point in told}
    assert all(time_slot(point.occurred_at, every_s) == place for place, point in kept.items())
    assert downsample_points(told, every_s, kept) == {}


@given(a_trail, st.randoms())
def test_the_stored_points_do_not_depend_on_their_arrival_order(told: list[DevicePoint], random: Any) -> None:
    mixed = random.sample(told, len(told))
    now = NOON + timedelta(hours=1)
    assert downsample_points(plausible_points(told, now, 1), 15) == downsample_points(
        plausible_points(mixed, now, 1), 15
    )


@given(a_trail)
def test_a_driver_is_stationary_while_all_later_points_are_near(told: list[DevicePoint]) -> None:
    trail = plausible_points(told, NOON + timedelta(hours=1), 1)
    standing = update_standstill(None, trail)
    assert standing is not None
    later = points_after(trail, standing.since)
    assert all(great_circle_m(standing.place, point.place) <= STANDSTILL_RADIUS_M for point in later)


def test_gps_drift_of_a_parked_car_is_not_a_trip() -> None:
    parked = Standstill((43.65, -79.38), NOON)
    assert update_standstill(parked, [make_point(60, 43.6503), make_point(120, 43.6497)]) == parked
    away = update_standstill(parked, [make_point(60, 43.66)])
    assert away
    assert (away.place, away.since) == ((43.66, -79.38), NOON + timedelta(seconds=60))


def test_points_older_than_the_retention_time_are_dropped() -> None:
    assert plausible_points([make_point(-400 * 86_400), make_point(0)], NOON, 30) == [make_point(0)]


@pytest.mark.parametrize("sent_s", [7200, None])
def test_points_of_a_fast_clock_stay_distinct_and_end_at_the_receipt_time(sent_s: int | None) -> None:
    sent_at = NOON + timedelta(seconds=sent_s) if sent_s else None
    found = correct_points([make_point(7140), make_point(7200), make_point(7170)], NOON, sent_at)
    assert [point.occurred_at - NOON for point in found] == [timedelta(seconds=each) for each in (-60, 0, -30)]


def test_points_of_a_slow_clock_are_shifted_by_its_offset() -> None:
    (found,) = correct_points([make_point(-7230)], NOON, NOON - timedelta(hours=2))
    assert found.occurred_at == NOON - timedelta(seconds=30)


def ping(second: int, lat: float = 43.65, **words: Any) -> dict[str, Any]:
    return {
        "occurred_at": (START - timedelta(hours=1, seconds=-second)).isoformat(),
        "lat": lat,
        "lng": -79.38,
        **words,
    }


async def push(app: App, *pings: dict[str, Any], who: str = "driver") -> Any:
    return await app.answer(who, "push_positions", {"points": list(pings)})


async def latest(app: App) -> Any:
    async with app.database.read(app.clients["demo"]) as work:
        return await work.first(select(positions))


async def test_the_latest_position_is_kept_and_the_history_thinned(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    answer = await push(app, *(ping(second) for second in range(60)), ping(59, battery_percent=70))
    assert (answer.stored, answer.thinned, answer.refused, answer.every_s) == (4, 57, 0, 15)
    assert (await latest(app)).occurred_at == START - timedelta(hours=1, seconds=-59)
    way = {"driver_id": driver_id, "since": (START - timedelta(hours=2)).isoformat()}
    trail = await app.answer("admin", "get_driver_trail", way)
    assert [point.occurred_at.second for point in trail.points] == [0, 15, 30, 45]
    assert status_and_code(await app.call("rival", "get_driver_trail", way)) == (404, "NOT_FOUND")
    assert status_and_code(await app.call("contractor", "get_driver_trail", way)) == (404, "NOT_FOUND")


async def test_late_and_repeated_points_are_harmless(app: App) -> None:
    await make_driver(app, user="driver")
    await push(app, ping(600, lat=43.7))
    again = await push(app, ping(600, lat=43.7), ping(0), ping(300))
    assert (again.stored, again.thinned) == (2, 1)
    assert (await latest(app)).lat == 43.7
    assert (await push(app, ping(0), ping(300), ping(600, lat=43.7))).stored == 0


async def test_concurrent_uploads_of_the_same_points_store_each_once(app: App) -> None:
    await make_driver(app, user="driver")
    answers = await asyncio.gather(*(push(app, *(ping(20 * n) for n in range(10))) for _ in range(5)))
    assert sum(answer.stored for answer in answers) == 10


async def test_uploading_points_uses_a_constant_number_of_statements(app: App) -> None:
    await make_driver(app, user="driver")
    await push(app, ping(0))
    before = app.statements
    await push(app, ping(100))
    one = app.statements - before
    await push(app, *(ping(200 + 20 * n) for n in range(100)))
    assert app.statements - before - one == one


async def test_points_are_deleted_after_the_clients_retention_days(app: App) -> None:
    await make_driver(app, user="driver")
    await make_policy(app, positions_kept_days=2)
    await push(app, ping(0))
    app.clock.forward(days=1, hours=20)
    await push(app, {"occurred_at": app.clock.now.isoformat(), "lat": 43.6, "lng": -79.4})
    assert await kept(app) == 2
    app.clock.forward(days=1)
    await app.work_off()
    assert await kept(app) == 1


async def kept(app: App) -> int:
    async with app.database.read(app.clients["demo"]) as work:
        return await work.value(select(func.count()).select_from(points))


async def test_the_audit_trail_contains_no_positions(app: App) -> None:
    from haulier.kernel.pipeline.audit import audit_entries

    await make_driver(app, user="driver")
    await push(app, ping(0))
    async with app.database.read(None) as work:
        rows = await work.all(select(audit_entries.c.request).where(audit_entries.c.operation == "push_positions"))
    assert [row.request for row in rows] == [{}]


async def test_a_call_accepts_at_most_five_hundred_points(app: App) -> None:
    await make_driver(app, user="driver")
    outcome = await app.call("driver", "push_positions", {"points": [ping(n) for n in range(501)]})
    assert status_and_code(outcome) == (422, "INVALID_REQUEST")
