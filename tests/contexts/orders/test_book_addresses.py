"""Orders use addresses from the address book."""

from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

ADA: dict[str, Any] = {
    "name": "Ada",
    "address": "1 Front St",
    "city": "Toronto",
    "country": "CA",
    "postal_code": "M5V 2T6",
    "phone": "+14165550100",
    "lat": 43.64,
    "lng": -79.38,
    "access_notes": "Ring twice.",
    "gate_code": "1234#",
}


async def in_the_book(app: App, **changes: Any) -> int:
    return (await app.answer("admin", "create_address", ADA | changes)).address.id


async def test_an_order_copies_named_addresses_and_keeps_their_text(app: App) -> None:
    ada, depot = await in_the_book(app), await in_the_book(app, name="Depot", address="9 King St", lat=43.65, lng=-79.4)
    request = {"type": "P2P", "recipient_address_id": ada, "sender_address_id": depot}
    order_id = (await app.answer("admin", "create_order", request)).order.id
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.consignee.name, order.consignee.lat, order.shipper.address) == ("Ada", 43.64, "9 King St")
    assert order.consignee.notes == "Ring twice.", "the gate code stays in the book"
    await app.answer("admin", "update_address", {"address_id": ada, "name": "Bob"})
    assert (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.consignee.name == "Ada"
    elsewhere = {"order_id": order_id, "address": ADDRESS}
    assert (await app.answer("admin", "reroute_to_address", elsewhere)).order.id != order_id


async def test_an_unknown_address_refuses_only_its_own_order(app: App) -> None:
    ada = await in_the_book(app)
    rows = [{"recipient_address_id": ada}, {"recipient_address_id": 9_999}, {"consignee": ADDRESS}]
    done = await app.answer("admin", "bulk_create_orders", {"orders": rows})
    assert [outcome.state for outcome in done.outcomes] == ["created", "refused", "created"]
    (fault,) = done.outcomes[1].errors
    assert (fault.field, fault.code) == ("recipient_address_id", "NO_SUCH_ADDRESS")


async def test_using_a_book_address_requires_access_to_the_book(app: App) -> None:
    ada = await in_the_book(app)
    for who, request, fault in (
        ("rival", {"recipient_address_id": ada}, ("recipient_address_id", "NO_SUCH_ADDRESS")),
        ("customer", {"recipient_address_id": ada}, ("recipient_address_id", "NO_SUCH_ADDRESS")),
        ("admin", {"recipient_address_id": ada, "consignee": ADDRESS}, ("", "RECIPIENT_GIVEN_TWICE")),
        ("admin", {"type": "P", "shipper": ADDRESS, "sender_address_id": ada}, ("", "SENDER_GIVEN_TWICE")),
    ):
        result = await app.call(who, "create_order", request)
        assert result.error, who
        assert [(each["field"], each["code"]) for each in result.error["errors"]] == [fault], who
