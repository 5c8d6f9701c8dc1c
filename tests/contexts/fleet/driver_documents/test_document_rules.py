"""Driver document status: pure rules in the business time zone."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from tests.support.every_case import for_every

from haulier.contexts.fleet.driver_documents.rules import (
    DriverDocumentKind,
    DriverDocumentPolicy,
    DriverDocumentState,
    DriverDocumentStatus,
    ReviewVerdict,
    document_kind_statuses,
    document_state,
    missing_route_documents,
    notice_day,
    require_not_expired,
)
from haulier.kernel.operations.errors import OperationError

TODAY = date(2026, 6, 10)
DAYS = st.none() | st.integers(-400, 400).map(lambda days: TODAY + timedelta(days=days))


class Paper(Struct, frozen=True, kw_only=True):
    id: int = 1
    kind: str = "licence"
    verdict: str = "valid"
    expires_on: date | None = None


PAPERS = st.lists(
    st.builds(
        Paper,
        id=st.integers(1, 99),
        kind=st.sampled_from([kind.value for kind in DriverDocumentKind]),
        verdict=st.sampled_from([verdict.value for verdict in ReviewVerdict]),
        expires_on=DAYS,
    ),
    max_size=8,
)
POLICIES = st.builds(
    DriverDocumentPolicy,
    required=st.frozensets(st.sampled_from(DriverDocumentKind)),
    blocks_start=st.booleans(),
    notice_days=st.integers(0, 90),
)


def status(*papers: Paper, **words: object) -> DriverDocumentStatus:
    policy = DriverDocumentPolicy(required=frozenset({DriverDocumentKind.LICENCE}), **words)  # type: ignore[arg-type]
    (found,) = document_kind_statuses(papers, policy, TODAY)
    return found.status


@pytest.mark.parametrize(
    ("days", "expected"),
    [(1, DriverDocumentState.VALID), (0, DriverDocumentState.VALID), (-1, DriverDocumentState.EXPIRED)],
)
def test_a_document_is_valid_through_its_expiry_day(days: int, expected: DriverDocumentState) -> None:
    assert document_state(Paper(expires_on=TODAY + timedelta(days=days)), TODAY) is expected


def test_only_accepted_documents_can_expire() -> None:
    past = TODAY - timedelta(days=9)
    assert document_state(Paper(verdict="pending", expires_on=past), TODAY) is DriverDocumentState.PENDING
    assert document_state(Paper(verdict="rejected", expires_on=past), TODAY) is DriverDocumentState.REJECTED


@for_every(
    ("papers", "expected"),
    [
        ((), DriverDocumentStatus.MISSING),
        ((Paper(),), DriverDocumentStatus.VALID),
        ((Paper(expires_on=date(2026, 7, 10)),), DriverDocumentStatus.EXPIRES_SOON),
        ((Paper(expires_on=date(2026, 7, 11)),), DriverDocumentStatus.VALID),
        ((Paper(expires_on=date(2026, 6, 9)),), DriverDocumentStatus.EXPIRED),
        ((Paper(expires_on=date(2026, 6, 9)), Paper(verdict="pending")), DriverDocumentStatus.PENDING),
        ((Paper(expires_on=date(2026, 6, 12)), Paper(verdict="pending")), DriverDocumentStatus.EXPIRES_SOON),
        ((Paper(expires_on=date(2026, 6, 12)), Paper(expires_on=date(2028, 1, 1))), DriverDocumentStatus.VALID),
        ((Paper(expires_on=date(2026, 6, 9)), Paper(verdict="rejected")), DriverDocumentStatus.EXPIRED),
        ((Paper(verdict="rejected"),), DriverDocumentStatus.REJECTED),
    ],
)
def test_the_best_document_decides_a_drivers_status(papers: tuple[Paper, ...], expected: DriverDocumentStatus) -> None:
    assert status(*papers) is expected


@given(PAPERS, POLICIES)
def test_every_required_kind_is_reported_once_in_any_document_order(
    papers: list[Paper], policy: DriverDocumentPolicy
) -> None:
    found = document_kind_statuses(papers, policy, TODAY)
    kinds = [each.kind for each in found]
    assert sorted(kinds) == sorted(policy.required | {DriverDocumentKind(paper.kind) for paper in papers})
    assert [(e.kind, e.status) for e in document_kind_statuses(papers[::-1], policy, TODAY)] == [
        (e.kind, e.status) for e in found
    ]


@given(PAPERS, POLICIES)
def test_a_route_starts_unless_the_business_enforces_a_missing_required_document(
    papers: list[Paper], policy: DriverDocumentPolicy
) -> None:
    holds = {p.kind for p in papers if p.verdict == "valid" and (p.expires_on is None or p.expires_on >= TODAY)}
    lacking = {kind for kind in policy.required if kind not in holds}
    missing = missing_route_documents(document_kind_statuses(papers, policy, TODAY), policy)
    assert set(missing) == (lacking if policy.blocks_start else set())


@given(PAPERS, POLICIES, st.integers(0, 5))
def test_an_additional_accepted_document_never_makes_the_status_worse(
    papers: list[Paper], policy: DriverDocumentPolicy, more: int
) -> None:
    before = sum(each.is_blocking for each in document_kind_statuses(papers, policy, TODAY))
    better = [*papers, Paper(id=100, kind=list(DriverDocumentKind)[more].value)]
    assert sum(each.is_blocking for each in document_kind_statuses(better, policy, TODAY)) <= before


def test_an_expired_document_cannot_be_accepted() -> None:
    require_not_expired(None, TODAY)
    require_not_expired(TODAY, TODAY)
    with pytest.raises(OperationError, match="driver_document_over"):
        require_not_expired(TODAY - timedelta(days=1), TODAY)


def test_expiry_reminders_are_sent_the_configured_days_in_advance() -> None:
    assert notice_day(date(2026, 7, 10), 30) == TODAY
