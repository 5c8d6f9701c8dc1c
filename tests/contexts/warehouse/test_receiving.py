"""Announced goods are received and put away."""

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.invariants.dry_run_day import PHOTO
from tests.support.app import App

from haulier.contexts.warehouse.receiving.rules import Shelf, suggest_shelves


async def make_advice(app: App, warehouse: int, quantity: int = 10) -> int:
    lines = [{"sku": "MUG", "quantity": quantity - 1}, {"sku": "MUG", "quantity": 1}]
    asked = {"warehouse_id": warehouse, "reference": "PO-1", "supplier": "Pottery", "lines": lines}
    return (await app.answer("admin", "create_stock_advice", asked)).advice.id


async def test_an_inbound_shipment_is_received_in_parts_and_lists_missing_damaged_and_extra_items(app: App) -> None:
    warehouse = await make_warehouse(app)
    (dock,) = await some_locations(app, warehouse, "DOCK", kind="receiving")
    await make_product(app)
    await make_product(app, "PLATE")
    advice = await make_advice(app, warehouse)
    states: list[str] = []
    for sku, quantity, condition, over in (
        ("MUG", 3, "good", False),
        ("MUG", 2, "damaged", False),
        ("MUG", 6, "good", True),
        ("PLATE", 1, "good", True),
    ):
        line = {"sku": sku, "quantity": quantity, "location_id": dock, "condition": condition}
        asked = {"advice_id": advice, "lines": [line], "accept_over": over}
        states.append((await app.answer("admin", "receive_stock_advice", asked)).advice.state)
    shown = (await app.answer("admin", "get_stock_advice", {"advice_id": advice})).advice
    assert states == ["receiving", "receiving", "received", "received"]
    assert [(line.sku, line.expected, line.received, line.damaged, line.over) for line in shown.lines] == [
        ("MUG", 10, 11, 2, 1),
        ("PLATE", 0, 1, 0, 1),
    ]
    assert await inventory(app) == {"MUG": (11, 0, 9), "PLATE": (1, 0, 1)}
    moved = (await app.answer("admin", "list_stock_movements", {"reference": "PO-1"})).movements
    assert sum(one.quantity for one in moved) == 12


async def test_surplus_items_are_refused_unless_accepted(app: App) -> None:
    warehouse = await make_warehouse(app)
    (dock,) = await some_locations(app, warehouse, "DOCK")
    await make_product(app)
    advice = await make_advice(app, warehouse)
    line = {"sku": "MUG", "quantity": 11, "location_id": dock}
    refused = await app.call("admin", "receive_stock_advice", {"advice_id": advice, "lines": [line]})
    assert refused.error
    assert (refused.error["code"], await inventory(app)) == ("STOCK_ADVICE_EXCEEDED", {"MUG": (0, 0, 0)})


async def test_a_closed_inbound_shipment_keeps_missing_items_and_accepts_only_photos(app: App) -> None:
    warehouse = await make_warehouse(app)
    (dock,) = await some_locations(app, warehouse, "DOCK")
    await make_product(app)
    advice = await make_advice(app, warehouse)
    closed = (await app.answer("admin", "close_stock_advice", {"advice_id": advice})).advice
    assert (closed.state, closed.lines[0].missing) == ("closed", 10)
    line = {"sku": "MUG", "quantity": 1, "location_id": dock}
    assert (await app.call("admin", "receive_stock_advice", {"advice_id": advice, "lines": [line]})).status == 409
    (photo,) = (
        await app.answer("admin", "add_stock_advice_photo", {"advice_id": advice, "photo": PHOTO})
    ).advice.photo_file_ids
    assert await app.answer("employee", "get_file", {"file_id": photo})
    open_ones = (await app.answer("admin", "list_stock_advices", {"open": True})).advices
    assert open_ones == []


def test_put_away_prefers_the_products_location_then_its_zone_then_the_walking_order() -> None:
    shelves = [Shelf(1, "A-01", "A", 1, None), Shelf(2, "B-01", "B", 2, 3), Shelf(3, "B-02", "B", 3, 4)]
    chosen, missing = suggest_shelves(shelves, {3}, 9)
    assert ([(shelf.code, pieces) for shelf, pieces in chosen], missing) == ([("B-02", 4), ("B-01", 3), ("A-01", 2)], 0)
    assert suggest_shelves(shelves[1:], {3}, 9)[1] == 2


async def test_goods_are_put_away_at_suggested_locations_within_their_capacity(app: App) -> None:
    warehouse = await make_warehouse(app)
    (dock,) = await some_locations(app, warehouse, "DOCK", kind="receiving")
    first, home = await some_locations(app, warehouse, "A-01", "B-01", capacity=4)
    (bad,) = await some_locations(app, warehouse, "Q-01", kind="quarantine")
    await make_product(app)
    await receive(app, home, 1)
    await receive(app, dock, 6)
    await receive(app, dock, 2, condition="damaged")
    asked = {"warehouse_id": warehouse, "sku": "MUG", "quantity": 9}
    said = await app.answer("admin", "suggest_put_away", asked)
    assert [(one.location_id, one.quantity, one.same_product) for one in said.suggestions] == [
        (home, 3, True),
        (first, 4, False),
    ]
    assert said.without_room == 2
    pieces = {"sku": "MUG", "quantity": 3, "from_location_id": dock}
    lines = [pieces, pieces, {**pieces, "quantity": 2, "condition": "damaged"}]
    moved = await app.answer("admin", "put_stock_away", {"warehouse_id": warehouse, "lines": lines})
    assert [(one.kind, one.to_location_id, one.quantity) for one in moved.movements] == [
        ("put_away", home, 3),
        ("put_away", first, 3),
        ("put_away", bad, 2),
    ]
    assert (await app.call("admin", "put_stock_away", {"warehouse_id": warehouse, "lines": [pieces]})).status == 409


async def test_statement_count_does_not_grow_with_inbound_lines(app: App) -> None:
    warehouse = await make_warehouse(app)
    dock, shelf = await some_locations(app, warehouse, "DOCK", "A-01")
    skus = [f"P-{n:02}" for n in range(20)]
    for sku in skus:
        await make_product(app, sku)
    counted = []
    for lines in (2, 20):
        pieces = [{"sku": sku, "quantity": 1} for sku in skus[:lines]]
        before = app.statements
        asked = {"warehouse_id": warehouse, "reference": f"PO-{lines}", "lines": pieces}
        advice = (await app.answer("admin", "create_stock_advice", asked)).advice.id
        came = [{**piece, "location_id": dock} for piece in pieces]
        await app.answer("admin", "receive_stock_advice", {"advice_id": advice, "lines": came})
        gone = [{**piece, "from_location_id": dock, "to_location_id": shelf} for piece in pieces]
        await app.answer("admin", "put_stock_away", {"warehouse_id": warehouse, "lines": gone})
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
