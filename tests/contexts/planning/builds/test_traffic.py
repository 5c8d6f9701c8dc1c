"""Travel times by working hours: the same route is shorter at night.

On the board as in a plan.
"""

from tests.contexts.planning.builds.makers import build_and_read, commit_build, make_small_day, set_working_profile
from tests.support.app import App

NIGHT = [{"weekday": day, "start": "00:00", "end": "05:00"} for day in range(1, 8)]
RUSH = [{"weekday": day, "start": "15:00", "end": "19:00"} for day in range(1, 8)]


async def test_the_same_route_takes_longer_at_rush_hour_than_at_night(app: App) -> None:
    (driver,), _ = await make_small_day(app, drivers=1)
    taken: list[float] = []
    for shifts in (NIGHT, RUSH):
        await set_working_profile(app, driver, shifts=shifts)
        build = await build_and_read(app)
        assert build.score.unassigned == 0
        taken.append(build.score.duration_s)
    assert taken[0] < taken[1]


async def test_the_board_uses_the_traffic_of_the_planned_hours(app: App) -> None:
    (driver,), _ = await make_small_day(app, drivers=1)
    await set_working_profile(app, driver, shifts=NIGHT)
    build = await build_and_read(app)
    (route_id,) = (await commit_build(app, build)).route_ids
    (told,) = (await app.answer("admin", "check_route_change", {"route_ids": [route_id]})).routes
    assert [stop.arrival_at for stop in told.stops] == [stop.arrival_at for stop in build.routes[0].stops]
