"""Plan steps: load and axle weights after each piece and each stop."""

from tests.contexts.warehouse.examples import LOAD_SPACE, WASHER
from tests.contexts.warehouse.packing_makers import make_carton, proposal
from tests.support.app import App
from tests.support.transport import make_depot

AXLES = {
    "front": {"position_mm": 0, "limit_g": 2_000_000, "least_g": 100_000, "tare_g": 90_000},
    "rear": {"position_mm": 3000, "limit_g": 2_000_000, "tare_g": 100_000},
}


async def make_proposed_load(app: App) -> dict[str, object]:
    """Two washers at two stops; without the first, the front axle is too light."""
    space = {**LOAD_SPACE, "code": "VAN", "axles": AXLES, "doors": ["left"]}
    van = (await app.answer("admin", "create_load_space", space)).load_space.id
    pieces = [{**WASHER, "id": name, "stop": stop} for stop, name in enumerate(("near", "far"), 1)]
    places = [{"piece": "far", "space": 1, "x_mm": 2700}, {"piece": "near", "space": 1, "x_mm": 0}]
    return {
        "pieces": pieces,
        "load_space_ids": [van],
        "spaces": [van],
        "placements": [{**place, "y_mm": 0, "z_mm": 0} for place in places],
    }


async def test_a_load_can_be_followed_by_step_and_stop(app: App) -> None:
    proposed = await make_proposed_load(app)
    told = await app.answer("employee", "follow_load_plan", proposed)
    (space,) = told.spaces
    assert [(each.steps, each.after_stop, each.aboard, each.loaded_g) for each in space.moments] == [
        (0, None, 0, 0),
        (1, None, 1, 70_000),
        (2, None, 2, 140_000),
        (2, 1, 1, 70_000),
        (2, 2, 0, 0),
    ]
    assert [each.axles_g for each in space.moments] == [
        [90_000, 100_000],
        [90_000, 170_000],
        [153_000, 177_000],
        [90_000, 170_000],
        [90_000, 100_000],
    ]
    assert [(each.axle, each.limit_g, each.least_g) for each in space.axles] == [
        ("front", 2_000_000, 100_000),
        ("rear", 2_000_000, 0),
    ]
    assert (told.result, [(each.rule, each.space, each.after_stop) for each in told.broken]) == (
        False,
        [("axles", 1, 1)],
    )
    assert [space.moments[1].centre_mm, space.moments[0].centre_mm] == [[3000, 300], None]


async def test_unknown_records_in_an_invalid_plan_are_skipped_and_reported(app: App) -> None:
    proposed = await make_proposed_load(app)
    places = [{"piece": name, "space": at, "x_mm": 0, "y_mm": 0, "z_mm": 0} for name, at in (("ghost", 1), ("near", 9))]
    told = await app.answer("admin", "follow_load_plan", {**proposed, "spaces": [999], "placements": places})
    assert told.spaces == []
    assert {each.rule for each in told.broken} >= {"unknown", "missing"}
    refused = await app.call("admin", "follow_load_plan", {**proposed, "pieces": []})
    assert refused.status == 422


async def test_a_saved_plan_can_be_followed_with_the_orders_of_its_items(app: App) -> None:
    await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": "VAN"})
    package = {"length_mm": 500, "width_mm": 400, "height_mm": 300, "weight_g": 12_000}
    address = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}
    order = (await app.answer("admin", "create_order", {"consignee": address, "packages": [package]})).order.id
    asked = {"day": "2026-06-11", "name": "Load", "depot_id": await make_depot(app)}
    route = (await app.answer("admin", "create_route", asked)).route.id
    await app.answer("admin", "add_orders_to_route", {"route_id": route, "order_ids": [order]})
    answer = await app.answer("admin", "load", {"route_id": route, "steps": 5})
    places = [
        {"piece": each.piece, "space": 1, "x_mm": each.x_mm, "y_mm": each.y_mm, "z_mm": each.z_mm, "turn": each.turn}
        for each in answer.spaces[0].placements
    ]
    kept = {"route_id": route, "spaces": [answer.spaces[0].load_space_id], "placements": places}
    plan = (await app.answer("admin", "commit_load_plan", {**kept, "input_hash": answer.input_hash})).plan
    told = await app.answer("employee", "get_load_steps", {"load_plan_id": plan.id})
    assert (told.input_hash, [each.order_id for each in told.spaces[0].pieces]) == (plan.input_hash, [order])
    assert (await app.call("rival", "get_load_steps", {"load_plan_id": plan.id})).status == 404
    assert (await app.call("driver", "get_load_steps", {"load_plan_id": plan.id})).status == 403


async def test_a_packing_plan_can_be_followed_and_its_errors_are_reported(app: App) -> None:
    await make_carton(app, "S", 200, 100, 100, payload_g=5000)
    cube = {"id": "cube", "length_mm": 100, "width_mm": 100, "height_mm": 100, "weight_g": 700, "quantity": 2}
    asked = {"pieces": [cube], "target_utilization_percent": 100}
    answer = await app.answer("admin", "pack", asked)
    right = proposal(asked, answer)
    told = await app.answer("employee", "follow_packing_plan", right)
    (carton,) = told.spaces
    assert (told.result, told.input_hash, carton.payload_g) == (True, answer.input_hash, 5000)
    assert [(each.aboard, each.loaded_g, each.filled_percent) for each in carton.moments] == [
        (0, 0, 0),
        (1, 700, 50),
        (2, 1400, 100),
    ]
    wrong = {**right, "placements": [{**each, "x_mm": 0} for each in right["placements"]]}
    (broken,) = (await app.answer("employee", "follow_packing_plan", wrong)).broken
    assert (broken.rule, broken.pieces, broken.space) == ("overlap", ["cube#1", "cube#2"], 1)
