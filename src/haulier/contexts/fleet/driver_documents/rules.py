"""Rules of documents: status, blocked routes and announcements.

Days are in the business's time zone.
"""

from collections.abc import Collection, Iterable
from datetime import date, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

DRIVER_DOCUMENT_OVER = declare_error("driver_document_over", 409)
DRIVER_DOCUMENT_REVIEWED = declare_error("driver_document_reviewed", 409)
DRIVER_DOCUMENTS_NOT_IN_ORDER = declare_error("driver_documents_not_in_order", 409)

NOTICE_DAYS = 30
"""Default number of days before expiry at which notifications are sent."""


class DriverDocumentKind(StrEnum):
    """The kind of a document."""

    LICENCE = "licence"
    IDENTITY = "identity"
    INSURANCE = "insurance"
    VEHICLE_REGISTRATION = "vehicle_registration"
    VEHICLE_INSPECTION = "vehicle_inspection"
    WORK_PERMIT = "work_permit"
    MEDICAL = "medical"
    BACKGROUND_CHECK = "background_check"
    TRAINING = "training"
    CONTRACT = "contract"
    OTHER = "other"


class ReviewVerdict(StrEnum):
    """Decision of a reviewer."""

    PENDING = "pending"
    VALID = "valid"
    REJECTED = "rejected"


class DriverDocumentState(StrEnum):
    """The status of one document today."""

    PENDING = "pending"
    VALID = "valid"
    REJECTED = "rejected"
    EXPIRED = "expired"


class DriverDocumentStatus(StrEnum):
    """Status of a driver for one kind of document: that of their best document."""

    VALID = "valid"
    EXPIRES_SOON = "expires_soon"
    PENDING = "pending"
    EXPIRED = "expired"
    REJECTED = "rejected"
    MISSING = "missing"


class ReviewedDocument(Protocol):
    """Facts that determine the status of a document."""

    @property
    def id(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def verdict(self) -> str: ...

    @property
    def expires_on(self) -> date | None: ...


class DriverDocumentPolicy(Struct, frozen=True, kw_only=True):
    """Documents that a business requires of its drivers, and the consequences."""

    required: frozenset[DriverDocumentKind] = frozenset()
    blocks_start: bool = False
    notice_days: int = NOTICE_DAYS
    registration_open: bool = True


class DocumentKindStatus(Struct, frozen=True, kw_only=True):
    """Status of a driver for one kind of document, with the deciding document."""

    kind: DriverDocumentKind
    status: DriverDocumentStatus
    required: bool
    document_id: int | None = None
    expires_on: date | None = None

    @property
    def is_blocking(self) -> bool:
        """Return True if the document is required and not valid today."""
        return self.required and self.status not in {DriverDocumentStatus.VALID, DriverDocumentStatus.EXPIRES_SOON}


def document_state(document: ReviewedDocument, today: date) -> DriverDocumentState:
    """The status of a document. It is valid through the day on which it expires."""
    if document.verdict == ReviewVerdict.VALID and document.expires_on is not None and document.expires_on < today:
        return DriverDocumentState.EXPIRED
    return DriverDocumentState(document.verdict)


def document_kind_statuses(
    documents: Iterable[ReviewedDocument], policy: DriverDocumentPolicy, today: date
) -> list[DocumentKindStatus]:
    """Return a driver's status for each kind of document they have or need.

    In the order of the kinds.
    """
    by_kind: dict[DriverDocumentKind, list[ReviewedDocument]] = {kind: [] for kind in policy.required}
    for document in documents:
        by_kind.setdefault(DriverDocumentKind(document.kind), []).append(document)
    return [_document_kind_status(kind, by_kind[kind], policy, today) for kind in DriverDocumentKind if kind in by_kind]


def _document_kind_status(
    kind: DriverDocumentKind, documents: Collection[ReviewedDocument], policy: DriverDocumentPolicy, today: date
) -> DocumentKindStatus:
    required = kind in policy.required
    if not documents:
        return DocumentKindStatus(kind=kind, status=DriverDocumentStatus.MISSING, required=required)
    best = max(
        documents,
        key=lambda document: (_RANK[document_state(document, today)], document.expires_on or date.max, document.id),
    )
    status = DriverDocumentStatus(document_state(best, today).value)
    if status is DriverDocumentStatus.VALID and expires_soon(best.expires_on, today, policy.notice_days):
        status = DriverDocumentStatus.EXPIRES_SOON
    return DocumentKindStatus(
        kind=kind, status=status, required=required, document_id=best.id, expires_on=best.expires_on
    )


_RANK = {
    DriverDocumentState.VALID: 3,
    DriverDocumentState.PENDING: 2,
    DriverDocumentState.EXPIRED: 1,
    DriverDocumentState.REJECTED: 0,
}


def expires_soon(expires_on: date | None, today: date, within_days: int) -> bool:
    """Return True if a valid document expires within this number of days."""
    return expires_on is not None and today <= expires_on <= today + timedelta(days=within_days)


def missing_route_documents(
    statuses: Iterable[DocumentKindStatus], policy: DriverDocumentPolicy
) -> list[DriverDocumentKind]:
    """Return the required documents that block the start of a route.

    Empty if the policy does not block routes.
    """
    return [status.kind for status in statuses if status.is_blocking] if policy.blocks_start else []


def require_not_expired(expires_on: date | None, today: date) -> None:
    """Refuse to accept a document that has expired. Raises `DRIVER_DOCUMENT_OVER`."""
    if expires_on is not None and expires_on < today:
        raise DRIVER_DOCUMENT_OVER(expires_on=expires_on.isoformat())


def notice_day(expires_on: date, notice_days: int) -> date:
    """The day on which the end of a document is announced."""
    return expires_on - timedelta(days=notice_days)
