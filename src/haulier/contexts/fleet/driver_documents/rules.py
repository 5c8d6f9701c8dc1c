"""How a paper stands, which papers are in the way, and when somebody should hear of it. Days are the business's own."""

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
"""How long before a paper ends people hear of it, unless the business chose otherwise."""


class DriverDocumentKind(StrEnum):
    """What a paper is."""

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
    """What a reviewer said."""

    PENDING = "pending"
    VALID = "valid"
    REJECTED = "rejected"


class DriverDocumentState(StrEnum):
    """How one paper stands today."""

    PENDING = "pending"
    VALID = "valid"
    REJECTED = "rejected"
    EXPIRED = "expired"


class DriverDocumentStatus(StrEnum):
    """How a driver stands with one kind of paper: that of the best paper they have of it."""

    VALID = "valid"
    EXPIRES_SOON = "expires_soon"
    PENDING = "pending"
    EXPIRED = "expired"
    REJECTED = "rejected"
    MISSING = "missing"


class ReviewedDocument(Protocol):
    """What the state of a paper is read from."""

    @property
    def id(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def verdict(self) -> str: ...

    @property
    def expires_on(self) -> date | None: ...


class DriverDocumentPolicy(Struct, frozen=True, kw_only=True):
    """What a business asks of its drivers' papers."""

    required: frozenset[DriverDocumentKind] = frozenset()
    blocks_start: bool = False
    notice_days: int = NOTICE_DAYS
    registration_open: bool = True


class DocumentKindStatus(Struct, frozen=True, kw_only=True):
    """How a driver stands with one kind of paper, and the paper that decided it."""

    kind: DriverDocumentKind
    status: DriverDocumentStatus
    required: bool
    document_id: int | None = None
    expires_on: date | None = None

    @property
    def is_blocking(self) -> bool:
        """Whether it is required and does not hold today."""
        return self.required and self.status not in {DriverDocumentStatus.VALID, DriverDocumentStatus.EXPIRES_SOON}


def document_state(paper: ReviewedDocument, today: date) -> DriverDocumentState:
    """How a paper stands. It holds through the day on which it expires."""
    if paper.verdict == ReviewVerdict.VALID and paper.expires_on is not None and paper.expires_on < today:
        return DriverDocumentState.EXPIRED
    return DriverDocumentState(paper.verdict)


def document_kind_statuses(
    papers: Iterable[ReviewedDocument], policy: DriverDocumentPolicy, today: date
) -> list[DocumentKindStatus]:
    """How a driver stands with every kind they have a paper of, or should have, in the order of the kinds."""
    by_kind: dict[DriverDocumentKind, list[ReviewedDocument]] = {kind: [] for kind in policy.required}
    for paper in papers:
        by_kind.setdefault(DriverDocumentKind(paper.kind), []).append(paper)
    return [_document_kind_status(kind, by_kind[kind], policy, today) for kind in DriverDocumentKind if kind in by_kind]


def _document_kind_status(
    kind: DriverDocumentKind, papers: Collection[ReviewedDocument], policy: DriverDocumentPolicy, today: date
) -> DocumentKindStatus:
    required = kind in policy.required
    if not papers:
        return DocumentKindStatus(kind=kind, status=DriverDocumentStatus.MISSING, required=required)
    best = max(papers, key=lambda paper: (_RANK[document_state(paper, today)], paper.expires_on or date.max, paper.id))
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
    """Whether a paper that holds today ends within so many days."""
    return expires_on is not None and today <= expires_on <= today + timedelta(days=within_days)


def missing_route_documents(
    found: Iterable[DocumentKindStatus], policy: DriverDocumentPolicy
) -> list[DriverDocumentKind]:
    """What keeps a driver from starting a route: required papers that do not hold, where the business wants that."""
    return [each.kind for each in found if each.is_blocking] if policy.blocks_start else []


def require_not_expired(expires_on: date | None, today: date) -> None:
    """A paper that is over is not accepted. Raises `DRIVER_DOCUMENT_OVER`."""
    if expires_on is not None and expires_on < today:
        raise DRIVER_DOCUMENT_OVER(expires_on=expires_on.isoformat())


def notice_day(expires_on: date, notice_days: int) -> date:
    """The day on which people should hear that a paper ends."""
    return expires_on - timedelta(days=notice_days)
