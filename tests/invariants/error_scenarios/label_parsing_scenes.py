"""Errors of scanned labels: unread, needing review, or unusable for an order."""

from typing import Any

from tests.contexts.shipping.examples import ADA, LABEL_TEXT
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_contact


async def scene(app: App) -> dict[str, Any]:
    """Create a pending, a read and a doubtful label, and a reference in use."""
    await app.answer("admin", "create_order", {"consignee": ADA, "order_ref": "taken"})
    read = (await app.answer("admin", "parse_label", {"text": LABEL_TEXT})).label_parse.id
    unclear = (await app.answer("admin", "parse_label", {"text": "Ada"})).label_parse.id
    await app.work_off()
    waiting = (await app.answer("admin", "parse_label", {"text": LABEL_TEXT})).label_parse.id
    return {"read": read, "unclear": unclear, "waiting": waiting}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    accept, read = "accept_label_parse", {"parse_id": ids["read"], "consignee": make_contact(), "reviewed": True}
    far = {"consignee": make_contact(lat=64.0, lng=-139.0), "sender": make_contact()}
    return {
        (accept, "LABEL_NOT_READ_YET"): ("admin", {"parse_id": ids["waiting"]}),
        (accept, "LABEL_NEEDS_REVIEW"): ("admin", {"parse_id": ids["unclear"]}),
        (accept, "SERVICE_UNKNOWN"): ("admin", {**read, "service": "nope"}),
        (accept, "ORDER_REF_TAKEN"): ("admin", {**read, "order_ref": "taken"}),
        (accept, "RATE_NOT_AVAILABLE"): ("admin", {**read, **far}),
    }
