"""Writes are proposed, reviewed, and then carried out or rejected."""

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.actions.decisions import (
    load_pending_write,
    notify_watchers,
)
from haulier.contexts.control_tower.approvals.actions.execution import (
    encode_arguments,
    preview_write,
)
from haulier.contexts.control_tower.approvals.actions.proposals import get_proposable_write, parse_arguments
from haulier.contexts.control_tower.approvals.actions.reviews import approve_write, reject_write
from haulier.contexts.control_tower.approvals.contract import (
    ApprovalPolicy,
    ApprovalRef,
    ApproveWrite,
    ListPendingApprovals,
    PendingWriteDetail,
    PendingWriteList,
    ProposeWrite,
    QueuedWrite,
    RejectWrite,
    ReviewedWrite,
    SetApprovalPolicy,
)
from haulier.contexts.control_tower.approvals.jobs import ExpireWrite
from haulier.contexts.control_tower.approvals.rules.lifecycle import (
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
)
from haulier.contexts.control_tower.approvals.serializers import (
    to_pending_write,
    to_pending_writes,
)
from haulier.contexts.control_tower.events import WriteProposed
from haulier.kernel.call import Call
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import CANNOT_WAIT, NOT_FOUND, UNKNOWN_OPERATION

PROVIDERS_TOO = SIGNED_IN | {Account.PROVIDER}


@writes(
    "propose_write",
    audience=PROVIDERS_TOO,
    scopes={Scope.APPROVALS_READ},
    risk=Risk.LOW,
    doors=(
        Rest("POST", "/v1/approvals", status=202),
        GraphQL("proposeWrite"),
        Mcp("propose_write", title="Propose a write for a human to approve"),
    ),
    errors=(UNKNOWN_OPERATION, APPROVAL_NOT_A_WRITE, CANNOT_WAIT),
)
async def propose_write(call: Call, request: ProposeWrite) -> QueuedWrite:
    """Queue a write for a human instead of doing it.

    A dry run is made at once and its preview kept for the reviewer: what it would answer, send and change. A write whose
    dry run fails fails here, and nothing is queued. Nothing changes until somebody approves.
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
    doors=(
        Rest("GET", "/v1/approvals"),
        GraphQL("pendingApprovals"),
        Mcp("list_pending_approvals", title="List writes that wait for approval"),
    ),
)
async def list_pending_approvals(call: Call, request: ListPendingApprovals) -> PendingWriteList:
    """List the writes that wait for a human, newest first, each with its preview; or those that were decided.

    Office staff see everybody's, others their own.
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
    doors=(Rest("GET", "/v1/approvals/{approval_id}"), GraphQL("pendingApproval")),
    errors=(NOT_FOUND,),
)
async def get_pending_approval(call: Call, request: ApprovalRef) -> PendingWriteDetail:
    """Show a proposed write and its outcome: to whoever proposed it, and to those who may read approvals."""
    row = await store.get_pending_write(call.work, request.approval_id)
    reads_all = call.principal.account in OFFICE and Scope.APPROVALS_READ in call.principal.scopes
    if row is None or not (reads_all or row.proposed_by == call.actor):
        raise NOT_FOUND()
    return PendingWriteDetail(approval=await to_pending_write(call, row))


@writes(
    "approve_pending_write",
    allowed_where={"status": APPROVAL_LIFE.allowing(ApprovalAction.APPROVE)},
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/approvals/{approval_id}/approve"),
        GraphQL("approvePendingWrite"),
        Mcp("approve_pending_write", title="Approve a waiting write"),
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
    """Approve a waiting write: it runs now, exactly as shown, on behalf of whoever proposed it and with their rights.

    The reviewer holds the scopes of the write and is somebody else, unless the client allows approving one's own. A write
    that is refused, or that by now would change or send something else than its preview shows, goes on waiting; renew the
    preview then, and look again. As a dry run this shows what approving would do now.
    """
    return await approve_write(call, request.approval_id, request.note, request.preview_tag)


@writes(
    "reject_pending_write",
    allowed_where={"status": APPROVAL_LIFE.allowing(ApprovalAction.REJECT)},
    audience=OFFICE,
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", "/v1/approvals/{approval_id}/reject"),
        GraphQL("rejectPendingWrite"),
        Mcp("reject_pending_write", title="Reject a waiting write"),
    ),
    errors=(NOT_FOUND, APPROVAL_DECIDED, APPROVAL_EXPIRED),
)
async def reject_pending_write(call: Call, request: RejectWrite) -> ReviewedWrite:
    """Reject a waiting write: it never runs. Whoever proposed it may take it back so, too."""
    return await reject_write(call, request.approval_id, request.reason)


@reads(
    "get_approval_policy",
    audience=OFFICE,
    scopes={Scope.APPROVALS_READ},
    doors=(Rest("GET", "/v1/approval-policy"), GraphQL("approvalPolicy")),
)
async def get_approval_policy(call: Call, request: EmptyRequest) -> ApprovalPolicy:
    """Show who may approve and how long a write waits."""
    policy = await store.get_client_policy(call.work)
    return ApprovalPolicy(own_allowed=policy.own_allowed, expires_after_h=policy.expires_after_h)


@writes(
    "set_approval_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", "/v1/approval-policy"), GraphQL("setApprovalPolicy")),
)
async def set_approval_policy(call: Call, request: SetApprovalPolicy) -> ApprovalPolicy:
    """Set who may approve and how long a write waits. Writes that wait already keep their time."""
    await store.save_client_policy(call.work, ClientApprovalPolicy(request.own_allowed, request.expires_after_h))
    return ApprovalPolicy(own_allowed=request.own_allowed, expires_after_h=request.expires_after_h)
