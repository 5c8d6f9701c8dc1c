"""How an application stands, and when it may still be decided."""

from datetime import date
from enum import StrEnum
from typing import Any

from haulier.kernel.errors import problem

REGISTRATION_CLOSED = problem("driver_registration_closed", 409)
REGISTRATION_DECIDED = problem("driver_registration_decided", 409)
APPLICANT_UNKNOWN = problem("driver_applicant_unknown", 404)

PAPERS_MAX = 10


class RegistrationStatus(StrEnum):
    """Where an application stands. All but the first are its end."""

    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


def demand_open(status: str) -> None:
    """An application is decided once. Raises `REGISTRATION_DECIDED`."""
    if status != RegistrationStatus.SUBMITTED:
        raise REGISTRATION_DECIDED(status=status)


def dated(paper: dict[str, Any]) -> dict[str, Any]:
    """A paper as it was kept with an application, with its days as days and nothing missing."""
    days = {name: date.fromisoformat(paper[name]) if paper.get(name) else None for name in ("issued_on", "expires_on")}
    return {"kind": paper["kind"], "title": paper.get("title"), "number": paper.get("number"), **days}
