"""Errors of privacy: short retention periods, and customers with open orders."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_contact, make_order

BUSY = {"email": "busy@example.com"}


async def scene(app: App) -> dict[str, Any]:
    """Create a customer whose order is not finished."""
    await make_order(app, consignee=make_contact(**BUSY))
    asked = await app.answer("admin", "export_personal_data", {"email": "nobody@example.com"})
    return {"admin": app.ids["admin"], "queued": asked.request.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    return {
        ("set_retention", "RETENTION_TOO_SHORT"): ("admin", {"kind": "audit_trail", "days": 1}),
        ("export_personal_data", "NOT_FOUND"): ("admin", {"driver_id": 2**40}),
        ("repeat_personal_data_request", "NOT_FOUND"): ("admin", {"request_id": 2**40}),
        ("repeat_personal_data_request", "PERSONAL_DATA_REQUEST_NOT_FAILED"): ("admin", {"request_id": ids["queued"]}),
        ("erase_personal_data", "NOT_FOUND"): ("admin", {"user_id": 2**40}),
        ("erase_personal_data", "LAST_ADMIN"): ("admin", {"user_id": ids["admin"]}),
        ("erase_personal_data", "PERSON_IN_USE"): ("admin", BUSY),
    }
