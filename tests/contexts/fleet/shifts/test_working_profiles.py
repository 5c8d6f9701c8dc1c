"""Working profiles: set as a whole, visible to the driver, refused if invalid."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_depot, make_driver, status_and_code

MONDAY = {
    "weekday": 1,
    "start": "08:00",
    "end": "16:30",
    "breaks": [{"earliest": "11:30", "latest": "13:00", "minutes": 30}],
}
HOME = {"lat": 43.7, "lng": -79.4}


async def put(app: App, driver_id: int, who: str = "admin", **words: Any) -> Any:
    return await app.call(who, "set_driver_working_profile", {"driver_id": driver_id, **words})


async def test_working_profiles_are_optional(app: App) -> None:
    driver_id = await make_driver(app)
    profile = (await app.answer("admin", "get_driver_working_profile", {"driver_id": driver_id})).profile
    assert (profile.is_default, profile.shifts, profile.starts_at, profile.zones) == (True, [], "depot", [])


async def test_a_profile_is_replaced_as_a_whole_and_visible_to_its_driver(app: App) -> None:
    driver_id, depot_id = await make_driver(app, user="driver"), await make_depot(app)
    vehicle_id = (await app.answer("admin", "create_vehicle", {"name": "Van"})).vehicle.id
    zones = [{"polygon": [HOME, {"lat": 44, "lng": -79}, {"lat": 44, "lng": -80}], "postal_prefixes": ["M5"]}]
    whole = {
        "shifts": [MONDAY],
        "skills": ["cooled"],
        "starts_at": "home",
        "ends_at": "anywhere",
        "home": HOME,
        "depot_id": depot_id,
        "vehicle_id": vehicle_id,
        "max_stops": 20,
        "max_time_s": 28_800,
        "zones": zones,
    }
    assert (await put(app, driver_id, **whole)).error is None
    seen = (await app.answer("driver", "get_driver_working_profile", {"driver_id": driver_id})).profile
    assert (seen.is_default, seen.shifts[0].breaks[0].minutes, seen.home.lat) == (False, 30, 43.7)
    assert (seen.vehicle_id, seen.max_stops, seen.max_distance_m, seen.zones[0].postal_prefixes) == (
        vehicle_id,
        20,
        None,
        ["M5"],
    )
    emptied = (await put(app, driver_id, max_stops=5)).answer.profile
    assert (emptied.shifts, emptied.skills, emptied.home, emptied.max_stops) == ([], [], None, 5)


NONSENSE: list[dict[str, Any]] = [
    {"shifts": [MONDAY, MONDAY]},
    {"shifts": [{**MONDAY, "start": "8:00"}]},
    {"starts_at": "home"},
    {"starts_at": "anywhere"},
    {"zones": [{}]},
    {"zones": [{"polygon": [HOME, HOME]}]},
    {"depot_id": 999},
    {"vehicle_id": 999},
]


async def test_contradictory_profiles_are_refused(app: App) -> None:
    driver_id = await make_driver(app)
    for nonsense in NONSENSE:
        assert status_and_code(await put(app, driver_id, **nonsense)) == (422, "INVALID_REQUEST"), nonsense


async def test_only_planners_set_profiles_for_their_own_drivers(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    assert status_and_code(await put(app, driver_id, who="driver")) == (403, "ACCOUNT_NOT_ALLOWED")
    for who in ("rival", "contractor"):
        assert status_and_code(await put(app, driver_id, who=who)) == (404, "NOT_FOUND")
        asked = await app.call(who, "get_driver_working_profile", {"driver_id": driver_id})
        assert status_and_code(asked) == (404, "NOT_FOUND")


async def test_a_driver_can_use_only_vehicles_of_their_employer(app: App) -> None:
    theirs = await make_driver(app, who="contractor")
    vehicle_id = (await app.answer("admin", "create_vehicle", {"name": "Van"})).vehicle.id
    assert status_and_code(await put(app, theirs, vehicle_id=vehicle_id)) == (422, "INVALID_REQUEST")


async def test_a_day_can_have_several_shifts_without_overlap(app: App) -> None:
    driver_id = await make_driver(app)
    evening: dict[str, Any] = {"weekday": 1, "start": "18:00", "end": "02:00"}
    saved = (await put(app, driver_id, shifts=[evening, MONDAY])).answer.profile
    assert [(shift.start, shift.end) for shift in saved.shifts] == [("18:00", "02:00"), ("08:00", "16:30")]
    for other in ({**evening, "start": "16:00"}, {**evening, "start": "17:00", "end": "19:00"}):
        refused = await put(app, driver_id, shifts=[MONDAY, evening, other])
        assert refused.error
        assert [each["code"] for each in refused.error["errors"]] == ["SHIFTS_OVERLAP"]
