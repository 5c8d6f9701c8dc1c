"""Rules for claiming routes from the board."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.marketplace.route_board.rules import (
    BoardAdmission,
    BoardCandidate,
    BoardPosting,
    ClaimOutcome,
    check_claim_allowed,
    check_claim_request,
    check_claim_withdrawal,
    claim_status,
    find_next_in_line,
    is_admitted,
    posting_status,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.kernel.operations.errors import OperationError

NOW, TODAY = datetime(2026, 6, 10, 14, tzinfo=UTC), date(2026, 6, 10)
HOUR = timedelta(hours=1)
HERS = 7


def make_posting(**words: Any) -> BoardPosting:
    default = {"day": TODAY, "opens_at": NOW, "closes_at": None, "withdraw_until": None, "claims_per_day": 1}
    return BoardPosting(**{**default, "standby_max": 3, "admission": BoardAdmission(), **words})


def make_driver(driver_id: int = 1, **words: Any) -> BoardCandidate:
    return BoardCandidate(driver_id=driver_id, **words)


def said(refusal: OperationError | None) -> str | None:
    return refusal and refusal.error_type.code


@for_every(
    ("admission", "driver", "welcome"),
    [
        ({}, {}, True),
        ({}, {"active": False}, False),
        ({}, {"contractor_id": HERS}, False),
        ({"contractor_ids": (HERS,)}, {"contractor_id": HERS}, True),
        ({"contractor_ids": (HERS,), "own_drivers": False}, {}, False),
        ({"driver_ids": (2, 3)}, {}, False),
        ({"driver_ids": (1, 3)}, {}, True),
        ({"skills": ("cold", "adr")}, {"skills": frozenset({"cold"})}, False),
        ({"skills": ("cold",)}, {"skills": frozenset({"cold", "adr"})}, True),
        ({"zones": ("north",)}, {}, False),
        ({"zones": ("north", "east")}, {"zones": frozenset({"east"})}, True),
        ({"zones": ("north",), "driver_ids": (1,)}, {"zones": frozenset({"south"})}, False),
    ],
)
def test_a_route_is_visible_to_drivers_who_meet_every_rule(
    admission: dict[str, Any], driver: dict[str, Any], welcome: bool
) -> None:
    assert is_admitted(BoardAdmission(**admission), make_driver(**driver)) is welcome


@for_every(
    ("posting", "driver", "code"),
    [
        ({}, {}, None),
        ({"opens_at": NOW + HOUR}, {}, "BOARD_NOT_OPEN_YET"),
        ({"closes_at": NOW}, {}, "BOARD_CLAIMS_OVER"),
        ({"closes_at": NOW + HOUR}, {}, None),
        ({"day": TODAY - timedelta(days=1)}, {}, "BOARD_CLAIMS_OVER"),
        ({}, {"blocked_until": NOW + HOUR}, "DRIVER_BLOCKED_FROM_BOARD"),
        ({}, {"blocked_until": NOW}, None),
        ({}, {"held": 1}, "CLAIM_LIMIT_REACHED"),
        ({"claims_per_day": 2}, {"held": 1}, None),
        ({"claims_per_day": 2}, {"held": 1, "claims_per_day": 1}, "CLAIM_LIMIT_REACHED"),
        ({}, {"held": 1, "claims_per_day": 2}, None),
        ({}, {"claims_per_day": 0}, "CLAIM_LIMIT_REACHED"),
    ],
)
def test_an_eligible_driver_can_be_too_early_too_late_or_over_the_limit(
    posting: dict[str, Any], driver: dict[str, Any], code: str | None
) -> None:
    assert said(check_claim_request(make_posting(**posting), make_driver(**driver), NOW, TODAY)) == code


@pytest.mark.parametrize(("until", "code"), [(None, None), (NOW, None), (NOW - HOUR, "WITHDRAW_TOO_LATE")])
def test_a_route_can_be_returned_until_its_deadline(until: datetime | None, code: str | None) -> None:
    assert said(check_claim_withdrawal(make_posting(withdraw_until=until), NOW)) == code


def test_the_next_in_line_is_the_first_eligible_driver() -> None:
    line = [
        make_driver(1, blocked_until=NOW + HOUR),
        make_driver(2, held=1),
        make_driver(3, active=False),
        make_driver(4),
        make_driver(5),
    ]
    assert find_next_in_line(make_posting(closes_at=NOW - HOUR), line, NOW) == line[3]
    assert find_next_in_line(make_posting(), line[:3], NOW) is None


@for_every(
    ("words", "route", "held", "status"),
    [
        ({}, "draft", False, "open"),
        ({"opens_at": NOW + HOUR}, "draft", False, "scheduled"),
        ({"closes_at": NOW}, "draft", False, "expired"),
        ({"day": TODAY - timedelta(days=1)}, "draft", False, "expired"),
        ({"closes_at": NOW}, "assigned", True, "claimed"),
        ({}, "started", True, "started"),
        ({}, "finished", True, "completed"),
        ({"closed": True}, "assigned", False, "closed"),
    ],
)
def test_the_state_of_a_posted_route_follows_from_its_times_and_its_queue(
    words: dict[str, Any], route: str, held: bool, status: str
) -> None:
    assert posting_status(make_posting(**words), RouteStatus(route), NOW, TODAY, held=held) == status


def test_the_state_of_a_claim_follows_from_its_times_and_its_route() -> None:
    assert claim_status(RouteStatus.ASSIGNED, won=False, outcome=None) == "standby"
    found = [claim_status(RouteStatus(route), won=True, outcome=None) for route in ("assigned", "started", "finished")]
    assert found == ["held", "started", "completed"]
    assert [claim_status(RouteStatus.STARTED, won=True, outcome=how) for how in ClaimOutcome] == list(ClaimOutcome)


drivers = st.builds(
    BoardCandidate,
    driver_id=st.integers(1, 50),
    active=st.booleans(),
    held=st.integers(0, 2),
    blocked_until=st.sampled_from([None, NOW - HOUR, NOW + HOUR]),
)


@given(st.lists(drivers, max_size=8, unique_by=lambda driver: driver.driver_id), st.integers(1, 2))
def test_no_eligible_driver_in_line_is_skipped(line: list[BoardCandidate], most: int) -> None:
    posting = make_posting(claims_per_day=most)
    fit = [
        each
        for each in line
        if is_admitted(posting.admission, each) and check_claim_allowed(posting, each, NOW) is None
    ]
    assert find_next_in_line(posting, line, NOW) == (fit[0] if fit else None)
