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
"""How many pending writes are reviewed at once."""
ApprovalId = Annotated[int, Field(ge=1, le=2**53 - 1, examples=[7])]
Note = Annotated[str, Field(max_length=NOTE_MAX, examples=["The customer asked for it by phone."])]


class ProposeWrite(Request):
    """A write that somebody else must approve before it runs."""

    tool: Annotated[str, Field(min_length=1, max_length=100, examples=["cancel_order"])]
    """The tool to call, by its name; the name of an operation does as well: describe_operation tells what it takes."""
    arguments: Annotated[dict[str, Any], Field(max_length=ARGUMENTS_MAX, examples=[{"order_id": 17}])] = {}
    """The arguments of the tool, as it would be called with. `confirm` is left out: the reviewer confirms."""
    note: Note | None = None
    """The reason, for the reviewer."""


class ListPendingApprovals(PageRequest):
    """Which proposed writes."""

    status: Annotated[
        Literal["pending", "executed", "rejected", "withdrawn", "expired"], Field(examples=["pending"])
    ] = "pending"
    """Only those with this status."""
    mine: bool = False
    """Only those that the caller proposed. Only office staff see others."""


class ApprovalRef(Request):
    """Which pending write."""

    approval_id: ApprovalId
    """The number of the pending write."""


class ApproveWrite(ApprovalRef):
    """A pending write to approve."""

    note: Note | None = None
    """Why, in words for whoever proposed it."""
    preview_tag: Annotated[str, Field(max_length=TAG_MAX, examples=["5f0c2a9d41be7788"])] | None = None
    """The tag of the preview that was looked at. When it was renewed since, nothing runs."""


class RejectWrite(ApprovalRef):
    """A pending write to reject."""

    reason: Note | None = None
    """Why, in words for whoever proposed it."""


class ApproveWrites(Request):
    """Pending writes to approve."""

    approval_ids: Annotated[list[ApprovalId], Field(min_length=1, max_length=REVIEWED_MAX, examples=[[7, 8]])]
    """The numbers of the pending writes; one named twice counts once."""
    preview_tags: Annotated[
        list[Annotated[str, Field(max_length=TAG_MAX)]],
        Field(max_length=REVIEWED_MAX, examples=[["5f0c2a9d41be7788", "90ac11e2d7f03b54"]]),
    ] = []
    """The tags of the previews that were looked at, in the order of the numbers. One renewed since does not run."""
    note: Note | None = None
    """Why, in words for whoever proposed them."""


class RejectWrites(Request):
    """Pending writes to reject."""

    approval_ids: Annotated[list[ApprovalId], Field(min_length=1, max_length=REVIEWED_MAX, examples=[[7, 8]])]
    """The numbers of the pending writes; one named twice counts once."""
    reason: Note | None = None
    """Why, in words for whoever proposed them."""


class WithdrawWrite(ApprovalRef):
    """A proposed write that its proposer takes back."""

    reason: Note | None = None
    """The reason, for the reviewers."""


class WritePreview(Answer):
    """What a dry run of the write did. It was rolled back."""

    answer: Annotated[dict[str, Any], doc("What the write answered.")]
    side_effects: Annotated[list[dict[str, Any]], doc("What would have been sent to the outside world or done later.")]
    changes: Annotated[
        list[dict[str, Any]] | UnsetType,
        doc("The records that would have changed: `record`, `id`, `before`, `after`; at most 200. For office staff."),
    ] = UNSET
    changes_total: Annotated[int | UnsetType, doc("How many records would have changed in all.", 3)] = UNSET
    previewed_at: Annotated[datetime | UnsetType, doc("When the dry run was made.")] = UNSET
    tag: Annotated[
        str | UnsetType, doc("Names this preview; approve with it to approve exactly this.", "5f0c2a9d41be7788")
    ] = UNSET


class PendingWrite(Answer):
    """A proposed write and its outcome."""

    id: int
    operation: Annotated[str, doc("The operation that would run.", "cancel_order")]
    summary: Annotated[
        str, doc("What would be done to which records, in one line.", "Hold an order: DEMO-0056, 5100 Yonge St")
    ]
    risk: str
    scopes: Annotated[list[str], doc("What a reviewer needs to hold.", ["orders:write"])]
    status: ApprovalStatus
    arguments: Annotated[dict[str, Any], doc("The arguments of the call.")]
    note: str | None
    preview: WritePreview
    proposed_by: int
    proposed_by_name: str | None
    proposed_at: datetime
    expires_at: Annotated[datetime, doc("After this nobody can approve it any more.")]
    reviewed_by: int | None = None
    reviewed_by_name: str | None = None
    reviewed_at: datetime | None = None
    review_note: str | None = None
    contents_hidden: Annotated[
        bool, doc("Arguments, preview, notes and answer are left out: the caller could not make this call.", False)
    ] = False
    answer: Annotated[dict[str, Any] | UnsetType, doc("What the write answered when it was carried out.")] = UNSET


class QueuedWrite(Answer):
    """A write that now waits for a human; nothing was changed."""

    result: bool = True
    queued: bool = True
    message: str
    approval: PendingWrite


class ReviewedWrite(Answer):
    """A write that was reviewed."""

    result: bool = True
    message: str
    approval: PendingWrite


class ReviewedWriteLine(Answer):
    """A write that was reviewed, in one line."""

    approval_id: int
    status: ApprovalStatus
    summary: Annotated[str, doc("What was done to which records.", "Hold an order: DEMO-0056, 5100 Yonge St")]


class WriteReviewError(Answer):
    """A write that goes on waiting."""

    approval_id: int
    code: Annotated[str, doc("Why, for programs.", "APPROVAL_OWN")]
    message: Annotated[str, doc("Why, in the caller's language.")]


class ReviewedWrites(Answer):
    """The outcome for each write. `reviewed` and `skipped` add up to the distinct writes named."""

    result: Annotated[bool, doc("Whether at least one was reviewed.")]
    reviewed: int
    skipped: int
    approvals: list[ReviewedWriteLine]
    errors: Annotated[list[WriteReviewError], doc("Those that go on waiting, and why.")]


class PendingWriteDetail(Answer):
    """One proposed write."""

    result: bool = True
    approval: PendingWrite


class PendingWriteList(PagedAnswer):
    """A page of proposed writes, newest first."""

    approvals: list[PendingWrite]


class SetApprovalPolicy(Request):
    """What this client allows."""

    own_allowed: bool
    """Whether people may approve what they proposed themselves, with another token than the one that proposed it."""
    expires_after_h: Annotated[int, Field(ge=1, le=EXPIRES_AFTER_H_MAX)] = EXPIRES_AFTER_H
    """How long a pending write waits, in hours."""


class ApprovalPolicy(Answer):
    """What this client allows."""

    result: bool = True
    own_allowed: Annotated[bool, doc("Whether people may approve what they proposed with another token of theirs.")]
    expires_after_h: Annotated[int, doc("How long a pending write waits, in hours.")]
