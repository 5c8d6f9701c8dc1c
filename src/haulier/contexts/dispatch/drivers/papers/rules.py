"""How a paper stands, which papers are in the way, and when somebody should hear of it. Days are the business's own."""

from collections.abc import Collection, Iterable
from datetime import date, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.errors import problem

PAPER_OVER = problem("driver_document_over", 409)
PAPER_NOT_YOURS = problem("driver_document_reviewed", 409)
PAPERS_NOT_IN_ORDER = problem("driver_documents_not_in_order", 409)

NOTICE_DAYS = 30
"""How long before a paper ends people hear of it, unless the business chose otherwise."""


class PaperKind(StrEnum):
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


class Verdict(StrEnum):
    """What a reviewer said."""

    PENDING = "pending"
    VALID = "valid"
    REJECTED = "rejected"


class PaperState(StrEnum):
    """How one paper stands today."""

    PENDING = "pending"
    VALID = "valid"
    REJECTED = "rejected"
    EXPIRED = "expired"


class Standing(StrEnum):
    """How a driver stands with one kind of paper: that of the best paper they have of it."""

    VALID = "valid"
    EXPIRES_SOON = "expires_soon"
    PENDING = "pending"
    EXPIRED = "expired"
    REJECTED = "rejected"
    MISSING = "missing"


class Judged(Protocol):
    """What the state of a paper is read from."""

    @property
    def id(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def verdict(self) -> str: ...

    @property
    def expires_on(self) -> date | None: ...


class Policy(Struct, frozen=True, kw_only=True):
    """What a business asks of its drivers' papers."""

    required: frozenset[PaperKind] = frozenset()
    blocks_start: bool = False
    notice_days: int = NOTICE_DAYS
    registration_open: bool = True


class KindStanding(Struct, frozen=True, kw_only=True):
    """How a driver stands with one kind of paper, and the paper that decided it."""

    kind: PaperKind
    standing: Standing
    required: bool
    document_id: int | None = None
    expires_on: date | None = None

    @property
    def in_the_way(self) -> bool:
        """Whether it is required and does not hold today."""
        return self.required and self.standing not in {Standing.VALID, Standing.EXPIRES_SOON}


def state(paper: Judged, today: date) -> PaperState:
    """How a paper stands. It holds through the day on which it expires."""
    if paper.verdict == Verdict.VALID and paper.expires_on is not None and paper.expires_on < today:
        return PaperState.EXPIRED
    return PaperState(paper.verdict)


def standings(papers: Iterable[Judged], policy: Policy, today: date) -> list[KindStanding]:
    """How a driver stands with every kind they have a paper of, or should have, in the order of the kinds."""
    by_kind: dict[PaperKind, list[Judged]] = {kind: [] for kind in policy.required}
    for paper in papers:
        by_kind.setdefault(PaperKind(paper.kind), []).append(paper)
    return [_standing(kind, by_kind[kind], policy, today) for kind in PaperKind if kind in by_kind]


def _standing(kind: PaperKind, papers: Collection[Judged], policy: Policy, today: date) -> KindStanding:
    required = kind in policy.required
    if not papers:
        return KindStanding(kind=kind, standing=Standing.MISSING, required=required)
    best = max(papers, key=lambda paper: (_RANK[state(paper, today)], paper.expires_on or date.max, paper.id))
    standing = Standing(state(best, today).value)
    if standing is Standing.VALID and expires_soon(best.expires_on, today, policy.notice_days):
        standing = Standing.EXPIRES_SOON
    return KindStanding(
        kind=kind, standing=standing, required=required, document_id=best.id, expires_on=best.expires_on
    )


_RANK = {PaperState.VALID: 3, PaperState.PENDING: 2, PaperState.EXPIRED: 1, PaperState.REJECTED: 0}


def expires_soon(expires_on: date | None, today: date, within_days: int) -> bool:
    """Whether a paper that holds today ends within so many days."""
    return expires_on is not None and today <= expires_on <= today + timedelta(days=within_days)


def missing_for_a_route(found: Iterable[KindStanding], policy: Policy) -> list[PaperKind]:
    """What keeps a driver from starting a route: required papers that do not hold, where the business wants that."""
    return [each.kind for each in found if each.in_the_way] if policy.blocks_start else []


def demand_not_over(expires_on: date | None, today: date) -> None:
    """A paper that is over is not accepted. Raises `PAPER_OVER`."""
    if expires_on is not None and expires_on < today:
        raise PAPER_OVER(expires_on=expires_on.isoformat())


def notice_day(expires_on: date, notice_days: int) -> date:
    """The day on which people should hear that a paper ends."""
    return expires_on - timedelta(days=notice_days)
