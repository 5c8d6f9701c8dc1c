"""Errors of carriers and labels: names in use, expired rates, label operations."""

from typing import Any

from tests.contexts.shipping.examples import ADA, HERE, PRESET, RULE, SHIPMENT, TARIFF
from tests.contexts.shipping.makers import make_parcelo_account
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.billing.public import top_up
from haulier.contexts.shipping.labels.store import shipments
from haulier.contexts.shipping.ports import OutcomeUnknown
from haulier.kernel.call import call_as_system
from haulier.kernel.data.tables import metadata
from haulier.kernel.values.money import Money

SPENT = 100_000
HEAVY = {**SHIPMENT, "packages": [{"weight_g": 900_000}]}


async def scene(app: App) -> dict[str, Any]:
    """Create two accounts, a draft, a voided label, and an expired rate.

    A purchase at one of the carriers has an unknown outcome.
    """
    owing = await make_parcelo_account(app)
    accounts = (await app.answer("admin", "list_carrier_accounts")).accounts
    house = {"carrier": "HOUSE", "name": "Van", "sender": HERE}
    van = (await app.answer("admin", "open_carrier_account", house)).account.id
    rated = await app.answer("admin", "get_shipping_rate", {**SHIPMENT, "account_ids": [van]})
    known = {**SHIPMENT, "quote_labels": True, "account_ids": [van]}
    old = (await app.answer("admin", "uniorder_rate", known)).rates
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
    presets = [
        (await app.answer("admin", "create_package_preset", {**PRESET, "name": name})).package_preset.id
        for name in ("Taken", "Other")
    ]
    await app.answer("admin", "create_shipping_rule", RULE)
    return {
        "preset": presets[1],
        **await uniorder_scene(app, van, known),
        "uni_old": next(each.rate_id for each in old if each.kind == "label"),
        "van": van, "owing": accounts[0].id, "rate": rated.rates[0].rate_id, "gone": gone, "draft": draft, "moved": moved,
        "bought": bought, "poor": poor,
    }  # fmt: skip


async def give_credit(app: App, who: str) -> None:
    """Give credit to a customer."""
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await top_up(call, app.ids[who], Money(SPENT, "CAD"), key=f"scene:{who}")


async def uniorder_scene(app: App, van: int, known: dict[str, Any]) -> dict[str, Any]:
    """Create completed orders of each kind, failed labels, and an ended job."""
    by_label = {"order": SHIPMENT, "kind": "label", "service": "ground", "account_id": van}
    local = (await app.answer("admin", "uniorder_create", {"order": SHIPMENT, "order_ref": "uni-taken"})).order
    labels = [(await app.answer("admin", "uniorder_create", by_label)).order for _ in range(2)]
    await give_credit(app, "customer2")
    theirs = (await app.answer("customer2", "uniorder_create", by_label)).order
    spent = {"customer_id": app.ids["customer2"], "reference": "all", "reason": "spent"}
    await app.answer("admin", "adjust_credit", {**spent, "amount_minor": (theirs.shipping_price or 0) - SPENT})
    states = {labels[0].shipment_id: "delivered", labels[1].shipment_id: "failed", theirs.shipment_id: "failed"}
    orders = metadata.tables["delivery_order"]
    async with app.database.write(app.clients["demo"]) as work:
        for id, state in states.items():
            await work.run(shipments.update().where(shipments.c.id == id).values(state=state))
        await work.run(orders.update().where(orders.c.id == local.local_order_id).values(status=6))
    other = (await app.answer("admin", "uniorder_rate", {**known, "consignee": {**ADA, "name": "Bob"}})).rates
    job = await app.answer("admin", "uniorder_rate_batch_async", {"shipments": [SHIPMENT]})
    await app.answer("admin", "cancel_uniorder_job", {"jobId": job.job_id})
    return {
        "uni_local": local.id, "uni_done": labels[0].id, "uni_failed": labels[1].id, "uni_poor": theirs.id,
        "uni_other": next(each.rate_id for each in other if each.kind == "label"), "uni_job": job.job_id,
    }  # fmt: skip


def uniorder_attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error of Uniorders."""
    elsewhere = {**SHIPMENT, "consignee": {**ADA, "name": "Bob"}}
    by_label = {"order": elsewhere, "kind": "label", "service": "ground", "account_id": ids["van"]}
    far = {**SHIPMENT, "consignee": {**ADA, "lat": -33.9, "lng": 151.2}, "shipper": {**HERE, "lat": 43.6, "lng": -79.4}}
    failed = {"orderId": ids["uni_failed"]}
    create, purchase = "uniorder_create", "uniorder_purchase_label"
    return {
        (create, "NOT_FOUND"): ("admin", {"rate_id": "u99999-l0"}),
        (create, "ORDER_REF_TAKEN"): ("admin", {"order": elsewhere, "order_ref": "uni-taken"}),
        (create, "SERVICE_UNKNOWN"): ("admin", {"order": SHIPMENT, "service": "teleport"}),
        (create, "RATE_NOT_AVAILABLE"): ("admin", {"order": far}),
        (create, "CREDIT_INSUFFICIENT"): ("customer", by_label),
        (create, "SHIPMENT_REF_TAKEN"): ("admin", {**by_label, "order_ref": "taken"}),
        (create, "SHIPPING_RATE_EXPIRED"): ("admin", {"rate_id": ids["uni_old"]}),
        (create, "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {**by_label, "order": HEAVY}),
        (purchase, "UNIORDER_HAS_NO_LABEL"): ("admin", {"orderId": ids["uni_local"]}),
        (purchase, "SHIPMENT_STEP_REFUSED"): ("admin", {"orderId": ids["uni_done"]}),
        (purchase, "QUOTE_MISMATCH"): ("admin", {**failed, "rate_id": ids["uni_other"]}),
        (purchase, "SHIPPING_RATE_EXPIRED"): ("admin", {**failed, "rate_id": ids["uni_old"]}),
        (purchase, "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {**failed, "service": "teleport"}),
        (purchase, "CREDIT_INSUFFICIENT"): ("customer2", {"orderId": ids["uni_poor"]}),
        ("uniorder_cancel", "ORDER_STEP_REFUSED"): ("admin", {"orderId": ids["uni_local"]}),
        ("uniorder_cancel", "SHIPMENT_STEP_REFUSED"): ("admin", {"orderId": ids["uni_done"]}),
        ("uniorder_label", "LABEL_NOT_BOUGHT"): ("admin", failed),
        ("uniorder_rate", "NOT_FOUND"): ("admin", {**SHIPMENT, "quote_labels": True, "account_ids": [999_999]}),
        ("cancel_uniorder_job", "UNIORDER_JOB_IS_OVER"): ("admin", {"jobId": ids["uni_job"]}),
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    return {**label_attempts(ids), **uniorder_attempts(ids)}


def label_attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error of carriers and labels."""
    van = {"account_id": ids["van"]}
    elsewhere = {**SHIPMENT, "consignee": {**ADA, "name": "Bob"}}
    named = {"shipment": elsewhere, "service": "ground", **van}
    return {
        ("create_package_preset", "PACKAGE_PRESET_NAME_TAKEN"): ("admin", {**PRESET, "name": "Taken"}),
        ("update_package_preset", "PACKAGE_PRESET_NAME_TAKEN"): (
            "admin",
            {"package_preset_id": ids["preset"], "name": "Taken"},
        ),
        ("reorder_shipping_rules", "SHIPPING_RULES_CHANGED"): ("admin", {"rule_ids": [999_999]}),
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
        ("set_carrier_tariff", "NOT_FOUND"): ("admin", {"account_id": 999_999, "tariff": TARIFF}),
        ("create_shipping_label", "SHIPMENT_REF_TAKEN"): ("admin", {**named, "order_ref": "taken"}),
        ("create_shipping_label", "SHIPPING_RATE_EXPIRED"): ("admin", {"rate_id": ids["rate"]}),
        ("create_shipping_label", "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {**named, "shipment": HEAVY}),
        ("create_shipping_label", "CREDIT_INSUFFICIENT"): ("customer", named),
        ("quote_and_ship", "CREDIT_INSUFFICIENT"): ("customer", {"shipment": SHIPMENT}),
        ("submit_shipping_information", "CREDIT_INSUFFICIENT"): ("customer", {"shipment_id": ids["poor"]}),
        ("create_shipping_label", "NOT_FOUND"): ("admin", {"rate_id": "99999-1"}),
        ("quote_and_ship", "SHIPMENT_REF_TAKEN"): ("admin", {"shipment": elsewhere, "order_ref": "taken"}),
        ("quote_and_ship", "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {"shipment": SHIPMENT, "max_price_minor": 1}),
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
