"""What fleet announces."""

from datetime import date

from haulier.kernel.background.events import DomainEvent


class DriverDocumentExpiring(DomainEvent, frozen=True, kw_only=True):
    """A paper of a driver ends soon, or has ended when `over`. Said at most once each, and not of one that was renewed."""

    document_id: int
    driver_id: int
    kind: str
    expires_on: date
    expired: bool


class DriverApproved(DomainEvent, frozen=True, kw_only=True):
    """Somebody who applied by themselves was made a driver."""

    registration_id: int
    driver_id: int
    user_id: int
