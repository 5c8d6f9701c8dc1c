"""Prices hidden from contractors and drivers."""

import json

import pytest
from tests.support.app import App
from tests.support.transport import make_order, make_started_route


@pytest.mark.parametrize("who", ["contractor", "driver"])
async def test_drivers_cannot_see_the_price_of_an_order(app: App, who: str) -> None:
    order_id = await make_order(app, signature_required=True)
    if who == "driver":
        await make_started_route(app, [order_id])
    else:
        await app.answer("admin", "assign_orders_to_broker", {"order_ids": [order_id], "broker_id": app.ids[who]})
    query = f"{{ order(order_id: {order_id}) {{ order {{ shipping_price price_hidden }} }} }}"
    token = {"Authorization": f"Bearer {app.tokens[who]}"}
    told = (await app.http.post("/graphql", json={"query": query}, headers=token)).json()
    assert told["data"]["order"]["order"] == {"shipping_price": None, "price_hidden": True}
    for path in (f"/v1/orders/{order_id}", "/v1/orders", f"/v1/orders/{order_id}/snapshot"):
        shown = await app.rest(who, "GET", path)
        assert shown.status_code == 200
        assert '"price_hidden":true' in shown.text
        assert not {"shipping_price", "price_details", "tax"} & _names(shown.json())
    assert "shipping_price" in (await app.rest("admin", "GET", f"/v1/orders/{order_id}")).text


def _names(document: object) -> set[str]:
    found: set[str] = set()
    json.loads(json.dumps(document), object_pairs_hook=lambda pairs: found.update(name for name, _ in pairs))
    return found
