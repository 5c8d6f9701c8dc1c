"""Load plans with repacks: requested, checked, stored, followed and drawn."""

import re
from typing import Any

from tests.contexts.warehouse.examples import LOAD_SPACE
from tests.support.app import App
from tests.support.transport import make_route
from tests.web.page_client import Checked, get_page, page_text, send_form

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}
SHAFT = {"code": "SHAFT", "length_mm": 600, "width_mm": 400, "height_mm": 900, "doors": ["top"], "payload_g": 90_000}
LOW = {
    "id": "low",
    "length_mm": 600,
    "width_mm": 400,
    "height_mm": 400,
    "weight_g": 9000,
    "stop": 1,
    "floor_only": True,
}
HIGH = {
    "id": "high",
    "length_mm": 600,
    "width_mm": 400,
    "height_mm": 400,
    "weight_g": 7000,
    "stop": 2,
    "this_side_up": True,
}


async def make_question(app: App, **words: Any) -> dict[str, Any]:
    """The first stop must stand on the floor of a shaft; the last fits only on top."""
    shaft = (await app.answer("admin", "create_load_space", {**LOAD_SPACE, **SHAFT})).load_space.id
    return {"pieces": [LOW, HIGH], "load_space_ids": [shaft], **words}


def proposed(asked: dict[str, Any], plan: Any) -> dict[str, Any]:
    """Return the plan of a response as a proposal."""
    question = {name: value for name, value in asked.items() if name != "steps"}
    (space,) = plan.spaces
    names = ("x_mm", "y_mm", "z_mm", "turn", "piece")
    return {
        **question,
        "spaces": [space.load_space_id],
        "placements": [{"space": 1} | {name: getattr(each, name) for name in names} for each in space.placements],
        "repacks": [{"stop": each.at_stop} | {name: getattr(each, name) for name in names} for each in space.repacks],
    }


async def test_items_are_repacked_where_allowed_and_listed(app: App) -> None:
    asked = await make_question(app, steps=200)
    kept = await app.rest("admin", "POST", "/v1/loading/load", asked)
    assert [each["piece"] for each in kept.json()["left_over"]] == ["low"]
    assert "repack" not in kept.text, "who does not ask for it is not told of it"
    plan = await app.answer("admin", "load", {**asked, "repacks_per_stop": 1})
    assert (plan.result, plan.state, plan.objective.repacks) == (True, "optimal", 1)
    (moved,) = plan.spaces[0].repacks
    assert (moved.at_stop, moved.piece, moved.z_mm) == (1, "high", 0)
    query = """query($id: Long!) { load(pieces: [
      {id: "low", length_mm: 600, width_mm: 400, height_mm: 400, stop: 1, floor_only: true},
      {id: "high", length_mm: 600, width_mm: 400, height_mm: 400, stop: 2, this_side_up: true}],
      load_space_ids: [$id], steps: 200, repacks_per_stop: 1) { objective { repacks } spaces { repacks { piece z_mm } } } }"""
    token = {"Authorization": f"Bearer {app.tokens['admin']}"}
    sent = {"query": query, "variables": {"id": asked["load_space_ids"][0]}}
    told = (await app.http.post("/graphql", json=sent, headers=token)).json()
    assert told["data"]["load"] == {
        "objective": {"repacks": 1},
        "spaces": [{"repacks": [{"piece": "high", "z_mm": 0}]}],
    }


async def test_any_submitted_repacks_are_checked_and_hidden_ones_detected(app: App) -> None:
    asked = {**await make_question(app, repacks_per_stop=1), "steps": 200}
    plan = proposed(asked, await app.answer("admin", "load", asked))
    checked = await app.answer("employee", "check_load_plan", plan)
    assert (checked.result, checked.broken) == (True, [])
    hidden = await app.answer("employee", "check_load_plan", {**plan, "repacks": []})
    assert ("unloading", None) in {(each.rule, each.after_stop) for each in hidden.broken}
    forbidden = await app.answer("employee", "check_load_plan", {**plan, "repacks_per_stop": 0})
    assert [(each.rule, each.after_stop, each.message) for each in forbidden.broken] == [
        ("repack", 1, "After stop 1: Not put back correctly in space 1: high")
    ]
    lifted = {**plan, "repacks": [{**plan["repacks"][0], "z_mm": 100}]}
    (broken,) = (await app.answer("employee", "check_load_plan", lifted)).broken
    assert (broken.rule, broken.after_stop) == ("support", 1)


async def test_every_step_of_a_plan_shows_repacked_items_and_their_positions(app: App) -> None:
    asked = {**await make_question(app, repacks_per_stop=1), "steps": 200}
    told = await app.answer("admin", "follow_load_plan", proposed(asked, await app.answer("admin", "load", asked)))
    (space,) = told.spaces
    assert [(each.after_stop, each.aboard, each.repacked or []) for each in space.moments[-3:]] == [
        (None, 2, []),
        (1, 1, ["high"]),
        (2, 0, []),
    ]
    (moved,) = space.repacks
    assert (moved.at_stop, moved.step, moved.z_mm, moved.height_mm) == (1, 2, 0, 400)


async def test_the_page_asks_for_the_allowed_repacks_and_shows_them(app: App) -> None:
    asked = await make_question(app)
    typed = {
        f"pieces.{at}.{name}": str(value).lower()
        for at, piece in enumerate((LOW, HIGH))
        for name, value in piece.items()
    }
    question = {**typed, "load_space_ids": str(asked["load_space_ids"][0]), "steps": "200", "repacks_per_stop": "1"}
    found = await send_form(app, "/desk/plan-loading", "admin", **question, do="search")
    text = page_text(found)
    assert ("No rule violations." in text, "Repacked on the way" in text) == (True, True)
    assert Checked(found.text).faults == []
    assert len(re.findall(r'<g class="box[^"]*" data-step="2" data-stop="\d" data-since="1"', found.text)) == 1
    form = found.text[found.text.index('<form id="carried"') :]
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[: form.index("</form>")]))
    sent = {
        name: value.replace("&#34;", '"').replace("&quot;", '"') for name, value in hidden.items() if name != "csrf"
    }
    after = await send_form(app, "/desk/plan-loading", "admin", **{**sent, "step": "3"})
    assert "Unloaded and reloaded: high." in page_text(after)
    shown = re.findall(r'<g class="box([^"]*)" data-step="(\d)" data-stop="\d"( data-since="1")?', after.text)
    assert [(step, bool(since)) for classes, step, since in shown if "away" not in classes] == [("2", True)]


async def test_a_plan_with_repacks_is_saved_and_drawn_after_each_stop(app: App) -> None:
    van = {**LOAD_SPACE, "code": "V", "length_mm": 600, "width_mm": 600, "height_mm": 1300, "doors": ["top"]}
    shaft = (await app.answer("admin", "create_load_space", van)).load_space.id
    orders = []
    for size in (500, 600):
        package = {"length_mm": size, "width_mm": size, "height_mm": size, "weight_g": 1000}
        orders.append(
            (await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": [package]})).order.id
        )
    route = await make_route(app, order_ids=orders)
    sizes = {number + 1: size for number, size in enumerate((500, 600))}
    asked = {"route_id": route, "load_space_ids": [shaft], "repacks_per_stop": 1}
    hash = (await app.answer("admin", "load", {**asked, "steps": 20})).input_hash
    found = (await app.answer("admin", "load", {**asked, "steps": 20})).spaces[0].placements
    piece = {each.stop: each.piece for each in found}
    assert {each.stop: each.length_mm for each in found} == sizes
    place = {"space": 1, "x_mm": 0, "y_mm": 0}
    plan: dict[str, Any] = {
        **asked,
        "support_percent": 75,
        "spaces": [shaft],
        "placements": [{**place, "piece": piece[1], "z_mm": 0}, {**place, "piece": piece[2], "z_mm": 500}],
        "repacks": [{"stop": 1, "piece": piece[2], "x_mm": 0, "y_mm": 0, "z_mm": 0}],
    }
    refused = await app.call("admin", "commit_load_plan", {**plan, "input_hash": hash})
    assert refused.error, "the large one rests on too little of the small one"
    plan["support_percent"] = 50
    hash = (await app.answer("admin", "check_load_plan", plan)).input_hash
    kept = (await app.answer("admin", "commit_load_plan", {**plan, "input_hash": hash})).plan
    assert [(each.piece, each.at_stop) for each in kept.spaces[0].repacks] == [(piece[2], 1)]
    other = {**plan, "repacks": [{**plan["repacks"][0], "turn": "wlh"}]}
    assert (await app.answer("admin", "commit_load_plan", {**other, "input_hash": hash})).plan.id != kept.id
    at = f"/v1/loading/plans/{kept.id}/picture?view=layers"
    svg = {"Accept": "image/svg+xml"}
    drawn = {
        stop: (await app.rest("admin", "GET", f"{at}{f'&after_stop={stop}' if stop else ''}", headers=svg)).text
        for stop in (None, 1, 2)
    }
    assert [sum(f"{name} (" in drawn[stop] for name in piece.values()) for stop in drawn] == [2, 1, 0]
    page = await get_page(app, f"/desk/load-plans/{kept.id}?step=3", "admin")
    assert (f"Unloaded and reloaded: {piece[2]}." in page_text(page), Checked(page.text).faults) == (True, [])
