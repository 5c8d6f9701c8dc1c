"""Who may review which pending write, and how one ends. Pure."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, get_args

from msgspec import Struct
from pydantic import BaseModel, SecretBytes, SecretStr

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, Scope
from haulier.kernel.operations.errors import SCOPE_MISSING, OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

APPROVAL_DECIDED = declare_error("approval_decided", 409)
APPROVAL_EXPIRED = declare_error("approval_expired", 409)
APPROVAL_OWN = declare_error("approval_own", 403)
APPROVAL_NOT_A_WRITE = declare_error("approval_not_a_write", 422, fields=("tool",))
APPROVAL_PREVIEW_CHANGED = declare_error("approval_preview_changed", 409)
APPROVAL_PROPOSER_MAY_NOT = declare_error("approval_proposer_may_not", 409)

EXPIRES_AFTER_H = 72
"""How long a pending write waits unless the client says otherwise, in hours."""
EXPIRES_AFTER_H_MAX = 720
_ABOUT_APPROVALS = frozenset({Scope.APPROVALS_READ, Scope.APPROVALS_WRITE})


class ApprovalStatus(StrEnum):
    """The status of a proposed write."""

    PENDING = "pending"
    EXECUTED = "executed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class ApprovalAction(StrEnum):
    """What ends a wait."""

    APPROVE = "approve"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"


def decided_error(action: ApprovalAction, status: ApprovalStatus) -> OperationError:
    """That a wait has ended already."""
    return APPROVAL_DECIDED(status=status.value)


_WAITING = ApprovalStatus.PENDING
APPROVAL_LIFE = StateMachine(
    {
        ApprovalAction.APPROVE: {_WAITING: ApprovalStatus.EXECUTED},
        ApprovalAction.REJECT: {_WAITING: ApprovalStatus.REJECTED},
        ApprovalAction.WITHDRAW: {_WAITING: ApprovalStatus.WITHDRAWN},
        ApprovalAction.EXPIRE: {_WAITING: ApprovalStatus.EXPIRED},
    },
    created={_WAITING: "propose"},
    error=decided_error,
)
mermaid = APPROVAL_LIFE.mermaid


class ClientApprovalPolicy(Struct, frozen=True):
    """What a client allows."""

    own_allowed: bool = False
    expires_after_h: int = EXPIRES_AFTER_H

    @property
    def waiting_time(self) -> timedelta:
        """How long a pending write waits."""
        return timedelta(hours=self.expires_after_h)


class PendingWriteFacts(Struct, frozen=True, kw_only=True):
    """The facts about a proposed write that the rules need."""

    status: ApprovalStatus
    expires_at: datetime
    proposed_by: int
    token_id: int | None
    scopes: frozenset[Scope]


class Reviewer(Struct, frozen=True, kw_only=True):
    """The reviewer."""

    user_id: int | None
    token_id: int | None
    scopes: frozenset[Scope]


def effective_status(status: ApprovalStatus, expires_at: datetime, now: datetime) -> ApprovalStatus:
    """The status of a write now. One whose time has passed is expired, whether or not that is stored yet."""
    return ApprovalStatus.EXPIRED if status is ApprovalStatus.PENDING and now >= expires_at else status


def check_open(waiting: PendingWriteFacts, now: datetime) -> OperationError | None:
    """Why it can no longer be decided, or None when it can."""
    status = effective_status(waiting.status, waiting.expires_at, now)
    if status is ApprovalStatus.EXPIRED:
        return APPROVAL_EXPIRED()
    return None if APPROVAL_LIFE.actions(status) else APPROVAL_DECIDED(status=status.value)


def check_may_approve(
    reviewer: Reviewer, waiting: PendingWriteFacts, policy: ClientApprovalPolicy
) -> OperationError | None:
    """Why this reviewer may not approve, or None. The token that proposed never approves."""
    if reviewer.user_id == waiting.proposed_by:
        same_token = reviewer.token_id is None or reviewer.token_id == waiting.token_id
        if not policy.own_allowed or same_token:
            return APPROVAL_OWN()
    return _check_reviewer_scopes(reviewer, waiting)


def check_may_reject(reviewer: Reviewer, waiting: PendingWriteFacts) -> OperationError | None:
    """Why this reviewer may not reject, or None. What one proposed oneself one may always take back."""
    return None if reviewer.user_id == waiting.proposed_by else _check_reviewer_scopes(reviewer, waiting)


def _check_reviewer_scopes(reviewer: Reviewer, waiting: PendingWriteFacts) -> OperationError | None:
    missing = waiting.scopes - reviewer.scopes
    return SCOPE_MISSING(scopes=", ".join(sorted(missing))) if missing else None


def can_wait_for_approval(operation: Operation[Any, Any]) -> bool:
    """Whether a write can be kept and shown.

    It is asked in fields rather than with a document, and none of them is a secret or kept out of records (a file's content);
    its answer is no secret; and it is no approval itself.
    """
    return (
        operation.effect is Effect.WRITE
        and not operation.public
        and operation.replayable
        and not operation.scopes & _ABOUT_APPROVALS
        and not operation.is_document_operation
        and not _has_unrecorded_fields(operation.request)
    )


def _has_unrecorded_fields(hint: Any) -> bool:
    """Whether something in a request would be missing from what is kept of it."""
    if isinstance(hint, type) and issubclass(hint, SecretStr | SecretBytes):
        return True
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return any(field.exclude or _has_unrecorded_fields(field.annotation) for field in hint.model_fields.values())
    return any(_has_unrecorded_fields(part) for part in get_args(hint))
