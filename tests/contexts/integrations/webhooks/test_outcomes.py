"""Messages include the outcome; customers see no names or locations."""

from typing import Any

from tests.contexts.driver_app.makers import make_upload
from tests.contexts.integrations.webhooks.makers import make_local_receiver, set_endpoints
from tests.support.app import App
from tests.support.transport import make_order, make_started_route

TWO: list[dict[str, Any]] = [{"weight_g": 500}] * 2


async def deliver_in_part(app: App) -> str:
    """Deliver one of two pieces to a neighbour and return the tracking number."""
    order_id = await make_order(app, packages=TWO, customer_id=app.ids["customer"])
    route = await make_started_route(app, [order_id])
    stop = route.stops[0]
    await make_upload(app, stop.id)
    missing = {"barcode": f"{stop.tracking_number}-2", "outcome": "missing"}
    words = {"handed_to": "neighbour", "recipient": "Ms Lee", "left_at": "Behind the shed", "pieces": [missing]}
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_deliver", {"route_id": route.id, "stop_id": stop.id, **words})
    return stop.tracking_number


async def delivered_messages(app: App) -> dict[str, list[Any]]:
    """The messages about the delivery that the business and its customer get, by path."""
    with make_local_receiver(app) as receiver:
        theirs = {"url": receiver.url("/theirs"), "events": ["*"], "customer_id": app.ids["customer"]}
        await set_endpoints(app, theirs, {"url": receiver.url("/ours"), "events": ["*"]})
        await deliver_in_part(app)
        await app.work_off()
        return {
            path: [each for each in receiver.received if each.path == path and is_delivery(each.document)]
            for path in ("/ours", "/theirs")
        }


def is_delivery(message: dict[str, Any]) -> bool:
    data = message["data"]
    return data.get("status") == "DELIVERED" or data.get("event", {}).get("status_code") == "delivered"


def outcomes(messages: list[Any]) -> dict[str, Any]:
    return {
        each.document["event"]: each.document["data"].get("outcome") or each.document["data"]["event"].get("outcome")
        for each in messages
    }


async def test_the_businesss_messages_include_the_full_outcome(app: App) -> None:
    told = outcomes((await delivered_messages(app))["/ours"])
    assert set(told) == {"order.status_changed", "tracking.updated"}
    for outcome in told.values():
        assert (outcome["handed_to"], outcome["name"], outcome["left_at"]) == (
            "neighbour",
            "Ms Lee",
            "Behind the shed",
        )
        assert (outcome["pieces"]["delivered"], outcome["pieces"]["total"]) == (1, 2)
        assert [each["outcome"] for each in outcome["pieces"]["left"]] == ["missing"]


async def test_a_customers_messages_include_the_public_outcome(app: App) -> None:
    theirs = (await delivered_messages(app))["/theirs"]
    public = {"handed_to": "neighbour", "pieces": {"total": 2, "delivered": 1}}
    assert outcomes(theirs) == {"order.status_changed": public, "tracking.updated": public}
    sent = "".join(each.body.decode() for each in theirs)
    assert "Ms Lee" not in sent
    assert "Behind the shed" not in sent


async def test_the_guide_describes_the_outcome(app: App) -> None:
    guide = await app.answer(None, "get_webhook_guide", {"event": "order.status_changed"})
    assert "outcome" in guide.events[0].data["properties"]
