"""Pages of load and packing plans without scripts: steps, what-if, saving."""

import re
from html import unescape
from typing import Any

import httpx
from tests.contexts.warehouse.examples import LOAD_SPACE
from tests.contexts.warehouse.packing_makers import make_carton
from tests.support.app import App
from tests.support.transport import make_depot
from tests.web.page_client import Checked, get_page, page_errors, page_text, send_form

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}
AXLES = {
    "front": {"position_mm": -800, "limit_g": 1_800_000, "least_g": 900_000, "tare_g": 1_000_000},
    "rear": {"position_mm": 2200, "limit_g": 2_200_000, "tare_g": 900_000},
}
CUBE = {"pieces.0.id": "cube", "pieces.0.length_mm": "100", "pieces.0.width_mm": "100", "pieces.0.height_mm": "100"}


async def make_route(app: App, *sizes: int) -> int:
    """Create a route with a stop for each cube size, and a van with axles."""
    code = f"VAN-{len(sizes)}"
    await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": code, "axles": AXLES})
    orders = []
    for size in sizes:
        package = {"length_mm": size, "width_mm": size, "height_mm": size, "weight_g": 90_000}
        made = await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": [package]})
        orders.append(made.order.id)
    asked = {"day": "2026-06-11", "name": "Load", "depot_id": await make_depot(app)}
    route = (await app.answer("admin", "create_route", asked)).route.id
    await app.answer("admin", "add_orders_to_route", {"route_id": route, "order_ids": orders})
    return route


def carried(page: httpx.Response) -> dict[str, str]:
    """Return the hidden fields in the form of an unsaved plan."""
    form = page.text[page.text.index('<form id="carried"') :]
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[: form.index("</form>")])
    return {name: unescape(value) for name, value in hidden if name != "csrf"}


def shown_steps(page: httpx.Response) -> list[int]:
    """The steps of the pieces that are inside, by the picture."""
    boxes = re.findall(r'<g class="box([^"]*)" data-step="(\d+)"', page.text)
    return sorted(int(step) for classes, step in boxes if "away" not in classes)


async def keep_a_load(app: App, route: int) -> str:
    """Search for a load plan by the form, and keep it; the address of its page."""
    asked = {"route_id": str(route), "steps": "20"}
    found = await send_form(app, "/desk/plan-loading", "admin", **asked, do="search")
    kept = await send_form(app, "/desk/plan-loading", "admin", **carried(found), do="keep")
    assert kept.status_code == 303, page_text(kept)
    return kept.headers["location"]


async def test_a_load_can_be_planned_from_its_route_and_saved(app: App) -> None:
    route = await make_route(app, 800, 700, 600)
    record = await get_page(app, f"/desk/routes/{route}", "admin")
    assert f'href="/desk/plan-loading?route_id={route}"' in record.text
    asked = await get_page(app, f"/desk/plan-loading?route_id={route}", "admin")
    assert re.search(rf'name="route_id~"[^>]* data-chosen="{route}"', asked.text)
    found = await send_form(app, "/desk/plan-loading", "admin", route_id=str(route), steps="20", do="search")
    assert "No rule violations." in page_text(found)
    assert (Checked(found.text).faults, shown_steps(found)) == ([], [1, 2, 3])
    back = await send_form(app, "/desk/plan-loading", "admin", **{**carried(found), "step": "1"})
    assert shown_steps(back) == [1]
    rehearsed = await send_form(app, "/desk/plan-loading", "admin", **carried(found), do="rehearse")
    assert 'class="rehearsal"' in rehearsed.text
    assert (await app.answer("admin", "list_load_plans", {})).total == 0
    address = await keep_a_load(app, route)
    (kept,) = (await app.answer("admin", "list_load_plans", {})).plans
    assert address == f"/desk/load-plans/{kept.id}?done=commit_load_plan"
    again = await keep_a_load(app, route)
    assert again == address, "the same plan again changes nothing"
    page = await get_page(app, address, "admin")
    assert (page.status_code, Checked(page.text).faults) == (200, [])
    assert (await get_page(app, f"/desk/load-plans/{kept.id}", "rival")).status_code == 404
    assert (await get_page(app, f"/desk/load-plans/{kept.id}", "driver")).status_code == 404
    forged = await send_form(app, "/desk/plan-loading", "admin", **carried(found), do="keep", csrf="no")
    assert forged.status_code == 403


async def test_the_load_page_can_be_followed_by_step_and_stop(app: App) -> None:
    address = (await keep_a_load(app, await make_route(app, 800, 700))).partition("?")[0]
    counts: set[int] = set()
    for step, inside, words in (
        (0, [], "Empty. Packages to load: 2."),
        (1, [1], "Step 1 of 2"),
        (2, [1, 2], "Step 2 of 2"),
        (3, [1], "After stop 1: Packages: 1; 90 kg;"),
        (4, [], "After stop 2: Packages: 0; 0 kg; 0 % full."),
    ):
        for view in ("isometric", "layers"):
            app.statements = 0
            page = await get_page(app, f"{address}?step={step}&view={view}", "admin")
            assert set(shown_steps(page)) == set(inside), (step, view)
            assert words in page_text(page)
            counts.add(app.statements)
    assert len(counts) == 1, "no look costs more than another"
    for way, words in (("stop", "Stop 2"), ("order", "Order"), ("weight", "up to 100 kg"), ("kind", "HL")):
        assert words in page_text(await get_page(app, f"{address}?colour={way}", "admin")), way
    for odd in ("step=x", "step=-3", "step=999", "space=9", "colour=smell", "view=4d", "space=all"):
        page = await get_page(app, f"{address}?{odd}", "admin")
        assert (page.status_code, Checked(page.text).faults) == (200, []), odd


async def test_a_page_uses_a_constant_number_of_statements(app: App) -> None:
    counts: set[int] = set()
    for sizes in ((300,), (300,) * 6):
        address = (await keep_a_load(app, await make_route(app, *sizes))).partition("?")[0]
        app.statements = 0
        assert len(shown_steps(await get_page(app, address, "admin"))) == len(sizes)
        counts.add(app.statements)
    assert len(counts) == 1


async def test_the_pages_are_complete_in_every_language(sqlite_app: App) -> None:
    app = sqlite_app  # one database: a page is the same on both
    address = (await keep_a_load(app, await make_route(app, 800))).partition("?")[0]
    for language in SUPPORTED_LANGUAGES:
        for path in (address, "/desk/plan-loading", "/desk/choose-cartons"):
            page = await get_page(app, f"{path}?lang={language}", "admin")
            assert re.findall(r"plan_page\.\w+|load_axle\.\w+", page_text(page)) == [], (language, path)


async def test_an_item_can_be_moved_and_errors_are_shown_beside_it(app: App) -> None:
    route = await make_route(app, 800, 700)
    found = await send_form(app, "/desk/plan-loading", "admin", route_id=str(route), steps="20", do="search")
    sent = carried(found)
    piece = re.findall(r'\["(HL[^"]+)"', sent["plan"])[-1]
    place = {"piece": piece, "to_space": "1", "x_mm": "0", "y_mm": "0", "z_mm": "900", "turn": "lwh"}
    moved = await send_form(app, "/desk/plan-loading", "admin", **sent, **place, do="move")
    row = moved.text[moved.text.index(f"{piece}<p") :]
    assert 'class="fault"' in row[: row.index("</tr>")]
    assert "be saved." in page_text(moved)
    assert 'value="keep"' not in moved.text
    wrong = await send_form(app, "/desk/plan-loading", "admin", **sent, **{**place, "x_mm": "much"}, do="move")
    assert (wrong.status_code, "x_mm" in page_errors(wrong)) == (422, True)
    kept = await send_form(app, "/desk/plan-loading", "admin", **carried(moved), do="keep")
    assert kept.status_code == 409
    odd = await send_form(app, "/desk/plan-loading", "admin", **{**sent, "plan": "{}"}, do="keep")
    assert odd.status_code == 422


async def test_an_invalid_request_shows_its_errors_and_an_unsolvable_one_the_reason(app: App) -> None:
    nothing = await send_form(app, "/desk/plan-loading", "admin", do="search")
    assert (nothing.status_code, "No cargo space is available" in page_text(nothing)) == (409, True)
    await make_carton(app, "S", 200, 100, 100)
    wrong = await send_form(app, "/desk/choose-cartons", "admin", **{**CUBE, "pieces.0.height_mm": "0"}, do="search")
    assert (wrong.status_code, list(page_errors(wrong))) == (422, [])
    assert 'id="pieces.0.height_mm-fault"' in wrong.text
    large = await send_form(app, "/desk/choose-cartons", "admin", **{**CUBE, "pieces.0.length_mm": "900"}, do="search")
    assert "Too large for every carton: cube" in page_text(large)


async def test_cartons_are_chosen_for_an_order_and_saved_or_proposed(app: App) -> None:
    await make_carton(app, "S", 200, 100, 100)
    package = {"length_mm": 100, "width_mm": 100, "height_mm": 100, "weight_g": 700}
    made = await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": [package, package]})
    order = made.order.id
    assert f"/desk/choose-cartons?order_id={order}" in (await get_page(app, f"/desk/orders/{order}", "admin")).text
    asked = await get_page(app, f"/desk/choose-cartons?order_id={order}", "admin")
    assert f'name="order_id" value="{order}"' in asked.text
    question: dict[str, Any] = {"order_id": str(order), "order_ids": str(order), "do": "search"}
    found = await send_form(app, "/desk/choose-cartons", "admin", **question)
    assert ("No better choice of cartons exists." in page_text(found), shown_steps(found)) == (True, [1, 2])
    proposed = await send_form(app, "/desk/choose-cartons", "admin", **carried(found), do="propose")
    assert (proposed.status_code, proposed.headers["location"]) == (303, "/mcp-approvals/1")
    kept = await send_form(app, "/desk/choose-cartons", "admin", **carried(found), do="keep")
    (plan,) = (await app.answer("admin", "list_packing_plans", {})).plans
    address = f"/desk/packing-plans/{plan.id}"
    assert (kept.status_code, kept.headers["location"]) == (303, f"{address}?done=commit_packing_plan")
    page = await get_page(app, f"{address}?step=1&colour=order", "admin")
    assert (shown_steps(page), Checked(page.text).faults) == ([1], [])
    assert f'href="/desk/orders/{order}"' in page.text
    without = await send_form(app, "/desk/choose-cartons", "admin", **CUBE, do="search")
    assert "enter the order, route or reference" in page_text(without)


async def test_the_load_space_of_a_vehicle_is_prefilled(app: App) -> None:
    vehicle = (await app.answer("admin", "create_vehicle", {"name": "Van 7"})).vehicle.id
    await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": "A"})
    space = {**LOAD_SPACE, "code": "B", "vehicle_ids": [vehicle]}
    own = (await app.answer("admin", "create_load_space", space)).load_space.id
    page = await get_page(app, f"/desk/plan-loading?vehicle_id={vehicle}", "admin")
    assert re.search(rf'<textarea id="load_space_ids"[^>]* data-chosen="{own}"', page.text)
