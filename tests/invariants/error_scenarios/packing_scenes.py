"""Errors of packing plans: stale or wrong plans, and invalid requests."""

from typing import Any

from tests.contexts.warehouse.examples import ANSWER, CARTON, FILLING, QUESTION, TEAPOT
from tests.contexts.warehouse.makers import make_product
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.examples import fill_placeholders

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}


async def scene(app: App) -> dict[str, Any]:
    """Create a box type, an order and an unmeasured product; the rival has no box."""
    carton = (await app.answer("admin", "create_carton", {**CARTON, "code": "M1"})).carton.id
    await app.answer("admin", "create_filling", {**FILLING, "code": "AIR"})
    await make_product(app)
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    ids = {"carton_id": carton, "order_id": order}
    asked = await app.answer("admin", "pack", fill_placeholders(QUESTION, ids))
    theirs = (await app.answer("rival", "create_order", {"consignee": ADDRESS})).order.id
    cube = {f"{side}_{edge}_mm": 200 for side in ("inner", "outer") for edge in ("length", "width", "height")}
    scarce = (await app.answer("admin", "create_carton", {**CARTON, **cube, "code": "CUBE", "stock": 1})).carton.id
    return {**ids, "hash": asked.input_hash, "theirs": theirs, "scarce": scarce}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    answer = fill_placeholders(ANSWER, ids)
    question = fill_placeholders(QUESTION, ids)
    committed = {**question, **answer, "order_id": ids["order_id"], "input_hash": ids["hash"]}
    outside = [{**answer["placements"][0], "x_mm": 100}]
    committing = {**answer, "order_id": ids["order_id"], "input_hash": ids["hash"]}
    questions = {
        "pack": {},
        "check_packing_plan": answer,
        "follow_packing_plan": answer,
        "commit_packing_plan": committing,
    }
    bricks = {"id": "brick", "length_mm": 120, "width_mm": 120, "height_mm": 81, "quantity": 6}
    met: dict[tuple[str, str], Any] = {
        ("create_carton", "CARTON_CODE_TAKEN"): ("admin", {**CARTON, "code": "M1"}),
        ("create_filling", "FILLING_CODE_TAKEN"): ("admin", {**FILLING, "code": "AIR"}),
        ("pack", "PACKING_NOT_FOUND_IN_TIME"): (
            "admin",
            {"pieces": [bricks], "carton_ids": [ids["scarce"]], "steps": 1},
        ),
        ("commit_packing_plan", "PACKING_PLAN_STALE"): ("admin", {**committed, "support_percent": 75}),
        ("commit_packing_plan", "PACKING_RULES_BROKEN"): ("admin", {**committed, "placements": outside}),
    }
    for name, more in questions.items():
        asked: dict[str, Any] = dict(more)
        theirs = {"order_id": ids["theirs"]} if "order_id" in more else {}
        met |= {
            (name, "NOT_FOUND"): ("admin", {**asked, "pieces": [TEAPOT], "carton_ids": [999_999]}),
            (name, "NO_CARTONS"): ("rival", {**asked, **theirs, "pieces": [TEAPOT]}),
            (name, "UNKNOWN_SKU"): ("admin", {**asked, "products": [{"sku": "x"}]}),
            (name, "PIECE_WITHOUT_SIZE"): ("admin", {**asked, "products": [{"sku": "MUG"}]}),
            (name, "TOO_MANY_PIECES_TO_PACK"): (
                "admin",
                {**asked, "pieces": [{**TEAPOT, "quantity": 200}, {**TEAPOT, "id": "cup"}]},
            ),
        }
    return met
