"""Freight shipments: terms, journey, appointments, charges and their visibility."""

import asyncio
from typing import Any

from tests.contexts.billing.ledger.makers import faults
from tests.contexts.freight.examples import PALLETS, SHIPMENT
from tests.contexts.freight.makers import deliver, make_delivered, make_shipment, set_tariff, take_steps
from tests.support.app import App
from tests.support.transport import make_order

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

DAY = {"window_start": "2031-01-20T13:00:00Z", "window_end": "2031-01-20T15:00:00Z"}


async def refused(app: App, who: str, operation: str, values: dict[str, Any]) -> dict[str, Any]:
    """Call an operation that must fail and return its error."""
    outcome = await app.call(who, operation, values, confirmed=True)
    assert outcome.error, operation
    return outcome.error


async def test_a_class_named_by_the_shipper_takes_precedence_over_the_density(app: App) -> None:
    named = await make_shipment(app, handling_units=[{**PALLETS, "freight_class": "70"}])
    (unit,) = named.handling_units
    assert (unit.freight_class, unit.class_by_density, named.units, named.weight_g) == ("70", False, 3, 750_000)


async def test_without_a_tariff_a_shipment_has_no_price(app: App) -> None:
    assert (await make_shipment(app)).shipping_price is None


async def test_an_update_before_the_pickup_finds_classes_and_price_again(app: App) -> None:
    await set_tariff(app)
    made = await make_shipment(app)
    one = {"freight_shipment_id": made.id}
    half = {**one, "handling_units": [{**PALLETS, "weight_g": 125_000}], "instructions": "Dock 4"}
    changed = (await app.answer("admin", "update_freight_shipment", half)).freight_shipment
    assert (changed.handling_units[0].freight_class, changed.instructions) == ("175", "Dock 4")
    assert changed.shipping_price != made.shipping_price
    kept = (await app.answer("admin", "update_freight_shipment", {**one, "purchase_order": "PO-1"})).freight_shipment
    assert (kept.handling_units[0].freight_class, kept.instructions, kept.accessorials) == (
        "175",
        "Dock 4",
        changed.accessorials,
    )


async def test_hazardous_materials_require_a_un_number_and_an_emergency_phone(app: App) -> None:
    asked = {**SHIPMENT, "handling_units": [{**PALLETS, "hazardous": True}]}
    error = await refused(app, "admin", "create_freight_shipment", asked)
    fields = [each["field"] for each in error["errors"]]
    assert fields == ["handling_units.0.un_number", "handling_units.0.hazard_class", "emergency_phone"]


async def test_a_third_party_payer_must_be_named(app: App) -> None:
    error = await refused(app, "admin", "create_freight_shipment", {**SHIPMENT, "freight_terms": "third_party"})
    assert [each["field"] for each in error["errors"]] == ["bill_to"]


async def test_equal_references_make_one_shipment_and_other_content_is_refused(app: App) -> None:
    asked = {**SHIPMENT, "shipment_ref": "LTL-7"}
    made = await asyncio.gather(*(app.answer("customer", "create_freight_shipment", asked) for _ in range(3)))
    assert len({each.freight_shipment.id for each in made}) == 1
    error = await refused(app, "customer", "create_freight_shipment", {**asked, "instructions": "Dock 9"})
    assert (error["code"], [each["field"] for each in error["errors"]]) == ("CLIENT_KEY_REUSED", ["instructions"])


async def test_customers_see_and_change_only_their_own_shipments_and_rivals_none(app: App) -> None:
    made = await make_shipment(app, "customer")
    one = {"freight_shipment_id": made.id}
    for who in ("customer2", "rival"):
        assert (await refused(app, who, "get_freight_shipment", one))["code"] == "NOT_FOUND"
        assert (await app.answer(who, "list_freight_shipments")).total == 0
    assert (await app.answer("customer", "list_freight_shipments", {"status": "tendered"})).total == 1
    await take_steps(app, made.id, "accept")
    error = await refused(app, "customer", "update_freight_shipment", {**one, "instructions": "Later"})
    assert error["code"] == "FREIGHT_STEP_REFUSED"


async def test_lists_filter_and_page(app: App) -> None:
    made = [await make_shipment(app, shipment_ref=f"LTL-{number}") for number in range(3)]
    page = await app.answer("admin", "list_freight_shipments", {"per_page": 2, "page": 2})
    assert (page.total, [each.id for each in page.freight_shipments]) == (3, [made[0].id])
    found = await app.answer("admin", "list_freight_shipments", {"number": made[1].tracking_number.lower()})
    assert [each.shipment_ref for each in found.freight_shipments] == ["LTL-1"]


async def test_an_appointment_is_requested_confirmed_missed_and_rescheduled(app: App) -> None:
    made = await make_shipment(app, tender=True)
    one = {"freight_shipment_id": made.id, "kind": "pickup"}
    assert (await refused(app, "admin", "set_freight_appointment", {**one, "action": "request"}))["code"] == (
        "INVALID_REQUEST"
    )
    states: list[str] = []
    for action, window in (("request", DAY), ("confirm", {}), ("miss", {}), ("reschedule", DAY)):
        app.clock.forward(minutes=5)
        asked = {**one, "action": action, **window}
        shown = (await app.answer("admin", "set_freight_appointment", asked)).freight_shipment
        states.append(shown.appointments[0].state.value)
    assert states == ["requested", "confirmed", "missed", "requested"]
    told = await app.answer(None, "track_package", {"number": made.tracking_number})
    assert [each.status_code for each in told.events] == [
        "information_submitted",
        "pickup_failed",
        "pickup_rescheduled",
    ]


async def test_a_step_in_the_future_is_refused(app: App) -> None:
    made = await make_shipment(app)
    late = {"freight_shipment_id": made.id, "step": "tender", "occurred_at": "2099-01-01T00:00:00Z"}
    error = await refused(app, "admin", "record_freight_step", late)
    assert [each["field"] for each in error["errors"]] == ["occurred_at"]


async def test_the_customer_is_charged_once_on_delivery_also_beyond_the_credit_limit(app: App) -> None:
    await set_tariff(app)
    made = await make_delivered(app, customer_id=app.ids["customer"])
    assert (made.status.value, made.charged_minor) == ("delivered", made.shipping_price)
    again = {"freight_shipment_id": made.id, "received_by": "Grace"}
    assert (await refused(app, "admin", "deliver_freight_shipment", again))["code"] == "FREIGHT_STEP_REFUSED"
    assert await faults(app) == []


async def test_a_tariff_can_charge_on_pickup(app: App) -> None:
    await set_tariff(app, charge_time="on_pickup")
    made = await make_shipment(app, "customer")
    assert (await take_steps(app, made.id, "accept")).charged_minor is None
    picked = await take_steps(app, made.id, "pick_up")
    assert picked.charged_minor == picked.shipping_price
    assert (await deliver(app, made.id)).charged_minor == picked.charged_minor


async def test_more_units_than_shipped_cannot_be_missing(app: App) -> None:
    made = await make_shipment(app)
    await take_steps(app, made.id, "tender", "accept", "pick_up")
    noted = [{"unit": 1, "kind": "shortage", "quantity": 4}, {"unit": 2, "kind": "damaged"}]
    asked = {"freight_shipment_id": made.id, "received_by": "Grace", "exceptions": noted}
    error = await refused(app, "admin", "deliver_freight_shipment", asked)
    assert [each["field"] for each in error["errors"]] == ["exceptions.0.quantity", "exceptions.1.unit"]


async def test_a_shipment_of_an_order_is_its_fulfilment_until_it_is_cancelled(app: App) -> None:
    order_id = await make_order(app, customer_id=app.ids["customer"])
    made = await make_shipment(app, order_id=order_id)
    listed = (await app.answer("admin", "list_fulfilments", {"order_id": order_id})).fulfilments
    assert [(each.id, each.method, each.status) for each in listed] == [(f"freight-{made.id}", "freight", "waiting")]
    await app.answer("admin", "cancel_freight_shipment", {"freight_shipment_id": made.id})
    listed = (await app.answer("admin", "list_fulfilments", {"order_id": order_id})).fulfilments
    assert [(each.method, each.current) for each in listed] == [("own_fleet", True), ("freight", False)]


async def test_a_cancelled_shipment_stays_cancelled(app: App) -> None:
    made = await make_shipment(app)
    one = {"freight_shipment_id": made.id, "reason": "Kept"}
    for _ in range(2):
        shown = (await app.answer("admin", "cancel_freight_shipment", one)).freight_shipment
        assert (shown.status.value, shown.cancel_reason, shown.next_steps) == ("cancelled", "Kept", [])


async def test_each_part_of_a_price_has_a_name_in_every_language(app: App) -> None:
    await set_tariff(app)
    goods = [{**PALLETS, "weight_g": 3_000, "hazardous": True, "un_number": "UN1263", "hazard_class": "3"}]
    made = await make_shipment(app, handling_units=goods, emergency_phone="+18005550100")
    for language in SUPPORTED_LANGUAGES:
        asked = {"freight_shipment_id": made.id}
        shown = (await app.call("admin", "get_freight_shipment", asked, accept_language=language)).answer
        parts = {line.code: line.name for line in shown.freight_shipment.price_details}
        assert {"linehaul", "minimum", "fuel", "liftgate_delivery", "hazardous", "valuation"} <= parts.keys()
        assert [name for name in parts.values() if "." in name or "_" in name] == []
