"""Customer endpoints: own orders, visible fields, and no hidden prices."""

import json
from typing import Any

from tests.adapters.fake_webhook_receiver import FakeReceiver, ReceivedWebhook
from tests.contexts.integrations.webhooks.makers import make_local_receiver, make_order, set_endpoints
from tests.invariants.price_walk import VALUES, make_customer_with_records, poison, price_names, price_paths
from tests.support.app import App

from haulier.contexts.integrations.webhooks.rules import EVENT_CATALOG
from haulier.kernel.operations.enums import PriceFamily

FOR_CUSTOMERS = {known.name for known in EVENT_CATALOG if known.for_customers}
ELSEWHERE = {"tracking.corrected", "order.cod_collected", "order.cod_written_off", "delivery.rated"}
"""Events that do not occur here. `test_ratings.py` covers ratings. Cash amounts are those requested by
the customer, not prices."""


async def make_customer_endpoint(app: App, receiver: FakeReceiver, who: str = "customer") -> None:
    """Create an endpoint of a customer, and one of the business."""
    customer_endpoint = {"url": receiver.url("/customer"), "events": ["*"], "customer_id": app.ids[who]}
    await set_endpoints(app, customer_endpoint, {"url": receiver.url("/business"), "events": ["*"]})


async def trigger_every_event(app: App, order_id: int) -> None:
    """Run an order through every event for its customer."""
    for operation, values in (
        ("update_order_note", {"note": "ring twice"}),
        ("update_delivery_instruction", {"delivery_instruction": "side door"}),
        ("hold_order", {}),
        ("release_order", {}),
        ("cancel_order", {}),
    ):
        await app.answer("admin", operation, {"order_id": order_id, **values})
        await poison(app)
        await app.work_off()


def at(receiver: FakeReceiver, path: str) -> list[ReceivedWebhook]:
    return [each for each in receiver.received if each.path == path]


def leaks(messages: list[ReceivedWebhook]) -> list[Any]:
    """Prices in messages, by name or by value, in bodies and headers."""
    names = price_names()
    named = [path for each in messages for path in price_paths(each.document, names)]
    return named + [found[0] for each in messages if (found := VALUES.search(each.body.decode() + str(each.headers)))]


async def test_a_customer_with_all_prices_hidden_receives_none(app: App) -> None:
    with make_local_receiver(app) as receiver:
        hidden = {"customer_id": app.ids["customer"], "hidden": list(PriceFamily)}
        await app.answer("admin", "set_price_visibility", hidden)
        await make_customer_endpoint(app, receiver)
        records = await make_customer_with_records(app, "customer")
        await trigger_every_event(app, records.known["order_id"])
        customer_endpoint = at(receiver, "/customer")
        assert {each.document["event"] for each in customer_endpoint} == FOR_CUSTOMERS - ELSEWHERE
        assert leaks(customer_endpoint) == []
        orders = [each.document["data"]["order"] for each in customer_endpoint if "order" in each.document["data"]]
        assert orders
        assert all(order["price_hidden"] for order in orders)
        assert leaks(at(receiver, "/business")), "the business is told its own prices: the walk does meet them"


async def test_a_customer_without_hidden_prices_receives_their_prices(sqlite_app: App) -> None:
    app = sqlite_app  # prices are hidden by type, whatever the database
    with make_local_receiver(app) as receiver:
        await make_customer_endpoint(app, receiver)
        await make_customer_with_records(app, "customer")
        await app.work_off()
        assert leaks(at(receiver, "/customer"))


async def test_hiding_prices_applies_from_the_next_message(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_customer_endpoint(app, receiver)
        for hidden in ([], list(PriceFamily)):
            await app.answer("admin", "set_price_visibility", {"customer_id": app.ids["customer"], "hidden": hidden})
            order = await make_order(app, "customer")
            await app.work_off()
            told = [
                each.document["data"]["order"] for each in at(receiver, "/customer") if "order.created" in str(each)
            ]
            assert (told[-1]["id"], told[-1].get("price_hidden", False)) == (order.id, bool(hidden))


async def test_customers_receive_only_their_own_orders_as_they_see_them(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_customer_endpoint(app, receiver)
        own = await make_order(app, "customer", note="beware of the dog")
        await make_order(app, "customer2")
        await make_order(app)
        await app.work_off()
        told = [each.document for each in at(receiver, "/customer")]
        assert {each["data"]["order_id"] for each in told} == {own.id}
        assert {each["event"] for each in told} == {"order.created", "tracking.updated"}
        assert "beware of the dog" not in json.dumps(told)
        assert len(at(receiver, "/business")) == 6


async def test_a_disabled_customer_receives_nothing(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_customer_endpoint(app, receiver)
        await make_order(app, "customer")
        await app.answer("admin", "disable_user", {"user_id": app.ids["customer"]})
        await app.work_off()
        assert at(receiver, "/customer") == []
        assert at(receiver, "/business")
