"""Vehicles: ownership, capacity and retirement."""

from tests.support.app import App
from tests.support.transport import make_depot, status_and_code

VAN = {"name": "Van", "capacity_weight_g": 900_000, "capacity_parcels": 120, "skills": ["cooled"], "speed_percent": 90}
OPERATIONS = {
    "list_vehicles": {},
    "get_vehicle": {"vehicle_id": 1},
    "create_vehicle": {"name": "Van"},
    "update_vehicle": {"vehicle_id": 1},
    "retire_vehicle": {"vehicle_id": 1},
}


async def make_van(app: App, who: str = "admin", **words: object) -> int:
    return (await app.answer(who, "create_vehicle", {**VAN, **words})).vehicle.id


async def test_vehicles_are_managed_by_planners(app: App) -> None:
    for operation, body in OPERATIONS.items():
        assert status_and_code(await app.call(None, operation, body)) == (401, "UNAUTHENTICATED")
        for who in ("driver", "customer"):
            assert status_and_code(await app.call(who, operation, body)) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_a_foreign_vehicle_is_not_found(app: App) -> None:
    vehicle_id = await make_van(app)
    for who in ("rival", "contractor"):
        for operation in ("get_vehicle", "update_vehicle", "retire_vehicle"):
            assert status_and_code(await app.call(who, operation, {"vehicle_id": vehicle_id})) == (404, "NOT_FOUND")
        assert (await app.answer(who, "list_vehicles")).total == 0


async def test_a_vehicle_is_returned_as_written_and_omitted_limits_do_not_apply(app: App) -> None:
    depot_id = await make_depot(app)
    shown = (await app.answer("admin", "get_vehicle", {"vehicle_id": await make_van(app, depot_id=depot_id)})).vehicle
    assert (shown.capacity_weight_g, shown.capacity_volume_cm3, shown.depot_id) == (900_000, None, depot_id)
    assert (shown.skills, shown.speed_percent, shown.cost_per_km_minor, shown.retired_at) == (["cooled"], 90, 0, None)


async def test_an_update_keeps_omitted_fields_and_null_removes_a_limit(app: App) -> None:
    vehicle_id = await make_van(app, max_stops=9)
    changed = {"vehicle_id": vehicle_id, "name": "Truck", "capacity_weight_g": None, "max_stops": None}
    vehicle = (await app.answer("employee", "update_vehicle", changed)).vehicle
    assert (vehicle.name, vehicle.capacity_weight_g, vehicle.max_stops) == ("Truck", None, None)
    assert (vehicle.capacity_parcels, vehicle.skills) == (120, ["cooled"])


async def test_a_list_is_filtered_by_skill_and_includes_retired_vehicles_on_request(app: App) -> None:
    cooled, plain = await make_van(app, name="A"), await make_van(app, name="B", skills=[])
    retired = (await app.answer("admin", "retire_vehicle", {"vehicle_id": plain})).vehicle
    assert retired.retired_at is not None
    app.clock.forward(hours=1)
    again = (await app.answer("admin", "retire_vehicle", {"vehicle_id": plain})).vehicle
    assert again.retired_at == retired.retired_at
    listed = [[v.id for v in (await app.answer("admin", "list_vehicles", by)).vehicles] for by in LISTS]
    assert listed == [[cooled], [cooled, plain], [cooled], []]


async def test_a_vehicle_defaults_to_a_van_and_lists_can_be_filtered_by_mode(app: App) -> None:
    van, bike = await make_van(app, name="A"), await make_van(app, name="B", travel_mode="bicycle")
    assert (await app.answer("admin", "get_vehicle", {"vehicle_id": van})).vehicle.travel_mode == "van"
    listed = [v.id for v in (await app.answer("admin", "list_vehicles", {"travel_mode": "bicycle"})).vehicles]
    assert listed == [bike]
    changed = await app.answer("admin", "update_vehicle", {"vehicle_id": bike, "travel_mode": "foot"})
    assert changed.vehicle.travel_mode == "foot"
    kept = await app.answer("admin", "update_vehicle", {"vehicle_id": bike, "name": "C", "travel_mode": None})
    assert kept.vehicle.travel_mode == "foot"
    outcome = await app.call("admin", "create_vehicle", {**VAN, "travel_mode": "boat"})
    assert outcome.error
    assert (outcome.status, outcome.error["errors"][0]["field"]) == (422, "travel_mode")


LISTS = ({}, {"retired": True}, {"skill": "cooled"}, {"skill": "cool"})


async def test_a_contractors_vehicle_belongs_to_them_and_is_visible_to_the_office(app: App) -> None:
    vehicle_id = await make_van(app, who="contractor", contractor_id=app.ids["contractor2"])
    seen = (await app.answer("admin", "get_vehicle", {"vehicle_id": vehicle_id})).vehicle
    assert seen.contractor_id == app.ids["contractor"]
    outcome = await app.call("admin", "create_vehicle", {**VAN, "contractor_id": app.ids["customer"]})
    assert outcome.error
    assert outcome.error["errors"][0]["field"] == "contractor_id"
    assert status_and_code(await app.call("admin", "create_vehicle", {**VAN, "depot_id": 999})) == (
        422,
        "INVALID_REQUEST",
    )
