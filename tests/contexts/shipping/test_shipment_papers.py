"""Shipment documents: customs invoices and carrier manifests."""

from typing import Any

from tests.contexts.documents.issued.document_makers import file_of, make_issued_document
from tests.contexts.shipping.makers import ADA, buy, make_parcelo_account, rates_of
from tests.rendering.label_makers import text_of
from tests.support.app import App
from tests.support.transport import status_and_code

ABROAD = {**ADA, "city": "Albany", "region": "NY", "postal_code": "12207", "country": "US", "company": "Lovelace Ltd"}
SHOES = {"description": "Shoes", "quantity": 3, "unit_value": 1250, "unit_weight_g": 400, "origin_country": "PT"}
BOOK = {"description": "Book", "quantity": 1, "unit_value": 999, "origin_country": "CA", "hs_code": "4901.99"}


def abroad(**changes: Any) -> dict[str, Any]:
    """Return a cross-border shipment."""
    return {
        "consignee": ABROAD,
        "packages": [{"weight_g": 1500}],
        "customs_items": [SHOES, BOOK],
        "customs_reason": "sample",
        "incoterm": "DAP",
        **changes,
    }


async def bought_abroad(app: App, **changes: Any) -> Any:
    """A label for it."""
    rate = (await rates_of(app, **abroad(**changes))).rates[0].rate_id
    return (await app.answer("admin", "create_shipping_label", {"rate_id": rate, "order_ref": "A-7"})).shipment


async def test_a_commercial_invoice_lists_the_exported_goods(app: App) -> None:
    await make_parcelo_account(app)
    shipment = await bought_abroad(app)
    document = await make_issued_document(app, kind="commercial_invoice", shipment_ids=[shipment.id])
    assert (document.state, document.subject, document.total) == ("issued", "shipments", 1)
    text = "\n".join(text_of(await file_of(app, document)))
    for words in ("Commercial invoice", "Lovelace Ltd", "Shoes", "PT", "4901.99", "12.50", "37.50", "1.20 kg"):
        assert words in text, words
    for words in ("Commercial sample", "DAP", "A-7", shipment.tracking_number, "47.49"):
        assert words in text, words
    listed = (await app.answer("admin", "list_documents", {"shipment_id": shipment.id})).documents
    assert [one.id for one in listed] == [document.id]


async def test_an_invoice_requires_goods_and_a_label(app: App) -> None:
    await make_parcelo_account(app)
    domestic, voided = await buy(app), await bought_abroad(app)
    await app.answer("admin", "cancel_shipping_label", {"shipment_id": voided.id}, confirmed=True)
    for id in (domestic.id, voided.id):
        refused = await app.call("admin", "issue_document", {"kind": "commercial_invoice", "shipment_ids": [id]})
        assert status_and_code(refused) == (422, "CUSTOMS_ITEMS_MISSING"), id
    refused = await app.call("admin", "issue_document", {"kind": "packing_slip", "shipment_ids": [domestic.id]})
    assert status_and_code(refused) == (422, "DOCUMENT_NOT_MADE")


async def test_a_customer_sees_only_invoices_of_their_own_shipments(app: App) -> None:
    await make_parcelo_account(app)
    theirs = await bought_abroad(app)
    refused = await app.call("customer", "issue_document", {"kind": "commercial_invoice", "shipment_ids": [theirs.id]})
    assert status_and_code(refused) == (404, "NOT_FOUND")


async def test_a_carrier_signs_for_the_shipments_of_an_end_of_day(app: App) -> None:
    await make_parcelo_account(app)
    first, second = await buy(app, order_ref="E-1"), await bought_abroad(app)
    closed = await app.answer("admin", "end_of_day", confirmed=True)
    (manifest,) = closed.manifests
    document = await make_issued_document(app, kind="manifest", manifest_id=manifest.id)
    assert (document.state, document.subject, document.total) == ("issued", "carrier_manifest", 2)
    text = "\n".join(text_of(await file_of(app, document)))
    for words in ("PARCELO M-1", first.tracking_number, second.tracking_number, "E-1", "Albany", "1 Front St"):
        assert words in text, words
    missing = await app.call("admin", "issue_document", {"kind": "manifest", "manifest_id": manifest.id + 1})
    assert status_and_code(missing) == (404, "NOT_FOUND")


async def test_a_document_has_one_subject(app: App) -> None:
    for asked in ({}, {"order_ids": [1], "route_id": 1}, {"shipment_ids": [1], "manifest_id": 1}):
        refused = await app.call("admin", "issue_document", {"kind": "manifest", **asked})
        assert status_and_code(refused) == (422, "INVALID_REQUEST"), asked
