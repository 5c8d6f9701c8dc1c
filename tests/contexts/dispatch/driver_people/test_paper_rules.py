"""How papers stand: pure rules, by the business's calendar."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from haulier.contexts.dispatch.drivers.papers.rules import (
    PaperKind,
    PaperState,
    Policy,
    Standing,
    Verdict,
    demand_not_over,
    missing_for_a_route,
    notice_day,
    standings,
    state,
)
from haulier.kernel.errors import Refusal

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
        kind=st.sampled_from([kind.value for kind in PaperKind]),
        verdict=st.sampled_from([verdict.value for verdict in Verdict]),
        expires_on=DAYS,
    ),
    max_size=8,
)
POLICIES = st.builds(
    Policy,
    required=st.frozensets(st.sampled_from(PaperKind)),
    blocks_start=st.booleans(),
    notice_days=st.integers(0, 90),
)


def standing(*papers: Paper, **words: object) -> Standing:
    policy = Policy(required=frozenset({PaperKind.LICENCE}), **words)  # type: ignore[arg-type]
    (found,) = standings(papers, policy, TODAY)
    return found.standing


@pytest.mark.parametrize(("days", "expected"), [(1, PaperState.VALID), (0, PaperState.VALID), (-1, PaperState.EXPIRED)])
def test_a_paper_holds_through_the_day_on_which_it_expires(days: int, expected: PaperState) -> None:
    assert state(Paper(expires_on=TODAY + timedelta(days=days)), TODAY) is expected


def test_only_what_was_accepted_can_expire() -> None:
    past = TODAY - timedelta(days=9)
    assert state(Paper(verdict="pending", expires_on=past), TODAY) is PaperState.PENDING
    assert state(Paper(verdict="rejected", expires_on=past), TODAY) is PaperState.REJECTED


@pytest.mark.parametrize(
    ("papers", "expected"),
    [
        ((), Standing.MISSING),
        ((Paper(),), Standing.VALID),
        ((Paper(expires_on=date(2026, 7, 10)),), Standing.EXPIRES_SOON),
        ((Paper(expires_on=date(2026, 7, 11)),), Standing.VALID),
        ((Paper(expires_on=date(2026, 6, 9)),), Standing.EXPIRED),
        ((Paper(expires_on=date(2026, 6, 9)), Paper(verdict="pending")), Standing.PENDING),
        ((Paper(expires_on=date(2026, 6, 12)), Paper(verdict="pending")), Standing.EXPIRES_SOON),
        ((Paper(expires_on=date(2026, 6, 12)), Paper(expires_on=date(2028, 1, 1))), Standing.VALID),
        ((Paper(expires_on=date(2026, 6, 9)), Paper(verdict="rejected")), Standing.EXPIRED),
        ((Paper(verdict="rejected"),), Standing.REJECTED),
    ],
)
def test_a_driver_stands_by_the_best_paper_they_have(papers: tuple[Paper, ...], expected: Standing) -> None:
    assert standing(*papers) is expected


@given(PAPERS, POLICIES)
def test_every_required_kind_is_told_of_once_and_papers_in_any_order_mean_the_same(
    papers: list[Paper], policy: Policy
) -> None:
    found = standings(papers, policy, TODAY)
    kinds = [each.kind for each in found]
    assert sorted(kinds) == sorted(policy.required | {PaperKind(paper.kind) for paper in papers})
    assert [(e.kind, e.standing) for e in standings(papers[::-1], policy, TODAY)] == [
        (e.kind, e.standing) for e in found
    ]


@given(PAPERS, POLICIES)
def test_a_route_starts_unless_the_business_insists_and_a_required_paper_does_not_hold(
    papers: list[Paper], policy: Policy
) -> None:
    holds = {p.kind for p in papers if p.verdict == "valid" and (p.expires_on is None or p.expires_on >= TODAY)}
    lacking = {kind for kind in policy.required if kind not in holds}
    missing = missing_for_a_route(standings(papers, policy, TODAY), policy)
    assert set(missing) == (lacking if policy.blocks_start else set())


@given(PAPERS, POLICIES, st.integers(0, 5))
def test_one_more_accepted_paper_never_makes_things_worse(papers: list[Paper], policy: Policy, more: int) -> None:
    before = sum(each.in_the_way for each in standings(papers, policy, TODAY))
    better = [*papers, Paper(id=100, kind=list(PaperKind)[more].value)]
    assert sum(each.in_the_way for each in standings(better, policy, TODAY)) <= before


def test_a_paper_that_is_over_is_not_accepted() -> None:
    demand_not_over(None, TODAY)
    demand_not_over(TODAY, TODAY)
    with pytest.raises(Refusal, match="driver_document_over"):
        demand_not_over(TODAY - timedelta(days=1), TODAY)


def test_people_hear_of_an_end_as_many_days_before_as_they_chose() -> None:
    assert notice_day(date(2026, 7, 10), 30) == TODAY
