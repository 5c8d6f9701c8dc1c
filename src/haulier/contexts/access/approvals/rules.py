"""Who may review which pending write, and how one ends. Pure."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, get_args

from msgspec import Struct
from pydantic import BaseModel, SecretBytes, SecretStr

from haulier.kernel.declarations import Effect, Scope
from haulier.kernel.errors import SCOPE_MISSING, Refusal, problem
from haulier.kernel.operation import Operation

APPROVAL_DECIDED = problem("approval_decided", 409)
APPROVAL_EXPIRED = problem("approval_expired", 409)
APPROVAL_OWN = problem("approval_own", 403)
APPROVAL_NOT_A_WRITE = problem("approval_not_a_write", 422)
APPROVAL_PREVIEW_CHANGED = problem("approval_preview_changed", 409)
APPROVAL_PROPOSER_MAY_NOT = problem("approval_proposer_may_not", 409)

EXPIRES_AFTER_H = 72
"""How long a pending write waits unless the client says otherwise, in hours."""
EXPIRES_AFTER_H_MAX = 720
_ABOUT_APPROVALS = frozenset({Scope.APPROVALS_READ, Scope.APPROVALS_WRITE})


class ApprovalStatus(StrEnum):
    """Where a proposed write stands."""

    PENDING = "pending"
    EXECUTED = "executed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


ENDS = {
    "approve": ApprovalStatus.EXECUTED,
    "reject": ApprovalStatus.REJECTED,
    "withdraw": ApprovalStatus.WITHDRAWN,
    "expire": ApprovalStatus.EXPIRED,
}
"""What ends a wait. Nothing leads back."""


class Policy(Struct, frozen=True):
    """What a client allows."""

    own_allowed: bool = False
    expires_after_h: int = EXPIRES_AFTER_H

    @property
    def patience(self) -> timedelta:
        """How long a pending write waits."""
        return timedelta(hours=self.expires_after_h)


class Waiting(Struct, frozen=True, kw_only=True):
    """What the rules need to know of a proposed write."""

    status: ApprovalStatus
    expires_at: datetime
    proposed_by: int
    token_id: int | None
    scopes: frozenset[Scope]


class Reviewer(Struct, frozen=True, kw_only=True):
    """Who looks at it."""

    user_id: int | None
    token_id: int | None
    scopes: frozenset[Scope]


def stands(status: ApprovalStatus, expires_at: datetime, now: datetime) -> ApprovalStatus:
    """How a write stands now: one whose time has passed is expired, whether or not that was noted yet."""
    return ApprovalStatus.EXPIRED if status is ApprovalStatus.PENDING and now >= expires_at else status


def why_not_open(waiting: Waiting, now: datetime) -> Refusal | None:
    """Why it can no longer be decided, or None when it can."""
    status = stands(waiting.status, waiting.expires_at, now)
    if status is ApprovalStatus.EXPIRED:
        return APPROVAL_EXPIRED()
    return None if status is ApprovalStatus.PENDING else APPROVAL_DECIDED(status=status.value)


def why_not_approved_by(reviewer: Reviewer, waiting: Waiting, policy: Policy) -> Refusal | None:
    """Why this reviewer may not approve, or None. The token that proposed never approves: that would be no second look."""
    if reviewer.user_id == waiting.proposed_by:
        same_token = reviewer.token_id is None or reviewer.token_id == waiting.token_id
        if not policy.own_allowed or same_token:
            return APPROVAL_OWN()
    return _why_not_scoped(reviewer, waiting)


def why_not_rejected_by(reviewer: Reviewer, waiting: Waiting) -> Refusal | None:
    """Why this reviewer may not reject, or None. What one proposed oneself one may always take back."""
    return None if reviewer.user_id == waiting.proposed_by else _why_not_scoped(reviewer, waiting)


def _why_not_scoped(reviewer: Reviewer, waiting: Waiting) -> Refusal | None:
    missing = waiting.scopes - reviewer.scopes
    return SCOPE_MISSING(scopes=", ".join(sorted(missing))) if missing else None


def can_wait(operation: Operation[Any, Any]) -> bool:
    """Whether a write can be kept and shown.

    It is asked in fields rather than with a document, and none of them is a secret or kept out of records (a file's content);
    its answer is no secret; and it is no approval itself.
    """
    return (
        operation.effect is Effect.WRITE
        and not operation.public
        and operation.keeps_answer
        and not operation.scopes & _ABOUT_APPROVALS
        and not operation.takes_document
        and not _has_more_than_it_tells(operation.request)
    )


def _has_more_than_it_tells(hint: Any) -> bool:
    """Whether something in a request would be missing from what is kept of it."""
    if isinstance(hint, type) and issubclass(hint, SecretStr | SecretBytes):
        return True
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return any(field.exclude or _has_more_than_it_tells(field.annotation) for field in hint.model_fields.values())
    return any(_has_more_than_it_tells(part) for part in get_args(hint))


def mermaid() -> str:
    """The life of a proposed write, drawn."""
    arrows = [f"    {ApprovalStatus.PENDING} --> {end}: {step}" for step, end in ENDS.items()]
    ends = [f"    {end} --> [*]" for end in ENDS.values()]
    return "\n".join(["stateDiagram-v2", f"    [*] --> {ApprovalStatus.PENDING}: propose", *arrows, *ends])
