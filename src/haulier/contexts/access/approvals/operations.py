"""Writes are proposed, looked at, and then carried out or turned down."""

from haulier.contexts.access.approvals import store
from haulier.contexts.access.approvals.contract import (
    ApprovalPolicy,
    ApproveWrite,
    ListPendingApprovals,
    PendingWriteAnswer,
    PendingWrites,
    ProposeWrite,
    QueuedWrite,
    RejectWrite,
    ReviewedWrite,
    SetApprovalPolicy,
    ThisApproval,
)
from haulier.contexts.access.approvals.deciding import decided, locked, tell
from haulier.contexts.access.approvals.expiring import ExpireWrite
from haulier.contexts.access.approvals.proposing import asked_of, named
from haulier.contexts.access.approvals.rules import (
    APPROVAL_DECIDED,
    APPROVAL_EXPIRED,
    APPROVAL_NOT_A_WRITE,
    APPROVAL_OWN,
    APPROVAL_PREVIEW_CHANGED,
    APPROVAL_PROPOSER_MAY_NOT,
    ApprovalStatus,
    Policy,
    why_not_approved_by,
    why_not_open,
    why_not_rejected_by,
)
from haulier.contexts.access.approvals.running import as_asked, carry_out, rehearse
from haulier.contexts.access.approvals.showing import record_of, records, reviewer, tag_of, waiting
from haulier.contexts.access.events import WriteProposed
from haulier.kernel import codec
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.errors import CANNOT_WAIT, NOT_FOUND, UNKNOWN_OPERATION
from haulier.kernel.operation import GraphQL, Mcp, Nothing, Rest, reads, writes

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

    It is rehearsed at once and the preview kept for the reviewer: what it would answer, send and change. What is refused in
    the rehearsal is refused here, and nothing is queued. Nothing changes until somebody approves.
    """
    operation = named(call, request.tool)
    asked = asked_of(operation, request.arguments)
    preview = await rehearse(call, operation, asked)
    expires_at = call.now + (await store.policy(call.work)).patience
    id = await store.add(
        call.work,
        operation=operation.name,
        request=as_asked(asked),
        note=request.note,
        preview=codec.plain(preview),
        proposed_by=call.actor,
        token_id=call.principal.token_id,
        scopes=sorted(call.principal.scopes),
        language=call.language,
        proposed_at=call.now,
        expires_at=expires_at,
    )
    call.concerns("pending_write", id)
    tell(call)
    await call.post("approvals.expire", ExpireWrite(approval_id=id), run_at=expires_at)
    await call.announce(WriteProposed(approval_id=id, operation=operation.name, proposed_by=call.actor or 0))
    approval = await record_of(call, await store.one(call.work, id))
    return QueuedWrite(message=call.say("approval_queued", id=id), approval=approval)


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
async def list_pending_approvals(call: Call, request: ListPendingApprovals) -> PendingWrites:
    """List the writes that wait for a human, newest first, each with its preview; or those that were decided.

    People at a desk of the client see everybody's, others their own.
    """
    mine = call.actor if request.mine or call.principal.account not in OFFICE else None
    rows, total = await store.page(
        call.work,
        ApprovalStatus(request.status),
        call.now,
        proposed_by=mine,
        limit=request.per_page,
        offset=request.offset,
    )
    shown = await records(call, rows)
    return PendingWrites(total=total, page=request.page, per_page=request.per_page, approvals=shown)


@reads(
    "get_pending_approval",
    audience=PROVIDERS_TOO,
    doors=(Rest("GET", "/v1/approvals/{approval_id}"), GraphQL("pendingApproval")),
    errors=(NOT_FOUND,),
)
async def get_pending_approval(call: Call, request: ThisApproval) -> PendingWriteAnswer:
    """Show a proposed write and what became of it: to whoever proposed it, and to those who may read approvals."""
    row = await store.one(call.work, request.approval_id)
    reads_all = call.principal.account in OFFICE and Scope.APPROVALS_READ in call.principal.scopes
    if row is None or not (reads_all or row.proposed_by == call.actor):
        raise NOT_FOUND()
    return PendingWriteAnswer(approval=await record_of(call, row))


@writes(
    "approve_pending_write",
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
    row = await locked(call, request.approval_id)
    facts = waiting(call, row)
    if refusal := why_not_open(facts, call.now) or why_not_approved_by(
        reviewer(call), facts, await store.policy(call.work)
    ):
        raise refusal
    if request.preview_tag not in {None, tag_of(row)}:
        raise APPROVAL_PREVIEW_CHANGED()
    answer = await carry_out(call, row, call.house.registry[row.operation])
    return await decided(call, row, ApprovalStatus.EXECUTED, request.note, codec.plain(answer))


@writes(
    "reject_pending_write",
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
    row = await locked(call, request.approval_id)
    facts = waiting(call, row)
    if refusal := why_not_open(facts, call.now) or why_not_rejected_by(reviewer(call), facts):
        raise refusal
    return await decided(call, row, ApprovalStatus.REJECTED, request.reason)


@reads(
    "get_approval_policy",
    audience=OFFICE,
    scopes={Scope.APPROVALS_READ},
    doors=(Rest("GET", "/v1/approval-policy"), GraphQL("approvalPolicy")),
)
async def get_approval_policy(call: Call, request: Nothing) -> ApprovalPolicy:
    """Show who may approve and how long a write waits."""
    policy = await store.policy(call.work)
    return ApprovalPolicy(own_allowed=policy.own_allowed, expires_after_h=policy.expires_after_h)


@writes(
    "set_approval_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", "/v1/approval-policy"), GraphQL("setApprovalPolicy")),
)
async def set_approval_policy(call: Call, request: SetApprovalPolicy) -> ApprovalPolicy:
    """Say who may approve and how long a write waits. Writes that wait already keep their time."""
    await store.set_policy(call.work, Policy(request.own_allowed, request.expires_after_h))
    return ApprovalPolicy(own_allowed=request.own_allowed, expires_after_h=request.expires_after_h)
