"""Errors of documents that are missing or not ready."""

from typing import Any

from tests.contexts.shipping.makers import buy, make_platform_account
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order


async def scene(app: App) -> dict[str, Any]:
    """Create an undelivered order, a pending document, and a shipment without goods."""
    await make_platform_account(app)
    order = await make_order(app)
    asked = {"kind": "labels", "order_ids": [order]}
    queued = (await app.answer("admin", "issue_document", asked)).document.id
    return {"order": order, "queued": queued, "shipment": (await buy(app)).id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    orders = {"order_ids": [ids["order"]]}
    queued = {"document_id": ids["queued"]}
    return {
        ("issue_document", "DOCUMENT_NOT_MADE"): ("admin", {"kind": "manifest", **orders}),
        ("issue_document", "DOCUMENT_NOT_YET"): ("admin", {"kind": "proof_of_delivery", **orders}),
        ("issue_document", "CUSTOMS_ITEMS_MISSING"): (
            "admin",
            {"kind": "commercial_invoice", "shipment_ids": [ids["shipment"]]},
        ),
        ("get_document_file", "DOCUMENT_NOT_READY"): ("admin", queued),
        ("revoke_document", "DOCUMENT_NOT_READY"): ("admin", {**queued, "reason": "mistake"}),
    }
