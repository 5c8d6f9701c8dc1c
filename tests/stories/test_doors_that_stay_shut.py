"""An absent recipient and an unknown address: notified, retried and concluded."""

from typing import Any

from tests.contexts.recipients.makers import mails_to, make_recipient
from tests.stories.people import People
from tests.support.app import App

MISSED, RETURNED = "We missed you", "Your parcel is being returned"


async def opens(people: People, order_id: int, proof: str = "M5V 2T6") -> dict[str, str]:
    """The recipient proves who they are; what they send along from then on."""
    number = (await people.does("admin", f"GET /v1/orders/{order_id}"))["order"]["tracking_number"]
    opened = await people.does(None, "POST /v1/tracking/deliveries/open", number=number, proof=proof)
    return {"access": opened["access"]}


async def sent_by_a_shop(people: People, **words: Any) -> int:
    """An order of a customer's whose recipient has a mailbox."""
    messages = {"missed": "email", "returned": "email"}
    await people.does("admin", "PUT /v1/client/profile/recipient-messages", **messages)
    return await people.order("customer", consignee=make_recipient(), **words)


async def test_a_recipient_is_never_at_home(sqlite_app: App) -> None:
    people, app = People(sqlite_app), sqlite_app
    await people.does("admin", "PUT /v1/orders/redelivery-policy", max_attempts=2)
    order_id = await sent_by_a_shop(people)
    dan = await people.driver("Dan", "driver")

    # The first attempt fails; the recipient is notified and chooses a safe place.
    route = await people.route("admin", [order_id], dan)
    await people.starts("driver", route)
    await people.fails("driver", route, order_id)
    assert await mails_to(app) == [MISSED]
    access = await opens(people, order_id)
    said = {"instruction": "Ring at the bakery.", "neighbour": "Ms Roy, unit 4"}
    await people.does(None, "POST /v1/tracking/deliveries/instruction", **access, **said)
    await people.comes_home("driver", route)

    # On the second day the driver sees it, but the recipient is absent: the order waits for a decision.
    tomorrow = await people.next_day()
    again = await people.does("customer", f"POST /v1/orders/{order_id}/redelivery", scheduled_date=tomorrow)
    assert again["attempts_left"] == 1
    route = await people.route("admin", [order_id], dan, tomorrow)
    (stop,) = (await people.does("driver", "GET /v1/rider/routes/today"))["routes"][0]["route"]["stops"]
    assert "Neighbour: Ms Roy, unit 4" in str(stop)
    await people.starts("driver", route)
    await people.fails("driver", route, order_id)
    assert await mails_to(app) == [MISSED, MISSED]
    await people.comes_home("driver", route)
    assert await people.status(order_id) == "HOLD"
    refused = await people.tries("customer", f"POST /v1/orders/{order_id}/redelivery")
    assert refused == (409, "REDELIVERY_USED_UP")

    # The customer requests a return; everyone is notified, and no route contains the order.
    app.clock.forward(minutes=30)
    await people.does("customer", f"POST /v1/orders/{order_id}/return", reason="We will write to them.")
    assert await people.status(order_id) == "RETURNED"
    codes = await people.timeline(order_id)
    assert (codes.count("delivery_failed"), codes[-1]) == (2, "returned")
    assert await mails_to(app) == [MISSED, MISSED, RETURNED]
    assert (await people.does("admin", "GET /v1/planning-pool"))["orders"] == []


async def test_an_address_cannot_be_found(sqlite_app: App) -> None:
    people, app = People(sqlite_app), sqlite_app
    order_id = await sent_by_a_shop(people)
    dan = await people.driver("Dan", "driver")
    route = await people.route("admin", [order_id], dan)
    await people.starts("driver", route)
    await people.fails("driver", route, order_id, "address_incorrect")
    await people.comes_home("driver", route)
    assert await mails_to(app) == [MISSED]

    # Staff see the reason; so does the sender, who is asked and corrects the address.
    (problem,) = (await people.does("admin", "GET /v1/orders/exceptions"))["exceptions"]
    (why,) = problem["problems"]
    assert (problem["order_id"], why["kind"], why["reason"]) == (order_id, "failed", "address_incorrect")
    mine = (await people.does("customer", f"GET /v1/orders/{order_id}"))["order"]
    assert {"redeliver", "correct_address", "return"} <= set(mine["allowed_actions"])
    place = {"address": "102 Queen St W", "city": "Toronto", "country": "CA", "postal_code": "M5V 2T7"}
    corrected = await people.does("customer", f"PUT /v1/orders/{order_id}/address", place=place)
    assert [each["code"] for each in corrected["warnings"]] == ["NO_COORDINATES"]
    located = {**place, "lat": 43.651, "lng": -79.384}
    await people.does("admin", f"PUT /v1/orders/{order_id}/address", place=located)

    # The recipient says how to find the door, with the postal code that holds now.
    access = await opens(people, order_id, "M5V 2T7")
    await people.does(None, "POST /v1/tracking/deliveries/instruction", **access, instruction="Blue door.")

    tomorrow = await people.next_day()
    await people.does("customer", f"POST /v1/orders/{order_id}/redelivery", scheduled_date=tomorrow)
    route = await people.route("admin", [order_id], dan, tomorrow)
    (stop,) = (await people.does("driver", "GET /v1/rider/routes/today"))["routes"][0]["route"]["stops"]
    assert "102 Queen St W" in str(stop)
    assert "Blue door." in str(stop)
    await people.starts("driver", route)
    await people.delivers("driver", route, order_id, recipient="Ada Lovelace")
    await people.comes_home("driver", route)

    assert (await people.timeline(order_id))[-1] == "delivered"
    proof = await people.does("customer", f"GET /v1/orders/{order_id}/proof")
    assert proof["proof"]["recipient"] == "Ada Lovelace"
    order = (await people.does("customer", f"GET /v1/orders/{order_id}"))["order"]
    assert (order["tracking_number"], order["shipping_price"]) == (mine["tracking_number"], mine["shipping_price"])
