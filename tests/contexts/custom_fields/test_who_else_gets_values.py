"""Custom fields in partner orders, webhooks, other interfaces and erasures."""

from typing import Any

import httpx
import msgspec
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.contexts.control_tower.personal_data.makers import erased, traces_of
from tests.contexts.custom_fields.makers import TEXT, make_field, make_order
from tests.contexts.marketplace.partners.makers import call_about_offer, make_partnership, offer_orders
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.contexts.integrations.webhooks.serializers import PayloadReader


async def test_a_partner_sees_shared_fields_and_stores_those_it_defines(app: App) -> None:
    await make_field(app, "purchase_order", shared_with_partners=True)
    await make_field(app, "colour", shared_with_partners=True)
    await make_field(app, "margin")
    await make_field(app, "serial", "package", shared_with_partners=True)
    for name, kind in (("purchase_order", "order"), ("serial", "package")):
        said: dict[str, Any] = {"kind": kind, "name": name, "value_schema": TEXT}
        await app.answer("rival", "create_custom_field", said)
    unfit = {"kind": "order", "name": "colour", "value_schema": {"type": "integer"}}
    await app.answer("rival", "create_custom_field", unfit)
    packages = [{"custom_fields": {"serial": "S"}}]
    order = await make_order(app, packages=packages, purchase_order="4711", colour="red", margin="high")
    (offer_id,) = await offer_orders(app, await make_partnership(app), [order.id])
    accepted = await call_about_offer(app, "rival", "accept_partner_order", offer_id, quote_minor=900)
    theirs = accepted.answer.partner_order
    assert theirs.custom_fields == {"purchase_order": "4711", "colour": "red"}
    own = (await app.answer("rival", "get_order_detail", {"order_id": theirs.own_order_id})).order
    assert own.custom_fields == {"purchase_order": "4711"}
    assert [piece.custom_fields for piece in own.packages] == [{"serial": "S"}]


async def test_a_webhook_includes_only_values_visible_to_its_owner(app: App) -> None:
    await make_field(app, "purchase_order", visible_to=["employee", "customer"])
    await make_field(app, "margin")
    order = (await app.answer("customer", "create_order", {"consignee": ADDRESS})).order
    both = {"purchase_order": "4711", "margin": "high"}
    await app.answer("admin", "update_order_custom_fields", {"order_id": order.id, "custom_fields": both})
    seen = {}
    for who in ("admin", "customer"):
        async with app.database.read(None) as work:
            reader = await app.application.identity.identify(work, app.tokens[who], app.clock.now)
        seen[who] = (await PayloadReader(app.application, reader).order(order.id) or {})["custom_fields"]
    assert seen == {"admin": both, "customer": {"purchase_order": "4711"}}


async def test_values_are_accepted_and_returned_by_every_interface(app: App) -> None:
    await make_field(app, "floors", value_schema={"type": "integer"}, filterable=True)
    order = {"consignee": ADDRESS, "custom_fields": {"floors": 3}}
    answer = await app.rest("admin", "POST", "/v1/client/orderCreate", order)
    assert answer.json()["order"]["custom_fields"] == {"floors": 3}
    answer = await app.rest("admin", "GET", "/v1/orders?custom_fields=floors%3E%3D3&custom_fields=floors:3")
    assert [each["custom_fields"] for each in answer.json()["orders"]] == [{"floors": 3}]
    query = """mutation ($order: OrderAddressInput!, $floors: JSON) {
        clientOrderCreate(consignee: $order, custom_fields: $floors) { order { custom_fields } } }"""
    answer = await app.http.post(
        "/graphql",
        json={"query": query, "variables": {"order": ADDRESS, "floors": {"floors": 4}}},
        headers={"Authorization": f"Bearer {app.tokens['admin']}"},
    )
    assert answer.json() == {"data": {"clientOrderCreate": {"order": {"custom_fields": {"floors": 4}}}}}
    async with serve_mcp(app.application) as base, httpx.AsyncClient() as http:
        client = McpClient(base, http)
        given, full = {**order, "custom_fields": {"floors": 5}}, {"X-MCP-Detail": "full"}
        result = await client.call("create_order", given, app.tokens["admin"], headers=full)
        assert result["structuredContent"]["order"]["custom_fields"] == {"floors": 5}
        filtered = {"custom_fields": ["floors<=4"]}
        result = await client.call("get_orders", filtered, app.tokens["admin"], headers=full)
    shown = [each["custom_fields"]["floors"] for each in result["structuredContent"]["orders"]]
    assert sorted(shown) == [3, 4]


async def test_an_erasure_deletes_personal_values_with_their_index_keys_and_keeps_the_rest(app: App) -> None:
    await make_field(app, "contact", personal=True, filterable=True)
    await make_field(app, "floors", filterable=True)
    await make_field(app, "owner", "package", personal=True)
    await make_field(app, "hobby", "customer", personal=True, filterable=True)
    await make_field(app, "nickname", "driver", personal=True, filterable=True)
    person = {**ADDRESS, "email": "quill@ravenscroft.example"}
    order = (
        await app.answer(
            "admin",
            "create_order",
            {
                "consignee": person,
                "custom_fields": {"contact": "Ravenscroft", "floors": "3"},
                "packages": [{"custom_fields": {"owner": "Ravenscroft"}}],
            },
        )
    ).order
    await app.answer("admin", "cancel_order", {"order_id": order.id}, confirmed=True)
    request = await erased(app, email="quill@ravenscroft.example")
    assert request.state == "done"
    assert await traces_of(app, ["Ravenscroft", "ravenscroft"]) == {}
    left = (await app.answer("admin", "get_orders", {"custom_fields": ["floors:3"]})).orders
    assert [each.custom_fields for each in left] == [{"floors": "3"}]
    new = {"name": "Dan", "user_id": app.ids["driver"], "custom_fields": {"nickname": "Swift"}}
    await app.answer("admin", "create_driver", new)
    customer = {"customer_id": app.ids["customer"], "custom_fields": {"hobby": "Falconry"}}
    await app.answer("admin", "update_customer_settings", customer)
    for user in ("driver", "customer"):
        await erased(app, user_id=app.ids[user])
    assert await traces_of(app, ["Swift", "swift", "Falconry", "falconry"]) == {}


async def test_a_field_marked_personal_later_is_erased_too(app: App) -> None:
    field = await make_field(app, "contact")
    order = (
        await app.answer(
            "admin",
            "create_order",
            {"consignee": {**ADDRESS, "email": "q@r.example"}, "custom_fields": {"contact": "Ravenscroft"}},
        )
    ).order
    await app.answer("admin", "update_custom_field", {"custom_field_id": field.id, "version": 1, "personal": True})
    app.clock.forward(seconds=10)
    await app.work_off()
    await app.answer("admin", "cancel_order", {"order_id": order.id}, confirmed=True)
    await erased(app, email="q@r.example")
    shown = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert msgspec.to_builtins(shown.custom_fields) == {}
