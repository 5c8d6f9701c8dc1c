"""Sends a field `gate_code` through every interface, a copy and a hand-over.

Prints the values as JSON.

Run it with the URL of an empty database, over a source tree whose orders have the field.
"""

import asyncio
import json
import sys
from typing import Any

import httpx
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App, make_app
from tests.support.transport import make_contact

from haulier.adapters.migrations import upgrade_schema

FIELD, GATE_CODE = "gate_code", "4711#"


async def main(database_url: str) -> None:
    """Print the values by the place where they were read."""
    await asyncio.to_thread(upgrade_schema, database_url)
    async with make_app(database_url) as app:
        print(json.dumps({**await _at_each_interface(app), **await _copied_and_handed_over(app)}))


async def _at_each_interface(app: App) -> dict[str, Any]:
    values = {"consignee": make_contact(), FIELD: GATE_CODE}
    created = await app.rest("admin", "POST", "/v1/client/orderCreate", values)
    assert created.status_code < 300, created.text
    order_id = created.json()["order"]["id"]
    shown = await app.rest("admin", "GET", f"/v1/orders/{order_id}")
    return {
        "REST": shown.json()["order"].get(FIELD),
        "GraphQL": await _through_graphql(app),
        "MCP": await _through_mcp(app, values),
    }


async def _through_graphql(app: App) -> Any:
    headers = {"Authorization": f"Bearer {app.tokens['admin']}"}

    async def data(query: str) -> Any:
        answer = (await app.http.post("/api/graphql", json={"query": query}, headers=headers)).json()
        assert "errors" not in answer, answer
        return answer["data"]

    contact = '{name: "Ada", address: "1 Front St", city: "Toronto", country: "CA"}'
    created = await data(
        f'mutation {{ clientOrderCreate(consignee: {contact}, {FIELD}: "{GATE_CODE}") {{ order {{ id }} }} }}'
    )
    shown = await data(
        f"{{ order(order_id: {created['clientOrderCreate']['order']['id']}) {{ order {{ {FIELD} }} }} }}"
    )
    return shown["order"]["order"][FIELD]


async def _through_mcp(app: App, values: dict[str, Any]) -> Any:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        client, token = McpClient(base, http), app.tokens["admin"]
        created = await client.call("create_order", values, token)
        order = {"order_id": created["structuredContent"]["order"]["id"]}
        return (await client.call("get_order_detail", order, token))["structuredContent"]["order"].get(FIELD)


async def _copied_and_handed_over(app: App) -> dict[str, Any]:
    created = await app.answer("admin", "create_order", {"consignee": make_contact(), FIELD: GATE_CODE})
    elsewhere = {"order_id": created.order.id, "address": make_contact("M4B 1B3")}
    copy = (await app.answer("admin", "reroute_to_address", elsewhere)).order
    detail = (await app.answer("admin", "get_order_detail", {"order_id": copy.id})).order
    proposed = await app.answer("admin", "propose_partnership", {"business": "rival"})
    partnership_id = proposed.partnership.id
    await app.answer("rival", "accept_partnership", {"partnership_id": partnership_id})
    offer = {"partnership_id": partnership_id, "order_ids": [copy.id]}
    (offered,) = (await app.answer("admin", "offer_orders_to_partner", offer)).offers
    accepted = await app.answer("rival", "accept_partner_order", {"offer_id": offered.id})
    return {"reroute": getattr(detail, FIELD), "partner": getattr(accepted.partner_order.goods, FIELD)}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
