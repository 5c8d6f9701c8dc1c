"""Events that fleet publishes."""

from datetime import date

from haulier.kernel.background.events import DomainEvent


class DriverDocumentExpiring(DomainEvent, frozen=True, kw_only=True):
    """Published when a driver document expires soon or, with `over`, has expired.

    Once each, and never for a renewed document.
    """

    document_id: int
    driver_id: int
    kind: str
    expires_on: date
    expired: bool


class DriverDisabled(DomainEvent, frozen=True, kw_only=True):
    """Published when a driver gets no more routes and can no longer sign in."""

    driver_id: int


class DriverApproved(DomainEvent, frozen=True, kw_only=True):
    """Published when an applicant was approved and became a driver."""

    registration_id: int
    driver_id: int
    user_id: int
