"""The status of an application, and when it may still be decided."""

from datetime import date
from enum import StrEnum
from typing import Any

from haulier.kernel.operations.errors import declare_error

DRIVER_REGISTRATION_CLOSED = declare_error("driver_registration_closed", 409)
DRIVER_REGISTRATION_DECIDED = declare_error("driver_registration_decided", 409)
DRIVER_APPLICANT_UNKNOWN = declare_error("driver_applicant_unknown", 404)

DOCUMENTS_MAX = 10


class DriverRegistrationStatus(StrEnum):
    """Status of an application. All except the first are final."""

    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


def require_open_registration(status: str) -> None:
    """An application is decided once. Raises `DRIVER_REGISTRATION_DECIDED`."""
    if status != DriverRegistrationStatus.SUBMITTED:
        raise DRIVER_REGISTRATION_DECIDED(status=status)


def parse_document_dates(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of an application with parsed dates and every key present."""
    days = {
        name: date.fromisoformat(document[name]) if document.get(name) else None for name in ("issued_on", "expires_on")
    }
    return {"kind": document["kind"], "title": document.get("title"), "number": document.get("number"), **days}
