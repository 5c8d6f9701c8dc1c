"""Warehouse page: pending tasks with actions, stock search, moves and undo."""

from typing import Any

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_notices, page_text, send_form

WAREHOUSE = "/desk/warehouse"


async def stocked(app: App) -> dict[str, int]:
    """A warehouse with mugs on A-01; the ids of its locations and its own."""
    warehouse = await make_warehouse(app, name="Toronto")
    (shelf, other) = await some_locations(app, warehouse, "A-01", "A-02", zone="A")
    (dock,) = await some_locations(app, warehouse, "DOCK", kind="receiving")
    (pack,) = await some_locations(app, warehouse, "PACK", kind="packing")
    await make_product(app, "MUG", name="Mug, blue", reorder_below=20)
    await receive(app, shelf, 10)
    return {"warehouse": warehouse, "A-01": shelf, "A-02": other, "DOCK": dock, "PACK": pack}


async def where(app: App, sku: str = "MUG") -> dict[str, int]:
    """Pieces of a product by location code."""
    levels = (await app.answer("admin", "list_stock_levels", {"sku": sku})).levels
    return {level.location: level.on_hand for level in levels}


def button(page: Any, name: str, near: str) -> str:
    """The value of a button of a job row."""
    row = page.text.partition(f'data-id="{near}')[2].partition("</li>")[0]
    value = row.partition(f'value="{name} ')[2].partition('"')[0]
    return f"{name} {value.replace('&#34;', chr(34)).replace('&amp;', '&')}"


async def test_a_new_business_is_offered_to_create_its_first_warehouse(app: App) -> None:
    page = await get_page(app, WAREHOUSE, "rival")
    assert "No warehouses yet" in page_text(page)
    assert 'href="/desk/act/create_warehouse' in page.text
    assert (await get_page(app, WAREHOUSE, "customer")).status_code == 404


async def test_each_task_is_shown_with_its_action(app: App) -> None:
    at = await stocked(app)
    here = {"warehouse_id": at["warehouse"]}
    advice = {**here, "reference": "PO-1", "supplier": "Pottery", "lines": [{"sku": "MUG", "quantity": 12}]}
    await app.answer("admin", "create_stock_advice", advice)
    await receive(app, at["DOCK"], 4)
    for reference in ("A-1", "A-2"):
        lines = [{"sku": "MUG", "quantity": 2}]
        await app.answer("admin", "reserve_stock", {**here, "reference": reference, "lines": lines})
    wave = {**here, "references": ["A-1"], "staging_location_id": at["PACK"]}
    await app.answer("admin", "create_pick_wave", wave)
    await app.answer("admin", "create_stock_count", {**here, "location_ids": [at["A-02"]]})
    page = await get_page(app, WAREHOUSE, "admin")
    told = page_text(page)
    for said in ("PO-1", "12 items due", "Receive all", "4 items at DOCK", "Put away", "A-2", "Create wave"):
        assert said in told, said
    for said in ("0 of 2 picked", "Pick list", "0 of 0 lines counted", "10 left", "Announce delivery"):
        assert said in told, said
    assert Checked(page.text).faults == []
    assert "csrf" not in page.text.partition('id="part"')[2]


async def test_goods_can_be_received_and_put_away_with_one_button_each(app: App) -> None:
    at = await stocked(app)
    advice = {"warehouse_id": at["warehouse"], "reference": "PO-1", "lines": [{"sku": "MUG", "quantity": 12}]}
    id = (await app.answer("admin", "create_stock_advice", advice)).advice.id
    page = await get_page(app, WAREHOUSE, "admin")
    told = await send_form(app, WAREHOUSE, "admin", do=button(page, "receive", f"advice-{id}"), once="a")
    assert (told.status_code, told.headers["location"]) == (303, f"{WAREHOUSE}?done=receive_stock_advice")
    assert await where(app) == {"A-01": 10, "DOCK": 12}
    page = await get_page(app, WAREHOUSE, "admin")
    do = button(page, "put-away", "arrived-")
    told = await send_form(app, WAREHOUSE, "admin", do=do, once="b")
    assert (await send_form(app, WAREHOUSE, "admin", do=do, once="b")).status_code == 303
    assert await where(app) == {"A-01": 22}
    shown = await get_page(app, told.headers["location"], "admin")
    assert 'class="at"' in shown.text


async def test_waiting_orders_become_a_wave_with_one_button(app: App) -> None:
    at = await stocked(app)
    lines = [{"sku": "MUG", "quantity": 2}]
    reserved = {"warehouse_id": at["warehouse"], "reference": "A-1", "lines": lines}
    await app.answer("admin", "reserve_stock", reserved)
    page = await get_page(app, WAREHOUSE, "admin")
    told = await send_form(app, WAREHOUSE, "admin", do=button(page, "wave", "waiting-"), once="a")
    wave = (await app.answer("admin", "list_pick_waves", {"open": True})).waves[0]
    assert told.headers["location"] == f"/desk/pick-waves/{wave.id}?done=create_pick_wave"


async def test_a_found_unit_can_be_moved_by_code_and_the_move_undone(app: App) -> None:
    at = await stocked(app)
    fields = {"do": "move", "sku": "MUG", "condition": "good", "from_location_id": str(at["A-01"])}
    fields |= {"warehouse_id": str(at["warehouse"]), "quantity": "3"}
    page = f"{WAREHOUSE}?q=MUG"
    for code, said in (("A-99", "Location A-99 not found"), ("", "not found")):
        refused = await send_form(app, page, "admin", **fields, to=code, once=f"no{code}")
        assert refused.status_code == 422
        assert said in page_notices(refused)[0]
    told = await send_form(app, page, "admin", **fields, to="a-02", once="a")
    assert await where(app) == {"A-01": 7, "A-02": 3}
    shown = await get_page(app, told.headers["location"], "admin")
    assert 'id="undo"' in shown.text
    undo = {"do": "move", "undo": "1", "sku": "MUG", "quantity": "3", "condition": "good"}
    undo |= {"from_location_id": str(at["A-02"]), "to_location_id": str(at["A-01"])}
    await send_form(app, page, "admin", **undo, once="b")
    assert await where(app) == {"A-01": 10}
    much = await send_form(app, page, "admin", **{**fields, "quantity": "99"}, to="A-02", once="c")
    assert (much.status_code, await inventory(app)) == (409, {"MUG": (10, 0, 10)})


async def test_an_ambiguous_location_code_asks_for_the_barcode(app: App) -> None:
    at = await stocked(app)
    for code in ("YUL", "YVR"):
        await some_locations(app, await make_warehouse(app, code), "B-01")
    fields = {"do": "move", "sku": "MUG", "from_location_id": str(at["A-01"]), "quantity": "1"}
    fields |= {"warehouse_id": str(at["warehouse"])}
    refused = await send_form(app, f"{WAREHOUSE}?q=MUG", "admin", **fields, to="B-01", once="a")
    assert "Scan its barcode" in page_notices(refused)[0]
    assert (await send_form(app, f"{WAREHOUSE}?q=MUG", "admin", **fields, to="YVR-B-01", once="b")).status_code == 303
    assert await where(app) == {"A-01": 9, "B-01": 1}


async def test_a_scanned_package_shows_its_route_and_how_to_return_it(app: App) -> None:
    here, there = await make_warehouse(app, name="Toronto"), await make_warehouse(app, "YUL", name="Montreal")
    batch = {"from_warehouse_id": here, "to_warehouse_id": there, "numbers": ["PALLET-1"]}
    id = (await app.answer("admin", "create_transfer", batch)).transfer.id
    for step in ("dispatch_transfer", "scan_transfer_in", "complete_transfer"):
        numbers = {"numbers": ["PALLET-1"]} if step == "scan_transfer_in" else {}
        await app.answer("admin", step, {"transfer_id": id, **numbers})
    page = await get_page(app, f"{WAREHOUSE}?q=pallet-1", "admin")
    told = page_text(page)
    for said in (
        "Package PALLET-1",
        "In Montreal",
        "Toronto → Montreal",
        f"Roll back transfer {id}",
        "Transfer to another",
    ):
        assert said in told, said
    assert Checked(page.text).faults == []
    assert f"/desk/act/roll_back_transfer?transfer_id={id}" in page.text


async def test_words_find_products_and_locations_and_an_empty_result_is_explained(app: App) -> None:
    await stocked(app)
    assert "Nothing found for “nowhere”" in page_text(await get_page(app, f"{WAREHOUSE}?q=nowhere", "admin"))
    page = await get_page(app, f"{WAREHOUSE}?q=A-01", "admin")
    assert "Aisle A" in page_text(page)
    assert "Mug, blue" in page_text(page)
    assert Checked(page.text).faults == []
    for address in (f"{WAREHOUSE}?by=location", f"{WAREHOUSE}?warehouse=999999", f"{WAREHOUSE}?cursor=x&warehouse=x"):
        assert (await get_page(app, address, "admin")).status_code == 200


async def test_forged_and_malformed_forms_are_refused(app: App) -> None:
    await stocked(app)
    assert (await send_form(app, WAREHOUSE, "admin", do="receive {}", csrf="wrong")).status_code == 403
    assert (await send_form(app, WAREHOUSE, "admin", do="burn {}")).status_code == 404
    assert (await send_form(app, WAREHOUSE, "admin", do="receive [")).status_code == 404
    for do in ('receive {"advice_id": 99}', 'put-away {"lines": 7}', "wave {}", "move {}"):
        assert (await send_form(app, WAREHOUSE, "admin", do=do)).status_code in (404, 409, 422), do


async def test_the_page_uses_a_constant_number_of_statements(app: App) -> None:
    at = await stocked(app)
    counted: list[tuple[int, int]] = []
    for number in range(3):
        await make_product(app, f"MUG-{number}", reorder_below=9)
        await receive(app, at["DOCK"], 2, f"MUG-{number}")
        seen = []
        for address in (WAREHOUSE, f"{WAREHOUSE}?q=mug%20dock", f"{WAREHOUSE}?q=DOCK"):
            before = app.statements
            assert (await get_page(app, address, "admin")).status_code == 200
            seen.append(app.statements - before)
        counted.append(tuple(seen))
    assert counted[1] == counted[2]
