"""Quotes with order addresses and assumptions, and their binding price."""

from typing import Any

from tests.contexts.orders.examples import RATE_CARD
from tests.support.app import App
from tests.support.transport import make_contact, status_and_code

FROM = make_contact(lat=43.65, lng=-79.38)
TO = make_contact(lat=43.70, lng=-79.40)


async def quote(app: App, who: str = "customer", **words: Any) -> Any:
    return await app.answer(who, "quote_delivery", {"shipper": FROM, "consignee": TO, "type": "P2P", **words})


async def order(app: App, who: str = "customer", **words: Any) -> Any:
    return await app.call(who, "create_order", {"shipper": FROM, "consignee": TO, "type": "P2P", **words})


def differing(outcome: Any) -> list[str]:
    assert status_and_code(outcome) == (409, "QUOTE_MISMATCH")
    return [error["field"] for error in outcome.error["errors"]]


async def test_an_empty_quote_request_is_refused(app: App) -> None:
    for asked in ({}, {"weight_g": 500}, {"consignee": {"name": "Ada", "phone": "+14165550100"}}):
        outcome = await app.call("customer", "quote_delivery", asked)
        assert outcome.error
        assert (outcome.status, outcome.error["errors"][0]["code"]) == (422, "PLACE_NEEDED")


async def test_a_quote_states_if_the_distance_was_estimated(app: App) -> None:
    assert not (await quote(app)).distance_assumed
    blind = await quote(app, consignee={name: TO[name] for name in ("name", "address", "city", "country")})
    assert (blind.distance_assumed, blind.distance_m) == (True, 10_000)


async def test_a_quoted_price_stays_valid_when_the_rate_card_changes(app: App) -> None:
    quoted = await quote(app)
    app.clock.forward(minutes=1)
    await app.answer("admin", "set_rate_card", {"rate_card": RATE_CARD})
    taken = (await order(app, quote_id=quoted.quote_id)).answer.order
    standard = next(rate for rate in quoted.rates if rate.service == "standard")
    assert taken.shipping_price == standard.shipping_price
    assert (await order(app)).answer.order.shipping_price != standard.shipping_price


async def test_an_order_that_differs_from_its_quote_is_refused_with_the_differing_fields(app: App) -> None:
    quote_id = (await quote(app)).quote_id
    assert differing(await order(app, quote_id=quote_id, consignee=FROM)) == ["consignee"]
    assert differing(await order(app, quote_id=quote_id, packages=[{"weight_g": 9000}], cod_minor=500)) == [
        "packages",
        "cod_minor",
    ]
    assert differing(await order(app, quote_id=quote_id, type="D", signature_required=True)) == [
        "signature_required",
        "type",
    ]
    assert (await app.answer("admin", "get_orders")).total == 0


async def test_a_quote_expires(app: App) -> None:
    quoted = await quote(app)
    app.clock.forward(hours=24, seconds=1)
    assert app.clock() > quoted.expires_at
    assert status_and_code(await order(app, quote_id=quoted.quote_id)) == (409, "QUOTE_EXPIRED")


async def test_a_foreign_or_invented_quote_is_unknown(app: App) -> None:
    for quote_id in ((await quote(app, "rival")).quote_id, "made-up", "e30", "AAAA"):
        outcome = await order(app, quote_id=quote_id)
        assert outcome.error
        assert (outcome.status, outcome.error["errors"][0]["code"]) == (422, "QUOTE_UNKNOWN")


async def test_bulk_orders_can_be_created_from_quotes(app: App) -> None:
    quoted = await quote(app)
    rows = [{"shipper": FROM, "consignee": TO, "type": kind, "quote_id": quoted.quote_id} for kind in ("P2P", "D")]
    done = await app.answer("admin", "bulk_create_orders", {"orders": rows})
    assert [(each.state, each.code) for each in done.outcomes] == [("created", None), ("refused", "QUOTE_MISMATCH")]


async def test_a_pickup_is_quoted_by_the_shippers_postal_code(app: App) -> None:
    sender = make_contact("K1A 0B1", lat=43.65, lng=-79.38)
    quoted = await app.answer("customer", "quote_delivery", {"shipper": sender, "type": "P"})
    asked = {"shipper": sender, "type": "P", "quote_id": quoted.quote_id}
    assert (await app.call("customer", "create_order", asked)).status == 200
