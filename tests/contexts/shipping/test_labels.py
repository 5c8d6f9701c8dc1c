"""Labels are rated, bought, printed and voided."""

from base64 import b64decode

from tests.contexts.shipping.examples import TARIFF
from tests.contexts.shipping.makers import (
    ADA,
    SHIPMENT,
    buy,
    codes_of,
    make_parcelo_account,
    make_platform_account,
    rates_of,
    shipment_now,
)
from tests.support.app import App


async def test_a_label_is_bought_at_the_quoted_rate(app: App) -> None:
    account = await make_platform_account(app)
    rated = await rates_of(app)
    assert [(each.service, each.shipping_price, each.currency) for each in rated.rates] == [
        ("ground", 972, "CAD"),
        ("express", 1750, "CAD"),
    ]
    assert [(part.code, part.amount) for part in rated.rates[0].price_details] == [("base", 900), ("fuel", 72)]
    dearer = {**TARIFF, "zones": [{"code": "city", "steps": [{"up_to_g": 30_000, "amount": 90_000}]}]}
    await app.answer("admin", "set_carrier_tariff", {"account_id": account, "tariff": dearer})
    assert [each.shipping_price for each in (await rates_of(app)).rates] == [90_000]
    shipment = (
        await app.answer(
            "admin",
            "create_shipping_label",
            {"rate_id": rated.rates[0].rate_id, "order_ref": "A-1", "label_format": "zpl"},
        )
    ).shipment
    assert (shipment.state, shipment.shipping_price, shipment.service) == ("purchased", 972, "ground")
    (parcel,) = shipment.parcels
    assert parcel.tracking_number == shipment.tracking_number
    label = await app.answer("admin", "get_shipping_label", {"tracking_number": parcel.tracking_number})
    assert parcel.tracking_number.encode() in b64decode(label.document)


async def test_a_carrier_label_cannot_reconfigure_a_printer_and_an_unusual_one_is_kept_unchanged(app: App) -> None:
    carrier = await make_parcelo_account(app)
    kept: list[bytes] = []
    for before in (b"^XA^MMT^PR12^XZ~JR", b"^XA^CC+^XZ"):
        carrier.before_label = before
        bought = (
            await app.answer("admin", "create_shipping_label", {"shipment": SHIPMENT, "service": "next_day"})
        ).shipment
        label = await app.answer("admin", "get_shipping_label", {"shipment_id": bought.id})
        kept.append(b64decode(label.document))
    assert not any(command in kept[0] for command in (b"^MMT", b"^PR", b"~JR"))
    assert bought.tracking_number.encode() in kept[1]
    assert kept[1].startswith(b"^XA^CC+^XZ")


async def test_a_repeat_buys_no_second_label(app: App) -> None:
    await make_platform_account(app)
    rated = await rates_of(app)
    by_rate = {"rate_id": rated.rates[0].rate_id}
    first = await app.answer("admin", "create_shipping_label", by_rate)
    again = await app.answer("admin", "create_shipping_label", by_rate)
    assert (first.existing, again.existing, again.shipment.id) == (False, True, first.shipment.id)
    assert again.shipment.state == "purchased"
    named = {"shipment": SHIPMENT, "service": "ground", "order_ref": "A-1"}
    first = await app.answer("admin", "create_shipping_label", named)
    again = await app.answer("admin", "create_shipping_label", named)
    assert again.shipment.id == first.shipment.id
    other = {**named, "shipment": {**SHIPMENT, "consignee": {**ADA, "name": "Bob"}}}
    refused = await app.call("admin", "create_shipping_label", other)
    assert refused.error
    assert refused.error["code"] == "SHIPMENT_REF_TAKEN"
    assert [fault["field"] for fault in refused.error["errors"]] == ["shipment.consignee.name"]


async def test_voiding_a_label_releases_its_reference(app: App) -> None:
    await make_platform_account(app)
    bought = await buy(app, order_ref="A-1")
    app.clock.forward(minutes=1)
    voided = await app.answer("admin", "cancel_shipping_label", {"shipment_id": bought.id}, confirmed=True)
    assert voided.shipment.state == "voided"
    refused = await app.call("admin", "get_shipping_label", {"shipment_id": bought.id})
    assert refused.error
    assert refused.error["code"] == "LABEL_NOT_BOUGHT"
    assert await codes_of(app, bought.tracking_number) == ["label_created", "cancelled"]
    anew = await buy(app, order_ref="A-1")
    assert anew.id != bought.id
    assert (await shipment_now(app, bought.id)).state == "voided"
