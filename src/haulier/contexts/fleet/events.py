"""Events that fleet publishes."""

from datetime import date

from haulier.kernel.background.events import DomainEvent


class DriverDocumentExpiring(DomainEvent, frozen=True, kw_only=True):
    """A document of a driver ends soon, or has ended when `over`. Published at most once each, and never for a renewed one."""

    document_id: int
    driver_id: int
    kind: str
    expires_on: date
    expired: bool


class DriverDisabled(DomainEvent, frozen=True, kw_only=True):
    """A driver is given no more routes, and cannot sign in where they had an account."""

    driver_id: int


class DriverApproved(DomainEvent, frozen=True, kw_only=True):
    """An applicant was approved and is now a driver."""

    registration_id: int
    driver_id: int
    user_id: int
