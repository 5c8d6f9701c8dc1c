"""Approvals: requests and answers."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.control_tower.approvals.rules import EXPIRES_AFTER_H, EXPIRES_AFTER_H_MAX, ApprovalStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

NOTE_MAX = 500
ARGUMENTS_MAX = 200
TAG_MAX = 64
REVIEWED_MAX = 50
"""Maximum number of writes per review."""
ApprovalId = Annotated[int, Field(ge=1, le=2**53 - 1, examples=[7])]
Note = Annotated[str, Field(max_length=NOTE_MAX, examples=["The customer asked for it by phone."])]


class ProposeWrite(Request):
    """A write that must be approved before it runs."""

    tool: Annotated[str, Field(min_length=1, max_length=100, examples=["cancel_order"])]
    """Name of the tool or operation to call. `describe_operation` returns its arguments."""
    arguments: Annotated[dict[str, Any], Field(max_length=ARGUMENTS_MAX, examples=[{"order_id": 17}])] = {}
    """The arguments of the tool, as it would be called with. `confirm` is left out: the reviewer confirms."""
    note: Note | None = None
    """The reason, for the reviewer."""


class ListPendingApprovals(PageRequest):
    """Filters for proposed writes."""

    status: Annotated[
        Literal["pending", "executed", "rejected", "withdrawn", "expired"], Field(examples=["pending"])
    ] = "pending"
    """Filter by status."""
    mine: bool = False
    """If true, only the caller's proposals. Only staff see others."""


class ApprovalRef(Request):
    """Reference to a pending write."""

    approval_id: ApprovalId
    """The number of the pending write."""


class ApproveWrite(ApprovalRef):
    """A pending write to approve."""

    note: Note | None = None
    """Reason for the proposer."""
    preview_tag: Annotated[str, Field(max_length=TAG_MAX, examples=["5f0c2a9d41be7788"])] | None = None
    """Tag of the reviewed preview. If the preview has changed since, the call is refused."""


class RejectWrite(ApprovalRef):
    """A pending write to reject."""

    reason: Note | None = None
    """Reason for the proposer."""


class ApproveWrites(Request):
    """Pending writes to approve."""

    approval_ids: Annotated[list[ApprovalId], Field(min_length=1, max_length=REVIEWED_MAX, examples=[[7, 8]])]
    """The numbers of the pending writes; one named twice counts once."""
    preview_tags: Annotated[
        list[Annotated[str, Field(max_length=TAG_MAX)]],
        Field(max_length=REVIEWED_MAX, examples=[["5f0c2a9d41be7788", "90ac11e2d7f03b54"]]),
    ] = []
    """Tags of the reviewed previews, in the order of the numbers. A write whose preview has changed since is not run."""
    note: Note | None = None
    """Reason for the proposer."""


class RejectWrites(Request):
    """Pending writes to reject."""

    approval_ids: Annotated[list[ApprovalId], Field(min_length=1, max_length=REVIEWED_MAX, examples=[[7, 8]])]
    """The numbers of the pending writes; one named twice counts once."""
    reason: Note | None = None
    """Reason for the proposer."""


class WithdrawWrite(ApprovalRef):
    """A proposed write that its proposer withdraws."""

    reason: Note | None = None
    """The reason, for the reviewers."""


class WritePreview(Answer):
    """Result of a rolled-back dry run of the write."""

    answer: Annotated[dict[str, Any], doc("Answer of the write.")]
    side_effects: Annotated[list[dict[str, Any]], doc("Messages and later actions that the write would cause.")]
    changes: Annotated[
        list[dict[str, Any]] | UnsetType,
        doc("The records that would have changed: `record`, `id`, `before`, `after`; at most 200. For office staff."),
    ] = UNSET
    changes_total: Annotated[int | UnsetType, doc("Total number of records that would change.", 3)] = UNSET
    previewed_at: Annotated[datetime | UnsetType, doc("Time of the dry run.")] = UNSET
    tag: Annotated[
        str | UnsetType, doc("Tag of this preview. Approve with it to approve exactly this.", "5f0c2a9d41be7788")
    ] = UNSET


class PendingWrite(Answer):
    """A proposed write and its outcome."""

    id: int
    operation: Annotated[str, doc("Operation that would run.", "cancel_order")]
    summary: Annotated[
        str, doc("Summary of the change and its records, in one line.", "Hold an order: DEMO-0056, 5100 Yonge St")
    ]
    risk: str
    scopes: Annotated[list[str], doc("Scopes that a reviewer needs.", ["orders:write"])]
    status: ApprovalStatus
    arguments: Annotated[dict[str, Any], doc("The arguments of the call.")]
    note: str | None
    preview: WritePreview
    proposed_by: int
    proposed_by_name: str | None
    proposed_at: datetime
    expires_at: Annotated[datetime, doc("Time after which it can no longer be approved.")]
    reviewed_by: int | None = None
    reviewed_by_name: str | None = None
    reviewed_at: datetime | None = None
    review_note: str | None = None
    contents_hidden: Annotated[
        bool,
        doc(
            "True if arguments, preview, notes and answer are omitted, because the caller could not make this call.",
            False,
        ),
    ] = False
    answer: Annotated[dict[str, Any] | UnsetType, doc("Answer of the executed write.")] = UNSET


class QueuedWrite(Answer):
    """A write that waits for a human; nothing was changed."""

    result: bool = True
    queued: bool = True
    message: str
    approval: PendingWrite


class ReviewedWrite(Answer):
    """A reviewed write."""

    result: bool = True
    message: str
    approval: PendingWrite


class ReviewedWriteLine(Answer):
    """A reviewed write in one line."""

    approval_id: int
    status: ApprovalStatus
    summary: Annotated[str, doc("Summary of the change and its records.", "Hold an order: DEMO-0056, 5100 Yonge St")]


class WriteReviewError(Answer):
    """A write that stays pending."""

    approval_id: int
    code: Annotated[str, doc("Machine-readable reason.", "APPROVAL_OWN")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class ReviewedWrites(Answer):
    """Outcomes of a review. `reviewed` and `skipped` add up to the distinct writes."""

    result: Annotated[bool, doc("True if at least one was reviewed.")]
    reviewed: int
    skipped: int
    approvals: list[ReviewedWriteLine]
    errors: Annotated[list[WriteReviewError], doc("Writes that stay pending, with the reason.")]


class PendingWriteDetail(Answer):
    """One proposed write."""

    result: bool = True
    approval: PendingWrite


class PendingWriteList(PagedAnswer):
    """A page of proposed writes, newest first."""

    approvals: list[PendingWrite]


class SetApprovalPolicy(Request):
    """Approval rules of the client."""

    own_allowed: bool
    """If true, users can approve their own proposals with another token than the proposing one."""
    expires_after_h: Annotated[int, Field(ge=1, le=EXPIRES_AFTER_H_MAX)] = EXPIRES_AFTER_H
    """Hours for which a write stays pending."""


class ApprovalPolicy(Answer):
    """Approval rules of the client."""

    result: bool = True
    own_allowed: Annotated[bool, doc("True if users can approve their own proposals with another token.")]
    expires_after_h: Annotated[int, doc("Hours for which a write stays pending.")]
