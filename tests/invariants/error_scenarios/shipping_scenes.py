"""Carriers and labels: names that are taken, rates that are over, labels that cannot be bought, printed or given back."""

from typing import Any

from tests.contexts.shipping.examples import ADA, HERE, SHIPMENT, TARIFF
from tests.contexts.shipping.makers import a_parcelo_account
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.shipping.labels.store.shipments import shipments
from haulier.contexts.shipping.ports import OutcomeUnknown

HEAVY = {**SHIPMENT, "packages": [{"weight_g": 900_000}]}


async def scene(app: App) -> dict[str, Any]:
    """Two accounts, a draft, a label that was given back, a rate that is over, and one whose carrier owes an answer."""
    owing = await a_parcelo_account(app)
    accounts = (await app.answer("admin", "list_carrier_accounts")).accounts
    house = {"carrier": "HOUSE", "name": "Van", "sender": HERE}
    van = (await app.answer("admin", "open_carrier_account", house)).account.id
    rated = await app.answer("admin", "get_shipping_rate", {**SHIPMENT, "account_ids": [van]})
    app.clock.forward(hours=2)
    owing.before_buying = [OutcomeUnknown("cut off")]
    lost = {"shipment": SHIPMENT, "service": "next_day", "account_id": accounts[0].id}
    await app.answer("admin", "create_shipping_label", lost)
    named = {"shipment": SHIPMENT, "service": "ground", "account_id": van}
    gone = (
        await app.answer("admin", "create_shipping_label", {**named, "order_ref": "gone", "draft": True})
    ).shipment.id
    await app.answer("admin", "cancel_shipping_label", {"shipment_id": gone}, confirmed=True)
    bought = (await app.answer("admin", "create_shipping_label", {**named, "order_ref": "taken"})).shipment.id
    moved = (await app.answer("admin", "create_shipping_label", named)).shipment.id
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(shipments.update().where(shipments.c.id == moved).values(state="delivered"))
    draft = (
        await app.answer("admin", "create_shipping_label", {**named, "order_ref": "draft", "draft": True})
    ).shipment.id
    theirs = {**named, "order_ref": "theirs", "draft": True}
    poor = (await app.answer("customer", "create_shipping_label", theirs)).shipment.id
    return {
        "van": van, "owing": accounts[0].id, "rate": rated.rates[0].rate_id, "gone": gone, "draft": draft, "moved": moved,
        "bought": bought, "poor": poor,
    }  # fmt: skip


def attempts(ids: dict[str, Any]) -> Attempts:
    """How each refusal is met."""
    van = {"account_id": ids["van"]}
    elsewhere = {**SHIPMENT, "consignee": {**ADA, "name": "Bob"}}
    named = {"shipment": elsewhere, "service": "ground", **van}
    return {
        ("open_carrier_account", "CARRIER_ACCOUNT_NAME_TAKEN"): ("admin", {"carrier": "HOUSE", "name": "Van"}),
        ("update_carrier_account", "CARRIER_ACCOUNT_NAME_TAKEN"): ("admin", {**van, "name": "Parcelo"}),
        ("open_carrier_account", "CARRIER_SECRETS_NOT_KEPT"): (
            "admin",
            {"carrier": "PARCELO", "name": "Keyed", "credentials": {"api_key": "k"}},
        ),
        ("update_carrier_account", "CARRIER_SECRETS_NOT_KEPT"): (
            "admin",
            {"account_id": ids["owing"], "credentials": {"api_key": "k"}},
        ),
        ("close_carrier_account", "CARRIER_ACCOUNT_IN_USE"): ("admin", {"account_id": ids["owing"]}),
        ("set_house_tariff", "NOT_FOUND"): ("admin", {"account_id": 999_999, "tariff": TARIFF}),
        ("create_shipping_label", "SHIPMENT_REF_TAKEN"): ("admin", {**named, "order_ref": "taken"}),
        ("create_shipping_label", "SHIPPING_RATE_EXPIRED"): ("admin", {"rate_id": ids["rate"]}),
        ("create_shipping_label", "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {**named, "shipment": HEAVY}),
        ("create_shipping_label", "CREDIT_INSUFFICIENT"): ("customer", named),
        ("quote_and_ship", "CREDIT_INSUFFICIENT"): ("customer", {"shipment": SHIPMENT}),
        ("submit_shipping_information", "CREDIT_INSUFFICIENT"): ("customer", {"shipment_id": ids["poor"]}),
        ("create_shipping_label", "NOT_FOUND"): ("admin", {"rate_id": "99999-1"}),
        ("quote_and_ship", "SHIPMENT_REF_TAKEN"): ("admin", {"shipment": elsewhere, "order_ref": "taken"}),
        ("quote_and_ship", "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {"shipment": SHIPMENT, "max_price": 1}),
        ("quote_and_ship", "NOT_FOUND"): ("admin", {"shipment": SHIPMENT, "account_ids": [999_999]}),
        ("get_shipping_rate", "NOT_FOUND"): ("admin", {**SHIPMENT, "account_ids": [999_999]}),
        ("compare_all_carriers", "NOT_FOUND"): ("admin", {**SHIPMENT, "account_ids": [999_999]}),
        ("submit_shipping_information", "SHIPMENT_STEP_REFUSED"): ("admin", {"shipment_id": ids["moved"]}),
        ("submit_shipping_information", "SHIPPING_RATE_NOT_AVAILABLE"): (
            "admin",
            {"shipment_id": ids["draft"], "shipment": HEAVY},
        ),
        ("cancel_shipping_label", "SHIPMENT_STEP_REFUSED"): ("admin", {"shipment_id": ids["moved"]}),
        ("get_shipping_label", "LABEL_NOT_BOUGHT"): ("admin", {"shipment_id": ids["draft"]}),
        ("download_shipping_label", "LABEL_NOT_BOUGHT"): ("admin", {"shipment_id": ids["draft"]}),
        ("end_of_day", "NOT_FOUND"): ("admin", {"account_ids": [999_999]}),
    }
