"""Reviewers of proposals in every combination, and proposable operations."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.control_tower.approvals.makers import THERE
from tests.invariants.example_requests import make_request_for
from tests.support.every_case import for_every

from haulier.app import registry
from haulier.contexts.control_tower.approvals.actions import encode_arguments
from haulier.contexts.control_tower.approvals.rules import (
    ApprovalStatus,
    ClientApprovalPolicy,
    PendingWriteFacts,
    Reviewer,
    can_wait_for_approval,
    check_may_approve,
    check_may_reject,
    check_open,
    effective_status,
)
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Risk, Scope

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
SCOPES = st.frozensets(st.sampled_from([Scope.ORDERS_WRITE, Scope.ROUTES_WRITE]))
PEOPLE = st.sampled_from([1, 2])
TOKENS = st.sampled_from([None, 10, 11])
KNOWN = {"consignee": THERE, "window_end": "2026-06-10T16:00:00Z"}
STATUSES = st.sampled_from(list(ApprovalStatus))


def make_wait(**words: object) -> PendingWriteFacts:
    plain = {
        "status": ApprovalStatus.PENDING,
        "expires_at": NOON,
        "proposed_by": 1,
        "token_id": 10,
        "scopes": frozenset({Scope.ORDERS_WRITE}),
    }
    return PendingWriteFacts(**{**plain, **words})  # type: ignore[arg-type]


@given(STATUSES, st.integers(-3, 3))
def test_only_pending_writes_before_their_expiry_are_open(status: ApprovalStatus, hours: int) -> None:
    now = NOON + timedelta(hours=hours)
    is_open = check_open(make_wait(status=status), now) is None
    assert is_open == (status is ApprovalStatus.PENDING and hours < 0)
    assert (effective_status(status, NOON, now) is ApprovalStatus.PENDING) == is_open


@given(PEOPLE, TOKENS, SCOPES, SCOPES, st.booleans())
def test_an_approval_requires_another_user_with_the_scopes(
    user: int, token: int | None, held: frozenset[Scope], needed: frozenset[Scope], own_allowed: bool
) -> None:
    reviewer = Reviewer(user_id=user, token_id=token, scopes=held)
    waiting = make_wait(scopes=needed)
    allowed = check_may_approve(reviewer, waiting, ClientApprovalPolicy(own_allowed)) is None
    if user == waiting.proposed_by:
        assert allowed == (own_allowed and token not in (None, waiting.token_id) and needed <= held)
    else:
        assert allowed == (needed <= held)


@given(PEOPLE, SCOPES, SCOPES)
def test_the_proposer_can_withdraw_and_others_need_the_scopes(
    user: int, held: frozenset[Scope], needed: frozenset[Scope]
) -> None:
    reviewer = Reviewer(user_id=user, token_id=None, scopes=held)
    allowed = check_may_reject(reviewer, make_wait(scopes=needed)) is None
    assert allowed == (user == 1 or needed <= held)


@for_every("operation", [o for o in registry() if can_wait_for_approval(o)])
def test_a_stored_request_is_restored_unchanged(operation: Operation[Any, Any]) -> None:
    known = {**KNOWN, "address": THERE} if operation.name == "reroute_to_address" else KNOWN
    asked = make_request_for(operation, known)
    request = codec.parse_request_values(operation.request, asked)
    assert codec.parse_request(operation.request, encode_arguments(request), {}) == request


def test_every_high_risk_write_can_be_queued_except_for_secrets_and_approvals() -> None:
    cannot = {
        o.name for o in registry() if o.risk is Risk.HIGH and o.effect == "write" and not can_wait_for_approval(o)
    }
    assert cannot >= {"issue_api_token", "set_user_password", "approve_pending_write", "set_approval_policy"}
    for operation in registry():
        if operation.name in cannot:
            assert (
                not operation.replayable
                or "password" in operation.name
                or "approval" in operation.name
                or "payment_account" in operation.name  # it holds the keys of a provider
                or (Scope.APPROVALS_WRITE in operation.scopes)
                or operation.name == "erase_personal_data"  # whom it is about is kept nowhere
            )
