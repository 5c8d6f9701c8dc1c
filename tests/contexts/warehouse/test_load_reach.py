"""Nesting crates and loading methods with limited reach, over the API."""

from base64 import b64decode
from typing import Any

from tests.contexts.warehouse.examples import LOAD_SPACE
from tests.support.app import App
from tests.support.transport import make_depot

CRATE = {"id": "crate", "length_mm": 600, "width_mm": 400, "height_mm": 300, "weight_g": 2000, "nesting_mm": 250}
BOX = {"id": "box", "length_mm": 500, "width_mm": 400, "height_mm": 400, "weight_g": 9000}


async def make_space(app: App, code: str = "V1", **words: Any) -> int:
    """A load space of 2000 by 400 by 500 mm; the id."""
    sizes = {"length_mm": 2000, "width_mm": 400, "height_mm": 500}
    plain = {name: value for name, value in LOAD_SPACE.items() if name in ("name", "payload_g")}
    asked = {**plain, **sizes, "code": code, **words}
    return (await app.answer("admin", "create_load_space", asked)).load_space.id


def proposed(asked: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Return the plan of a response as a proposal."""
    names = ("piece", "x_mm", "y_mm", "z_mm", "turn")
    places = [
        {"space": space.number, **{name: getattr(place, name) for name in names}}
        for space in answer.spaces
        for place in space.placements
    ]
    question = {name: value for name, value in asked.items() if name != "steps"}
    spaces = [space.load_space_id for space in answer.spaces]
    return {**question, "spaces": spaces, "placements": places, "left_over": [each.piece for each in answer.left_over]}


async def test_nested_crates_count_with_their_protruding_height(app: App) -> None:
    await make_space(app, length_mm=600)
    asked = {"pieces": [{**CRATE, "quantity": 6, "this_side_up": True}], "steps": 20}
    plan = await app.answer("employee", "load", asked)
    assert [each.reason for each in plan.left_over] == ["no_place"]
    (space,) = plan.spaces
    assert [(each.z_mm, each.nested_mm) for each in space.placements] == [
        (0, 0),
        *((step * 50, 250) for step in range(1, 5)),
    ]
    assert space.filled_percent == 100
    right = proposed(asked, plan)
    assert (await app.answer("employee", "check_load_plan", right)).result is True
    right["placements"][4]["z_mm"] -= 1
    broken = (await app.answer("employee", "check_load_plan", right)).broken
    assert ("overlap", 1) in {(each.rule, each.space) for each in broken}


async def test_a_crate_nesting_as_deep_as_its_height_is_refused_by_field(app: App) -> None:
    await make_space(app)
    refused = await app.call("admin", "load", {"pieces": [BOX, {**CRATE, "nesting_mm": 300}]})
    assert refused.error
    (fault,) = refused.error["errors"]
    assert (refused.status, fault["field"]) == (422, "pieces.1.nesting_mm")
    assert fault["message"] == "crate can’t nest deeper than its height."


async def test_steps_and_drawings_show_what_protrudes_from_a_stack(app: App) -> None:
    space = await make_space(app, length_mm=600)
    pieces = [{**CRATE, "quantity": 2, "this_side_up": True}]
    places = [{"piece": f"crate#{n + 1}", "space": 1, "x_mm": 0, "y_mm": 0, "z_mm": 50 * n} for n in range(2)]
    steps = await app.answer("admin", "follow_load_plan", {"pieces": pieces, "spaces": [space], "placements": places})
    assert (steps.result, [piece.nested_mm for piece in steps.spaces[0].pieces]) == (True, [0, 250])
    assert [moment.filled_percent for moment in steps.spaces[0].moments[:3]] == [0, 60, 70]


async def test_the_reach_of_a_load_space_is_stored_and_validated(app: App) -> None:
    hand = {"method": "hand", "enters": False, "depth_mm": 700, "doors": ["rear"]}
    space = await make_space(app, reach=[hand, {"method": "forklift", "height_mm": 1500}])
    kept = (await app.answer("admin", "get_load_space", {"load_space_id": space})).load_space.reach
    assert [(each.method, each.doors, each.enters, each.depth_mm, each.height_mm) for each in kept] == [
        ("hand", ["rear"], False, 700, None),
        ("forklift", None, True, None, 1500),
    ]
    for reach, field in (
        ([hand, hand], "reach.1.method"),
        ([{**hand, "doors": ["left"]}], "reach.0.doors"),
        ([{**hand, "depth_mm": -1}], "reach.0.depth_mm"),
    ):
        refused = await app.call("admin", "create_load_space", {**LOAD_SPACE, "code": "X", "reach": reach})
        assert refused.error
        assert (refused.status, refused.error["errors"][0]["field"]) == (422, field)


async def test_items_out_of_manual_reach_are_left_and_a_forklift_takes_them(app: App) -> None:
    await make_space(app, reach=[{"method": "hand", "enters": False, "depth_mm": 500}])
    asked: dict[str, Any] = {"pieces": [{**BOX, "quantity": 4, "this_side_up": True}], "steps": 20}
    plan = await app.answer("employee", "load", asked)
    assert [each.reason for each in plan.left_over] == ["reach", "reach"]
    assert plan.left_over[0].message == "The free space for box#3 can’t be reached."
    by_fork = {**asked, "pieces": [{**asked["pieces"][0], "method": "forklift"}]}
    whole = await app.answer("employee", "load", by_fork)
    assert whole.result
    right = proposed(by_fork, whole)
    assert (await app.answer("employee", "check_load_plan", right)).result is True
    wrong = {**right, "pieces": asked["pieces"]}
    broken = (await app.answer("employee", "check_load_plan", wrong)).broken
    assert {each.rule for each in broken} == {"reach"}
    assert broken[0].message.startswith("Out of reach in space 1 for loading or unloading: box#")


async def test_a_saved_stack_is_drawn(app: App) -> None:
    await make_space(app)
    named = {"day": "2026-06-11", "name": "North", "depot_id": await make_depot(app)}
    route = (await app.answer("admin", "create_route", named)).route.id
    asked = {"pieces": [{**CRATE, "quantity": 3, "this_side_up": True}], "route_id": route, "steps": 20}
    answer = await app.answer("admin", "load", asked)
    committed = {**proposed(asked, answer), "input_hash": answer.input_hash}
    plan = (await app.answer("admin", "commit_load_plan", committed)).plan
    assert [place.nested_mm for place in plan.spaces[0].placements] == [0, 250, 250]
    for view in ("isometric", "layers"):
        drawn = await app.answer("admin", "get_load_picture", {"load_plan_id": plan.id, "view": view})
        assert b64decode(drawn.document).startswith(b"<svg")
