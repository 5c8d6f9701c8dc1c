"""Lines of orders: products, weight, value, reads, corrections and exports."""

import asyncio
from base64 import b64decode, b64encode
from typing import Any

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.contexts.orders.public import load_paper_items
from haulier.kernel.job_run import JobRun

MUG: dict[str, Any] = {
    "sku": "MUG-BLUE",
    "quantity": 2,
    "unit_price_minor": 1250,
    "currency": "CAD",
    "weight_g": 350,
    "hs_code": "6912.00",
    "country_of_origin": "PT",
}
CARD: dict[str, Any] = {"description": "Greeting card", "quantity": 3, "unit_price_minor": 400, "weight_g": 20}


async def make_product(app: App, sku: str = "MUG-BLUE", **words: Any) -> int:
    values = {"sku": sku, "name": "Mug, blue", "weight_g": 350, **words}
    return (await app.answer("admin", "create_product", values)).product.id


async def detail(app: App, order_id: int, who: str = "admin") -> Any:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order


async def test_a_known_sku_is_linked_and_an_unknown_one_is_kept_as_text(app: App) -> None:
    product_id = await make_product(app)
    order = await detail(app, await make_order(app, items=[MUG, {"sku": "NEW-7", "quantity": 1}, CARD]))
    assert [(item.sku, item.product_id, item.description) for item in order.items] == [
        ("MUG-BLUE", product_id, "Mug, blue"),
        ("NEW-7", None, "NEW-7"),
        (None, None, "Greeting card"),
    ]
    mug = order.items[0]
    assert (mug.quantity, mug.unit_price_minor, mug.currency, mug.weight_g) == (2, 1250, "CAD", 350)
    assert (mug.hs_code, mug.country_of_origin) == ("6912.00", "PT")


async def test_omitted_weight_and_goods_value_are_derived_from_the_items(app: App) -> None:
    order = await detail(app, await make_order(app, items=[MUG, CARD]))
    assert (order.weight_g, order.goods_value_minor, order.goods_currency) == (760, 3700, "CAD")
    given = await make_order(app, items=[MUG], packages=[{"weight_g": 900}], goods_value_minor=5000)
    order = await detail(app, given)
    assert (order.weight_g, order.goods_value_minor) == (900, 5000)


async def test_packages_without_a_weight_share_the_remaining_weight(app: App) -> None:
    packages = [{"weight_g": 100}, {"length_mm": 300}, {"quantity": 2}]
    order = await detail(app, await make_order(app, items=[MUG], packages=packages))
    assert [package.weight_g for package in order.packages] == [100, 200, 200, 200]


async def test_an_item_without_a_weight_uses_the_products_weight(app: App) -> None:
    await make_product(app, weight_g=410)
    assert (await detail(app, await make_order(app, items=[{"sku": "MUG-BLUE", "quantity": 3}]))).weight_g == 1230
    unknown = [{"sku": "MUG-BLUE"}, {"sku": "NEW-7"}]
    assert (await detail(app, await make_order(app, items=unknown))).weight_g == 1000


@pytest.mark.parametrize(
    ("items", "field", "code"),
    [
        ([{"quantity": 1}], "items.0", "ITEM_UNNAMED"),
        ([{**MUG, "currency": "CAD"}, {**CARD, "currency": "USD"}], "items.1.currency", "ITEMS_ONE_CURRENCY"),
        ([{**MUG, "quantity": 100_000, "weight_g": 1000}], "items", "ITEMS_TOO_HEAVY"),
        ([{**MUG, "quantity": 100, "unit_price_minor": 10**12, "weight_g": 1}], "items", "ITEMS_TOO_VALUABLE"),
        ([{**MUG, "hs_code": "mugs"}], "items.0.hs_code", "STRING_PATTERN_MISMATCH"),
        ([MUG] * 201, "items", "TOO_LONG"),
    ],
)
async def test_invalid_items_are_refused_by_field(app: App, items: list[Any], field: str, code: str) -> None:
    outcome = await app.call("admin", "create_order", {"consignee": make_contact(), "items": items})
    assert outcome.status == 422
    assert (field, code) in [(each["field"], each["code"]) for each in outcome.error["errors"]]  # type: ignore[index]


async def test_a_repeat_returns_the_order_even_if_its_product_has_changed(app: App) -> None:
    product_id = await make_product(app)
    asked = {"consignee": make_contact(), "order_ref": "S-1", "items": [{"sku": "MUG-BLUE"}, CARD]}
    first = await app.answer("admin", "create_order", asked)
    await app.answer("admin", "update_product", {"product_id": product_id, "name": "Mug, sky", "weight_g": 500})
    again = await app.answer("admin", "create_order", asked)
    assert (again.existing, again.order.id) == (True, first.order.id)
    other = await app.call("admin", "create_order", {**asked, "items": [{"sku": "MUG-BLUE", "quantity": 2}, CARD]})
    assert other.status == 409
    assert "items" in [each["field"] for each in other.error["errors"]]  # type: ignore[index]


async def test_parallel_repeats_create_one_order_with_its_items_once(app: App) -> None:
    asked = {"consignee": make_contact(), "order_ref": "S-2", "items": [MUG, CARD]}
    answers = await asyncio.gather(*(app.answer("admin", "create_order", asked) for _ in range(4)))
    assert {answer.order.id for answer in answers} == {answers[0].order.id}
    assert len((await detail(app, answers[0].order.id)).items) == 2


async def test_lists_include_items_on_request_with_one_statement(app: App) -> None:
    for _ in range(3):
        await make_order(app, items=[MUG, CARD])
    await app.answer("admin", "get_orders", {"per_page": 50})

    async def cost(**words: Any) -> int:
        before = app.statements
        await app.answer("admin", "get_orders", {"per_page": 49, **words})
        return app.statements - before

    await cost()
    assert await cost(include_items=True) - await cost() <= 1
    listed = (await app.answer("admin", "get_orders", {"include_items": True})).orders
    assert [[item.description for item in order.items] for order in listed] == [["MUG-BLUE", "Greeting card"]] * 3


async def test_items_of_a_whole_batch_cost_one_statement(app: App) -> None:
    await make_product(app)

    async def cost(count: int, **words: Any) -> int:
        before = app.statements
        orders = [{"consignee": make_contact(), **words}] * count
        await app.answer("admin", "bulk_create_orders", {"orders": orders})
        return app.statements - before

    await cost(2, items=[MUG])
    few, many = await cost(2, items=[MUG]), await cost(40, items=[MUG, CARD] * 5)
    assert few == many
    assert few - await cost(2) <= 3  # the products, the items, and the reservation policy


async def test_goods_prices_are_hidden_with_delivery_prices(app: App) -> None:
    order_id = await make_order(app, "customer", items=[MUG])
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    text = (await app.rest("customer", "GET", f"/v1/orders/{order_id}")).text
    assert "MUG-BLUE" in text
    assert "1250" not in text
    assert "goods_value_minor" not in text
    export = await app.answer("customer", "export_orders", {"rows": "items"})
    assert "unit_price_minor" not in b64decode(export.document).decode()


async def test_corrections_replace_items_and_derived_values(app: App) -> None:
    order_id = await make_order(app, items=[MUG])
    await app.answer("admin", "correct_order", {"order_id": order_id, "items": [{**MUG, "quantity": 4}, CARD]})
    order = await detail(app, order_id)
    assert [item.quantity for item in order.items] == [4, 3]
    assert (order.weight_g, order.goods_value_minor) == (1460, 6200)
    assert [package.weight_g for package in order.packages] == [1460]
    own = await make_order(app, items=[MUG], packages=[{"weight_g": 2000}])
    await app.answer("admin", "correct_order", {"order_id": own, "items": [CARD]})
    assert (await detail(app, own)).weight_g == 2000


async def test_a_rerouted_order_keeps_its_items(app: App) -> None:
    order_id = await make_order(app, items=[MUG, CARD])
    moved = await app.answer("admin", "reroute_to_address", {"order_id": order_id, "address": make_contact("M4B 1B3")})
    order = await detail(app, moved.order.id)
    assert [item.description for item in order.items] == ["MUG-BLUE", "Greeting card"]
    assert order.replaces_order_id == order_id


async def test_an_export_has_a_row_for_each_item(app: App) -> None:
    await make_order(app, items=[MUG, CARD], order_ref="S-3")
    export = await app.answer("admin", "export_orders", {"rows": "items"})
    lines = b64decode(export.document).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("order_id,order_ref,status")
    assert [line.split(",")[1] for line in lines[1:]] == ["S-3", "S-3"]
    assert lines[1].endswith("MUG-BLUE,MUG-BLUE,2,350,6912.00,PT,1250,CAD")


async def test_rows_with_the_same_reference_are_items_of_one_order(app: App) -> None:
    rows = [
        "order_ref,name,address,city,country,sku,description,quantity,unit_price,item_weight_g",
        "F-1,Ada,1 Queen St W,Toronto,CA,MUG-BLUE,Mug,2,12.50,350",
        "F-1,Ada,1 Queen St W,Toronto,CA,CARD,Card,1,4,20",
        "F-2,Bob,2 Queen St W,Toronto,CA,CARD,Card,5,4,20",
    ]
    asked = {"document": b64encode("\n".join(rows).encode()).decode()}
    check = await app.answer("admin", "check_order_file", asked)
    assert (check.total, check.faulty) == (2, 0)
    await app.answer("admin", "import_orders", asked)
    await app.work_off()
    listed = (await app.answer("admin", "get_orders", {"include_items": True})).orders
    found = {
        order.order_ref: [(each.sku, each.quantity, each.unit_price_minor) for each in order.items] for order in listed
    }
    assert found == {"F-1": [("MUG-BLUE", 2, 1250), ("CARD", 1, 400)], "F-2": [("CARD", 5, 400)]}
    assert {order.order_ref: order.weight_g for order in listed} == {"F-1": 720, "F-2": 100}


async def test_background_batches_store_items(app: App) -> None:
    orders = [{"consignee": make_contact(), "items": [MUG, CARD]}, {"consignee": make_contact()}]
    await app.answer("admin", "bulk_create_orders_async", {"orders": orders})
    await app.work_off()
    listed = (await app.answer("admin", "get_orders", {"include_items": True})).orders
    assert sorted(order.weight_g for order in listed) == [760, 1000]


async def test_items_are_supported_by_graphql_and_mcp(app: App) -> None:
    token = {"Authorization": f"Bearer {app.tokens['admin']}"}
    place = '{name: "Ada", address: "1 Queen St W", city: "Toronto", country: "CA"}'
    line = '{sku: "MUG-BLUE", quantity: 2, unit_price_minor: 1250, weight_g: 350}'
    write = f"mutation {{ clientOrderCreate(consignee: {place}, items: [{line}]) {{ order {{ id weight_g }} }} }}"
    made = (await app.http.post("/api/graphql", json={"query": write}, headers=token)).json()
    order = made["data"]["clientOrderCreate"]["order"]
    assert order["weight_g"] == 700
    read = f"{{ order(order_id: {order['id']}) {{ order {{ items {{ sku quantity unit_price_minor currency }} }} }} }}"
    shown = (await app.http.post("/api/graphql", json={"query": read}, headers=token)).json()
    assert shown["data"]["order"]["order"]["items"] == [
        {"sku": "MUG-BLUE", "quantity": 2, "unit_price_minor": 1250, "currency": "CAD"}
    ]
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        values = {"consignee": make_contact(), "items": [MUG, CARD]}
        await McpClient(base, http).call("create_order", values, app.tokens["admin"])
    newest = (await app.answer("admin", "get_orders", {"include_items": True})).orders[0]
    assert [item.quantity for item in newest.items] == [2, 3]


async def test_the_recipient_sees_contents_only_if_the_sender_allows_it(app: App) -> None:
    for shown, contents in ((True, [("Greeting card", 3)]), (False, [])):
        order_id = await make_order(app, items=[CARD], show_items_to_recipient=shown)
        number = (await detail(app, order_id)).tracking_number
        opened = await app.answer(None, "open_delivery", {"number": number, "proof": "M5V 2T6"})
        assert [(line.description, line.quantity) for line in opened.delivery.contents] == contents


async def test_a_packing_slip_lists_the_items_without_prices(app: App) -> None:
    order_id = await make_order(app, items=[MUG, CARD])
    async with JobRun(app.application, app.clients["demo"], 1, 1).call() as call:
        items = await load_paper_items(call, [order_id])
    assert [(item.sku, item.description, item.quantity) for item in items[order_id]] == [
        ("MUG-BLUE", "MUG-BLUE", 2),
        (None, "Greeting card", 3),
    ]


async def test_items_link_only_to_products_of_their_own_business(app: App) -> None:
    await make_product(app)
    order_id = await make_order(app, "rival", items=[{"sku": "MUG-BLUE"}])
    assert (await detail(app, order_id, "rival")).items[0].product_id is None
