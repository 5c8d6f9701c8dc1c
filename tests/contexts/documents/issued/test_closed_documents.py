"""Closed documents keep their bytes when their source records change."""

import json
from typing import Any

import msgspec
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.contexts.documents.issued.document_makers import file_of, make_issued_document
from tests.contexts.recipients.makers import make_delivered_order
from tests.contexts.shipping.makers import ADA, SENDER, buy, make_platform_account, rates_of
from tests.support.app import App
from tests.support.transport import make_contact

UNDER_WAY = {"paid_minor", "credited_minor", "refundable_minor", "due_minor", "status", "paid_at", "overdue"}
"""Payment fields of an invoice that are not part of the document."""

OF_ORDERS = ("proof_of_delivery", "labels", "packing_slip")


async def as_answered(app: App, operation: str, **values: Any) -> str:
    """An answer as it is written, without the progress of a payment."""

    def kept(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: kept(value) for name, value in part.items() if name not in UNDER_WAY}
        return [kept(each) for each in part] if isinstance(part, list) else part

    return json.dumps(kept(msgspec.to_builtins(await app.answer("admin", operation, values))), default=str)


async def test_closed_documents_are_unaffected_by_later_writes(app: App) -> None:
    await make_billing_business(app)
    account = await make_platform_account(app)
    order, _ = await make_delivered_order(app)
    label = await buy(app, "customer")
    exported = await _make_export(app)
    (manifest,) = (await app.answer("admin", "end_of_day", {}, confirmed=True)).manifests
    await charged(app, 1000, 400)
    invoice = await issued(app)
    await app.work_off()
    about = [
        *[await make_issued_document(app, kind=kind, order_ids=[order.id]) for kind in OF_ORDERS],
        await make_issued_document(app, kind="manifest", manifest_id=manifest.id),
        await make_issued_document(app, kind="commercial_invoice", shipment_ids=[exported.id]),
    ]
    today = app.clock().date().isoformat()
    customer = app.ids["customer"]
    reads: dict[str, dict[str, Any]] = {
        "get_invoice": {"invoice_id": invoice.id},
        "get_invoice_file": {"invoice_id": invoice.id},
        "get_credit_statement": {"customer_id": customer, "date_to": today},
        "get_shipping_manifest": {"manifest_id": manifest.id},
        "get_shipping_label": {"shipment_id": label.id},
    }
    before = {name: await as_answered(app, name, **values) for name, values in reads.items()}
    files = [await file_of(app, document) for document in about]

    app.clock.forward(days=1)
    await _change_every_record(app, order.id, account, customer)
    refunded = {"shipment_id": label.id}
    assert (await app.call("customer", "cancel_shipping_label", refunded, confirmed=True)).status == 409
    await app.work_off()

    after = {name: await as_answered(app, name, **values) for name, values in reads.items()}
    assert [name for name in reads if after[name] != before[name]] == []
    assert [await file_of(app, document) for document in about] == files
    await app.answer("admin", "cancel_shipping_label", refunded, confirmed=True)
    await app.work_off()
    del reads["get_shipping_label"]  # a void label is no longer printed
    again = {name: await as_answered(app, name, **values) for name, values in reads.items()}
    changed = {name for name in reads if again[name] != before[name] and name != "get_shipping_manifest"}
    assert changed <= {"get_shipping_label"}
    assert (
        json.loads(again["get_shipping_manifest"])["shipment_ids"]
        == json.loads(before["get_shipping_manifest"])["shipment_ids"]
    )
    assert await file_of(app, about[3]) == files[3]


async def _make_export(app: App) -> Any:
    """A label across a border."""
    goods = {"description": "Shoes", "quantity": 1, "unit_value": 1250, "unit_weight_g": 400, "origin_country": "PT"}
    abroad = {**ADA, "city": "Albany", "region": "NY", "postal_code": "12207", "country": "US"}
    rated = await rates_of(app, consignee=abroad, customs_items=[goods])
    sold = {"rate_id": rated.rates[0].rate_id, "order_ref": "A-7"}
    return (await app.answer("admin", "create_shipping_label", sold)).shipment


async def _change_every_record(app: App, order_id: int, account_id: int, customer: int) -> None:
    """Rename, move, correct and configure what documents were made from."""
    settings = {**SETTINGS, "issuer_lines": ["9 New Road"], "tax_name": "VAT", "tax_rate_bp": 500}
    terms = {"customer_id": customer, "period": "month", "billing_name": "Moved", "address_lines": ["2 Elsewhere"]}
    sender = {**SENDER, "name": "Other shop"}
    writes: list[tuple[str, dict[str, Any]]] = [
        ("update_user", {"user_id": customer, "name": "Another Name Ltd"}),
        ("update_client", {"name": "Renamed Deliveries"}),
        ("set_invoicing_settings", settings),
        ("set_billing_terms", terms),
        ("update_carrier_account", {"account_id": account_id, "name": "Other van", "sender": sender}),
        ("undo_delivery", {"order_id": order_id, "reason": "The driver pressed the wrong stop."}),
        ("create_address", {**ADA, "name": "Moved"}),
    ]
    for operation, values in writes:
        await app.answer("admin", operation, values, confirmed=True)
    await charged(app, 250)
    await issued(app)
    await app.answer("admin", "create_order", {"consignee": make_contact()})
    await app.answer("admin", "end_of_day", {}, confirmed=True)
