"""Load plans are requested, checked, stored for a route, and drawn."""

import asyncio
from typing import Any

from tests.contexts.control_tower.approvals.makers import make_token
from tests.contexts.warehouse.examples import LOAD_SPACE, WASHER
from tests.support.app import App
from tests.support.transport import make_depot

from haulier.kernel.operations.enums import Risk

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}
STEPS = {"steps": 20}


async def make_load_space(app: App, code: str = "VAN", **words: Any) -> int:
    return (await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": code, **words})).load_space.id


async def make_route(app: App, *sizes: int) -> int:
    """Create a route with a stop for each cube size in millimetres."""
    orders = []
    for size in sizes:
        package = {"length_mm": size, "width_mm": size, "height_mm": size, "weight_g": 1000}
        made = await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": [package]})
        orders.append(made.order.id)
    asked = {"day": "2026-06-11", "name": "Load", "depot_id": await make_depot(app)}
    route = (await app.answer("admin", "create_route", asked)).route.id
    await app.answer("admin", "add_orders_to_route", {"route_id": route, "order_ids": orders})
    return route


def load_proposal(asked: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Return the plan of a response as a proposal."""
    places = [
        {"piece": p.piece, "space": space.number, "x_mm": p.x_mm, "y_mm": p.y_mm, "z_mm": p.z_mm, "turn": p.turn}
        for space in answer.spaces
        for p in space.placements
    ]
    question = {name: value for name, value in asked.items() if name not in ("steps", "seconds", "seed")}
    left = [each.piece for each in answer.left_over]
    return {**question, "spaces": [s.load_space_id for s in answer.spaces], "placements": places, "left_over": left}


async def test_the_last_stop_of_a_route_is_loaded_first(app: App) -> None:
    await make_load_space(app, width_mm=900, height_mm=900)
    route = await make_route(app, 800, 700, 600)
    asked = {"route_id": route, **STEPS}
    plan = await app.answer("employee", "load", asked)
    assert (plan.result, plan.state, plan.message) == (True, "optimal", "Everything is loaded, and no plan costs less.")
    assert [(place.step, place.stop, place.length_mm) for place in plan.spaces[0].placements] == [
        (1, 3, 600),
        (2, 2, 700),
        (3, 1, 800),
    ]
    assert (plan.spaces[0].loaded_g, plan.spaces[0].floor_length_mm) == (3000, 2100)
    again = await app.answer("employee", "load", asked)
    assert again == plan
    searched = await app.answer("employee", "load", {"route_id": route, "seconds": 1, "seed": 5})
    assert searched.result is True


async def test_unloaded_items_are_listed_with_the_reason(app: App) -> None:
    await make_load_space(app, payload_g=100_000)
    crate = {"id": "crate", "length_mm": 4000, "width_mm": 4000, "height_mm": 100}
    plan = await app.answer("admin", "load", {"pieces": [{**WASHER, "quantity": 2}, crate], **STEPS})
    assert (plan.result, plan.state, plan.message) == (False, "partly", "Packages not loaded: 2")
    assert {each.piece: each.reason for each in plan.left_over} == {"washer#2": "payload", "crate": "too_large"}
    assert plan.left_over[-1].message == "crate does not fit into any cargo space in any orientation."
    for asked, field in (({}, "pieces"), ({"pieces": [WASHER, WASHER]}, "pieces")):
        refused = await app.call("admin", "load", asked)
        assert refused.error
        assert (refused.status, refused.error["errors"][0]["field"]) == (422, field)


async def test_any_submitted_plan_is_checked_after_every_stop(app: App) -> None:
    axles = {
        "front": {"position_mm": 0, "limit_g": 2_000_000, "least_g": 100_000, "tare_g": 90_000},
        "rear": {"position_mm": 3000, "limit_g": 2_000_000, "tare_g": 100_000},
    }
    van = await make_load_space(app, axles=axles, doors=["left"])
    pieces = [{**WASHER, "id": name, "stop": stop} for stop, name in enumerate(("near", "far"), 1)]
    places = [{"piece": "far", "space": 1, "x_mm": 2700}, {"piece": "near", "space": 1, "x_mm": 0}]
    proposed = {
        "pieces": pieces,
        "load_space_ids": [van],
        "spaces": [van],
        "placements": [{**place, "y_mm": 0, "z_mm": 0} for place in places],
    }
    wrong = await app.answer("admin", "check_load_plan", proposed)
    (broken,) = wrong.broken
    assert (broken.rule, broken.space, broken.after_stop, broken.axle) == ("axles", 1, 1, "front")
    expected = "After stop 1: Axle load out of limits in space 1: front axle"
    assert broken.message == expected
    steered = {**axles["front"], "least_g": 0}
    terms = {**LOAD_SPACE, "axles": {**axles, "front": steered}, "doors": ["left"]}
    await app.answer("admin", "update_load_space", {"load_space_id": van, **terms})
    assert (await app.answer("admin", "check_load_plan", proposed)).result is True


async def test_a_plan_is_saved_once_for_its_route_and_drawn(app: App) -> None:
    axles = {
        "front": {"position_mm": -800, "limit_g": 1_800_000, "tare_g": 1_000_000},
        "rear": {"position_mm": 2200, "limit_g": 2_200_000, "tare_g": 900_000},
    }
    arch = {"x_mm": 2000, "y_mm": 0, "length_mm": 700, "width_mm": 200, "height_mm": 300}
    van = await make_load_space(app, axles=axles, obstacles=[arch])
    route = await make_route(app, 800, 700)
    asked = {"route_id": route, **STEPS}
    answer = await app.answer("admin", "load", asked)
    committed = {**load_proposal(asked, answer), "input_hash": answer.input_hash}
    rehearsed = await app.rest("admin", "POST", "/v1/loading/plans", committed, headers={"X-Dry-Run": "1"})
    assert rehearsed.status_code == 200
    assert (await app.answer("admin", "list_load_plans", {"replaced": True})).total == 0
    both = await asyncio.gather(*(app.answer("employee", "commit_load_plan", committed) for _ in range(2)))
    first = both[0].plan
    assert both[1].plan == first
    assert (first.pieces, first.left_over, first.spaces_used) == (2, 0, 1)
    moments = [(each.after_stop, each.axle) for each in first.spaces[0].axle_loads]
    assert moments == [(after, axle) for after in (None, 1, 2) for axle in ("front", "rear")]
    assert [each.weight_g for each in first.spaces[0].axle_loads][-2:] == [1_000_000, 900_000]
    moved = {**committed, "placements": [{**place, "x_mm": place["x_mm"] + 1} for place in committed["placements"]]}
    second = (await app.answer("admin", "commit_load_plan", moved)).plan
    listed = await app.answer("admin", "list_load_plans", {"route_id": route})
    assert [plan.id for plan in listed.plans] == [second.id]
    every = await app.answer("admin", "list_load_plans", {"route_id": route, "replaced": True})
    assert [(plan.id, plan.replaced_at is None) for plan in every.plans] == [(second.id, True), (first.id, False)]
    await _is_drawn(app, second.id)
    await app.answer("admin", "delete_load_space", {"load_space_id": van})
    assert (await app.answer("admin", "get_load_plan", {"load_plan_id": second.id})).plan == second
    assert (await app.call("rival", "get_load_plan", {"load_plan_id": second.id})).status == 404


async def test_of_concurrently_saved_plans_one_becomes_current_and_replaces_the_others(app: App) -> None:
    await make_load_space(app)
    route = await make_route(app, 800)
    asked = {"route_id": route, **STEPS}
    answer = await app.answer("admin", "load", asked)
    proposal = {**load_proposal(asked, answer), "input_hash": answer.input_hash}
    others = [
        {**proposal, "placements": [{**place, "y_mm": place["y_mm"] + moved} for place in proposal["placements"]]}
        for moved in range(5)
    ]
    kept = await asyncio.gather(*(app.answer("employee", "commit_load_plan", each) for each in others))
    assert len({each.plan.id for each in kept}) == len(others)
    every = await app.answer("admin", "list_load_plans", {"route_id": route, "replaced": True})
    assert [each.replaced_at is None for each in every.plans].count(True) == 1
    assert (every.total, (await app.answer("admin", "list_load_plans", {"route_id": route})).total) == (5, 1)


async def _is_drawn(app: App, load_plan_id: int) -> None:
    at = f"/v1/loading/plans/{load_plan_id}/picture"
    svg = {"Accept": "image/svg+xml"}
    texts = {
        view: (await app.rest("admin", "GET", f"{at}?view={view}", headers=svg)).text for view in ("layers", "axles")
    }
    assert "At departure" in texts["axles"]
    assert "After stop 1" in texts["axles"]
    assert "rear axle" in texts["axles"]
    assert texts["layers"].startswith("<svg ")
    begun = await app.rest("admin", "GET", f"{at}?steps=1&colour=weight", headers=svg)
    assert begun.headers["content-type"] == "image/svg+xml"
    assert begun.text.count("<title>") == 3
    assert (await app.call("admin", "get_load_picture", {"load_plan_id": load_plan_id, "space": 2})).status == 404


async def test_an_outdated_invalid_or_unassigned_plan_is_refused(app: App) -> None:
    van = await make_load_space(app)
    route = await make_route(app, 800)
    asked = {"route_id": route, **STEPS}
    answer = await app.answer("admin", "load", asked)
    committed = {**load_proposal(asked, answer), "input_hash": answer.input_hash}
    outside = {**committed, "placements": [{**committed["placements"][0], "x_mm": 3000}]}
    broken = await app.call("admin", "commit_load_plan", outside)
    assert broken.error
    assert broken.error["code"] == "LOADING_RULES_BROKEN"
    await app.answer("admin", "update_load_space", {"load_space_id": van, **LOAD_SPACE, "payload_g": 999_999})
    stale = await app.call("admin", "commit_load_plan", committed)
    assert stale.error
    assert stale.error["code"] == "LOAD_PLAN_STALE"
    loose = await app.call("admin", "commit_load_plan", {**committed, "route_id": None})
    assert loose.error
    assert loose.error["errors"][0]["field"] == "route_id"


async def test_a_contradictory_load_space_is_refused_by_field(app: App) -> None:
    axle = {"position_mm": 100, "limit_g": 1}
    wrong = {
        **LOAD_SPACE,
        "code": "X",
        "axles": {"front": axle, "rear": axle, "tractor": [axle, axle]},
        "balance": {"x_from_mm": 2, "x_to_mm": 1, "y_from_mm": 2, "y_to_mm": 1},
        "obstacles": [{"x_mm": 3000, "y_mm": 0, "length_mm": 700, "width_mm": 1, "height_mm": 1}],
    }
    refused = await app.call("admin", "create_load_space", wrong)
    assert refused.error
    assert {each["field"] for each in refused.error["errors"]} == {
        "axles.rear.position_mm",
        "axles.tractor.1.position_mm",
        "balance.x_to_mm",
        "balance.y_to_mm",
        "obstacles.0.length_mm",
    }
    await make_load_space(app, "X")
    taken = await app.call("admin", "create_load_space", {**LOAD_SPACE, "code": "X"})
    assert taken.error
    assert taken.error["code"] == "LOAD_SPACE_CODE_TAKEN"
    await make_load_space(app, "Y", active=False)
    assert [each.code for each in (await app.answer("admin", "list_load_spaces")).load_spaces] == ["X"]
    assert (await app.answer("admin", "list_load_spaces", {"inactive": True})).total == 2


async def test_an_overhang_is_allowed_with_partial_support_and_refused_with_full_support(
    app: App,
) -> None:
    van = await make_load_space(app)
    pieces = [{**WASHER, "id": name} for name in ("below", "above")]
    length, height = WASHER["length_mm"], WASHER["height_mm"]
    places = [("below", 0, 0), ("above", length // 2, height)]
    proposed = {
        "pieces": pieces,
        "load_space_ids": [van],
        "spaces": [van],
        "placements": [{"piece": p, "space": 1, "x_mm": x, "y_mm": 0, "z_mm": z} for p, x, z in places],
    }
    broken = {
        percent: [
            (each.rule, each.pieces)
            for each in (await app.answer("admin", "check_load_plan", {**proposed, "support_percent": percent})).broken
        ]
        for percent in (0, 50, 51, 100)
    }
    assert broken == {0: [], 50: [], 51: [("support", ["above"])], 100: [("support", ["above"])]}


async def test_a_plan_saved_by_an_agent_waits_for_approval_if_required(app: App) -> None:
    await make_load_space(app)
    route = await make_route(app, 800)
    asked = {"route_id": route, **STEPS}
    answer = await app.answer("employee", "load", asked)
    proposed = {**load_proposal(asked, answer), "input_hash": answer.input_hash}
    agent = await make_token(app, "employee", "agent", profile="full")
    waits: Any = await app.call(agent, "commit_load_plan", proposed, approval_from=Risk.MEDIUM)
    assert waits.pending_approval is True
    assert (await app.answer("admin", "list_load_plans", {"route_id": route})).total == 0
    await app.answer("admin", "approve_pending_write", {"approval_id": waits.answer.approval.id})
    (kept,) = (await app.answer("admin", "list_load_plans", {"route_id": route})).plans
    assert kept.pieces == 1
