"""Many waiting writes are reviewed at once, each by itself: one that is refused goes on waiting and is named."""

from collections.abc import Awaitable, Callable, Collection

from haulier.contexts.control_tower.approvals.actions.reviews import approve_write, reject_write
from haulier.contexts.control_tower.approvals.contract import (
    ApproveWrites,
    RejectWrites,
    ReviewedWrite,
    ReviewedWriteLine,
    ReviewedWrites,
    WriteReviewError,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.pipeline.missing_record import missing_record

Review = Callable[[int], Awaitable[ReviewedWrite]]


@writes(
    "approve_pending_writes",
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/approvals/approve"),
        GraphQL("approvePendingWrites"),
        Mcp("approve_pending_writes", title="Approve many waiting writes"),
    ),
)
async def approve_pending_writes(call: Call, request: ApproveWrites) -> ReviewedWrites:
    """Approve up to 50 waiting writes, as `approve_pending_write` does with one. Those that are refused go on waiting and
    are named.
    """
    if request.preview_tags and len(request.preview_tags) != len(request.approval_ids):
        raise INVALID_REQUEST.for_fields(FieldError("preview_tags", "field.preview_tags_differ"))
    tags = dict(zip(request.approval_ids, request.preview_tags, strict=False))
    return await _review_each(
        call, request.approval_ids, lambda each: approve_write(call, each, request.note, tags.get(each))
    )


@writes(
    "reject_pending_writes",
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", "/v1/approvals/reject"),
        GraphQL("rejectPendingWrites"),
        Mcp("reject_pending_writes", title="Reject many waiting writes"),
    ),
)
async def reject_pending_writes(call: Call, request: RejectWrites) -> ReviewedWrites:
    """Reject up to 50 waiting writes, as `reject_pending_write` does with one."""
    return await _review_each(call, request.approval_ids, lambda each: reject_write(call, each, request.reason))


async def _review_each(call: Call, approval_ids: Collection[int], review: Review) -> ReviewedWrites:
    """Review in the order in which they were proposed; nothing is left of one that is refused."""
    reviewed: list[ReviewedWriteLine] = []
    errors: list[WriteReviewError] = []
    for id in sorted(set(approval_ids)):
        try:
            async with call.savepoint():
                approval = (await review(id)).approval
        except (OperationError, UniqueConflict) as error:
            refusal = missing_record(error, approval_id=id) if isinstance(error, OperationError) else CONFLICT()
            errors.append(_review_error(call, id, refusal))
        else:
            reviewed.append(ReviewedWriteLine(approval_id=id, status=approval.status, summary=approval.summary))
    return ReviewedWrites(
        result=bool(reviewed), reviewed=len(reviewed), skipped=len(errors), approvals=reviewed, errors=errors
    )


def _review_error(call: Call, id: int, error: OperationError) -> WriteReviewError:
    message = call.translate(error.error_type.id, **error.params)
    return WriteReviewError(approval_id=id, code=error.error_type.code, message=message)
