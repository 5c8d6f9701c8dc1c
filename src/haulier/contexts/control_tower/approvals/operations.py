"""Operations on approvals."""

from collections.abc import Awaitable, Callable, Collection

import msgspec

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.actions import (
    Op,
    approve_write,
    call_as_proposer,
    decide_pending_write,
    encode_arguments,
    get_proposable_write,
    load_pending_write,
    lock_pending_write,
    notify_watchers,
    parse_arguments,
    preview_write,
    reject_write,
    require_can_wait,
)
from haulier.contexts.control_tower.approvals.contract import (
    ApprovalPolicy,
    ApprovalRef,
    ApproveWrite,
    ApproveWrites,
    ListPendingApprovals,
    PendingWriteDetail,
    PendingWriteList,
    ProposeWrite,
    QueuedWrite,
    RejectWrite,
    RejectWrites,
    ReviewedWrite,
    ReviewedWriteLine,
    ReviewedWrites,
    SetApprovalPolicy,
    WithdrawWrite,
    WriteReviewError,
)
from haulier.contexts.control_tower.approvals.jobs import ExpireWrite
from haulier.contexts.control_tower.approvals.rules import (
    APPROVAL_DECIDED,
    APPROVAL_EXPIRED,
    APPROVAL_LIFE,
    APPROVAL_NOT_A_WRITE,
    APPROVAL_OWN,
    APPROVAL_PREVIEW_CHANGED,
    APPROVAL_PROPOSER_MAY_NOT,
    ApprovalAction,
    ApprovalStatus,
    ClientApprovalPolicy,
    check_may_reject,
    check_open,
)
from haulier.contexts.control_tower.approvals.serializers import (
    to_pending_write,
    to_pending_write_facts,
    to_pending_writes,
    to_reviewer,
)
from haulier.contexts.control_tower.events import WriteProposed
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import (
    CANNOT_WAIT,
    CONFLICT,
    INVALID_REQUEST,
    NOT_FOUND,
    UNKNOWN_OPERATION,
    FieldError,
    OperationError,
)
from haulier.kernel.pipeline.missing_record import missing_record

PROVIDERS_TOO = SIGNED_IN | {Account.PROVIDER}


@writes(
    "propose_write",
    audience=PROVIDERS_TOO,
    scopes={Scope.APPROVALS_READ},
    risk=Risk.LOW,
    interfaces=(
        Rest("POST", "/v1/approvals", status=202),
        GraphQL("proposeWrite"),
        Mcp("propose_write", title="Propose a write for approval"),
    ),
    errors=(UNKNOWN_OPERATION, APPROVAL_NOT_A_WRITE, CANNOT_WAIT),
)
async def propose_write(call: Call, request: ProposeWrite) -> QueuedWrite:
    """Propose a write for human approval.

    A dry run is made at once, and its preview stored for the reviewer: answer, messages and changes. A write whose dry
    run fails is rejected, and nothing is queued. Nothing changes until it is approved.
    """
    operation = get_proposable_write(call, request.tool)
    proposed = parse_arguments(operation, request.arguments)
    preview = await preview_write(call, operation, proposed)
    expires_at = call.now + (await store.get_client_policy(call.work)).waiting_time
    id = await store.insert_pending_write(
        call.work,
        operation=operation.name,
        request=encode_arguments(proposed),
        note=request.note,
        preview=codec.to_plain_values(preview),
        proposed_by=call.actor,
        token_id=call.principal.token_id,
        scopes=sorted(call.principal.scopes),
        language=call.language,
        proposed_at=call.now,
        expires_at=expires_at,
    )
    call.add_audit_subjects("pending_write", id)
    notify_watchers(call)
    await call.enqueue("approvals.expire", ExpireWrite(approval_id=id), run_at=expires_at)
    await call.publish(WriteProposed(approval_id=id, operation=operation.name, proposed_by=call.actor or 0))
    approval = await load_pending_write(call, id)
    return QueuedWrite(message=call.translate("approval_queued", id=id), approval=approval)


@reads(
    "list_pending_approvals",
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    interfaces=(
        Rest("GET", "/v1/approvals"),
        GraphQL("pendingApprovals"),
        Mcp("list_pending_approvals", title="List pending approvals"),
    ),
)
async def list_pending_approvals(call: Call, request: ListPendingApprovals) -> PendingWriteList:
    """List proposed writes, newest first.

    Pending writes with their previews, or decided ones. Staff see all, others their own.
    """
    mine = call.actor if request.mine or call.principal.account not in OFFICE else None
    rows, total = await store.list_pending_write_rows(
        call.work,
        ApprovalStatus(request.status),
        call.now,
        proposed_by=mine,
        limit=request.per_page,
        offset=request.offset,
    )
    pending = await to_pending_writes(call, rows)
    return PendingWriteList(total=total, page=request.page, per_page=request.per_page, approvals=pending)


@reads(
    "get_pending_approval",
    audience=PROVIDERS_TOO,
    interfaces=(Rest("GET", "/v1/approvals/{approval_id}"), GraphQL("pendingApproval")),
    errors=(NOT_FOUND,),
)
async def get_pending_approval(call: Call, request: ApprovalRef) -> PendingWriteDetail:
    """Get a proposed write and its outcome.

    For its proposer, and those who may read approvals.
    """
    row = await store.get_pending_write(call.work, request.approval_id)
    reads_all = call.principal.account in OFFICE and Scope.APPROVALS_READ in call.principal.scopes
    if row is None or not (reads_all or row.proposed_by == call.actor):
        raise NOT_FOUND()
    return PendingWriteDetail(approval=await to_pending_write(call, row))


@writes(
    "approve_pending_write",
    available_when={"status": APPROVAL_LIFE.allowing(ApprovalAction.APPROVE)},
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/approvals/{approval_id}/approve"),
        GraphQL("approvePendingWrite"),
        Mcp("approve_pending_write", title="Approve a pending write"),
    ),
    errors=(
        NOT_FOUND,
        APPROVAL_DECIDED,
        APPROVAL_EXPIRED,
        APPROVAL_OWN,
        APPROVAL_PREVIEW_CHANGED,
        APPROVAL_PROPOSER_MAY_NOT,
    ),
)
async def approve_pending_write(call: Call, request: ApproveWrite) -> ReviewedWrite:
    """Approve a pending write.

    It runs now, exactly as shown, with the proposer's rights. The reviewer needs the scopes of the write and must be
    another user, unless the client allows own approvals. A write that fails, or whose effect would differ from its
    preview, stays pending: renew the preview, and review it again. A dry run shows the current effect.
    """
    return await approve_write(call, request.approval_id, request.note, request.preview_tag)


@writes(
    "reject_pending_write",
    available_when={"status": APPROVAL_LIFE.allowing(ApprovalAction.REJECT)},
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/approvals/{approval_id}/reject"),
        GraphQL("rejectPendingWrite"),
        Mcp("reject_pending_write", title="Reject a pending write"),
    ),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED),
)
async def reject_pending_write(call: Call, request: RejectWrite) -> ReviewedWrite:
    """Reject a pending write.

    It never runs. Its proposer can also withdraw it this way.
    """
    return await reject_write(call, request.approval_id, request.reason)


@reads(
    "get_approval_policy",
    audience=OFFICE,
    scopes={Scope.APPROVALS_READ},
    interfaces=(Rest("GET", "/v1/approval-policy"), GraphQL("approvalPolicy")),
)
async def get_approval_policy(call: Call, request: EmptyRequest) -> ApprovalPolicy:
    """Get the approval policy.

    Returns who may approve, and how long a write waits.
    """
    policy = await store.get_client_policy(call.work)
    return ApprovalPolicy(own_allowed=policy.own_allowed, expires_after_h=policy.expires_after_h)


@writes(
    "set_approval_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", "/v1/approval-policy"), GraphQL("setApprovalPolicy")),
)
async def set_approval_policy(call: Call, request: SetApprovalPolicy) -> ApprovalPolicy:
    """Set the approval policy.

    Sets who may approve, and how long a write waits. Pending writes keep their time.
    """
    await store.save_client_policy(call.work, ClientApprovalPolicy(request.own_allowed, request.expires_after_h))
    return ApprovalPolicy(own_allowed=request.own_allowed, expires_after_h=request.expires_after_h)


class ApprovalGate:
    """Conversion of writes into proposals."""

    def to_proposal(self, operation: Op, request: Request) -> tuple[Op, Request]:
        """Return the proposal of a write; a proposal is its own.

        Raises `CANNOT_WAIT` for one that must not be stored or shown.
        """
        if operation is propose_write:
            return operation, request
        require_can_wait(operation)
        arguments = msgspec.json.decode(encode_arguments(request))
        return propose_write, ProposeWrite(tool=operation.name, arguments=arguments)


Review = Callable[[int], Awaitable[ReviewedWrite]]


@writes(
    "approve_pending_writes",
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/approvals/approve"),
        GraphQL("approvePendingWrites"),
        Mcp("approve_pending_writes", title="Approve pending writes"),
    ),
)
async def approve_pending_writes(call: Call, request: ApproveWrites) -> ReviewedWrites:
    """Approve up to 50 pending writes.

    Each is approved as by `approve_pending_write`. Failed ones stay pending and are listed.
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
    interfaces=(
        Rest("POST", "/v1/approvals/reject"),
        GraphQL("rejectPendingWrites"),
        Mcp("reject_pending_writes", title="Reject pending writes"),
    ),
)
async def reject_pending_writes(call: Call, request: RejectWrites) -> ReviewedWrites:
    """Reject up to 50 pending writes.

    Each is rejected as by `reject_pending_write`.
    """
    return await _review_each(call, request.approval_ids, lambda each: reject_write(call, each, request.reason))


async def _review_each(call: Call, approval_ids: Collection[int], review: Review) -> ReviewedWrites:
    """Review each write in order of proposal; a failing one is rolled back."""
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


@writes(
    "withdraw_pending_write",
    available_when={"status": APPROVAL_LIFE.allowing(ApprovalAction.WITHDRAW)},
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    interfaces=(Rest("POST", "/v1/approvals/{approval_id}/withdraw"), GraphQL("withdrawPendingWrite")),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED),
)
async def withdraw_pending_write(call: Call, request: WithdrawWrite) -> ReviewedWrite:
    """Withdraw your own pending write.

    It never runs.
    """
    row = await lock_pending_write(call, request.approval_id)
    if row.proposed_by != call.actor:
        raise NOT_FOUND()
    if error := check_open(to_pending_write_facts(call, row), call.now):
        raise error
    return await decide_pending_write(call, row, ApprovalStatus.WITHDRAWN, request.reason)


@writes(
    "renew_pending_write",
    available_when={"status": APPROVAL_LIFE.allowing(ApprovalAction.APPROVE)},
    audience=SIGNED_IN,
    scopes={Scope.APPROVALS_READ},
    interfaces=(Rest("POST", "/v1/approvals/{approval_id}/renew"), GraphQL("renewPendingWrite")),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_PROPOSER_MAY_NOT),
)
async def renew_pending_write(call: Call, request: ApprovalRef) -> PendingWriteDetail:
    """Renew the preview of a pending write.

    Makes another dry run as the proposer and stores its result. For the proposer, and for staff with the scopes of the
    write. A write that fails now is rejected here, and keeps its preview.
    """
    row = await lock_pending_write(call, request.approval_id)
    if row.proposed_by != call.actor and call.principal.account not in OFFICE:
        raise NOT_FOUND()
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_reject(to_reviewer(call), facts):
        raise error
    operation = call.app.registry[row.operation]
    proposer, proposed = await call_as_proposer(call, row, operation)
    await store.update_preview(
        call.work, row.id, codec.to_plain_values(await preview_write(proposer, operation, proposed))
    )
    call.add_audit_subjects("pending_write", row.id)
    notify_watchers(call)
    return PendingWriteDetail(approval=await load_pending_write(call, row.id))
