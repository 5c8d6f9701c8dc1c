"""Writes of approvals for other families."""

from datetime import datetime
from typing import Any

import msgspec

from haulier.contexts.control_tower.approvals import store
from haulier.contexts.control_tower.approvals.contract import PendingWrite, ReviewedWrite, WritePreview
from haulier.contexts.control_tower.approvals.rules import (
    APPROVAL_DECIDED,
    APPROVAL_NOT_A_WRITE,
    APPROVAL_PREVIEW_CHANGED,
    APPROVAL_PROPOSER_MAY_NOT,
    ApprovalStatus,
    WriteEffect,
    can_wait_for_approval,
    check_may_approve,
    check_may_reject,
    check_open,
    is_same_effect,
)
from haulier.contexts.control_tower.approvals.serializers import (
    compute_preview_tag,
    to_pending_write,
    to_pending_write_facts,
    to_reviewer,
)
from haulier.contexts.control_tower.approvals.store import PendingWriteRow
from haulier.contexts.control_tower.events import WriteDecided
from haulier.contexts.identity.public import get_absent_principal
from haulier.kernel.call import Call, OutboxEntry, call_within
from haulier.kernel.data.change_capture import RecordChange, RecordingUnitOfWork
from haulier.kernel.data.tables import column_marks
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.enums import Effect, Scope
from haulier.kernel.operations.errors import (
    CANNOT_WAIT,
    INVALID_REQUEST,
    INVALID_TOKEN,
    NOT_FOUND,
    FieldError,
    OperationError,
)
from haulier.kernel.operations.near_names import find_operation
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.authorise import check_access
from haulier.kernel.pipeline.dry_run import dry_run
from haulier.kernel.pipeline.hide_prices import hide_prices, require_no_price_comparison
from haulier.kernel.pipeline.local_times import to_local_times
from haulier.kernel.pipeline.reach import account_not_allowed, can_oversee
from haulier.kernel.principal import Principal
from haulier.kernel.request_context import RequestContext

APPROVALS_CHANNEL = "approvals"
"""The channel whose notices name the client whose approvals changed."""


async def lock_pending_write(call: Call, id: int) -> PendingWriteRow:
    """Lock and return a proposed write, so that it is decided once.

    Raises `NOT_FOUND`.
    """
    row = await store.get_pending_write(call.work, id, lock=True)
    if row is None or call.app.registry.get(row.operation) is None:
        raise NOT_FOUND()
    return row


async def load_pending_write(call: Call, id: int) -> PendingWrite:
    """Return a proposed write as it is now. Raises `NOT_FOUND`."""
    row = await store.get_pending_write(call.work, id)
    if row is None:
        raise NOT_FOUND()
    return await to_pending_write(call, row)


async def decide_pending_write(
    call: Call, row: PendingWriteRow, status: ApprovalStatus, note: str | None, answer: Any = None
) -> ReviewedWrite:
    """Decide a pending write. Raises `APPROVAL_DECIDED` if it was already decided."""
    if not await store.end_pending_write(call.work, row.id, status, call.now, by=call.actor, note=note, answer=answer):
        raise APPROVAL_DECIDED(status=row.status)
    call.add_audit_subjects("pending_write", row.id)
    notify_watchers(call)
    await call.publish(WriteDecided(approval_id=row.id, operation=row.operation, status=status.value))
    approval = await load_pending_write(call, row.id)
    return ReviewedWrite(message=call.translate(f"approval_{status.value}", id=row.id), approval=approval)


def notify_watchers(call: Call) -> None:
    """Notify watchers of this client's approvals after the commit."""
    call.work.notify(APPROVALS_CHANNEL, str(call.client_id))


KEPT_MAX = 2_000
"""Maximum number of changed records in a stored preview; beyond that, numbers are compared."""
DOOR = "approval"
"""Interface name in the audit trail for approved writes."""
Op = Operation[Any, Any]


async def preview_write(call: Call, operation: Op, request: Request) -> WritePreview:
    """Return the answer, side effects and changes of a write. Raises its errors."""
    require_no_price_comparison(request, call.principal.hidden_prices)
    inner = call_within(call, call.principal)
    inner.prepared = await prepare_write(call, operation, request, call.principal)
    preview = await dry_run(inner, operation, request)
    _show_to_caller(call, preview.answer)
    effect = _effect_of_run(call.now, preview.changes, preview.side_effects)
    return WritePreview(
        answer=codec.to_plain_values(preview.answer),
        side_effects=effect.side_effects,
        changes=effect.changes,
        changes_total=effect.total,
        previewed_at=effect.at,
    )


async def execute_pending_write(call: Call, row: PendingWriteRow, operation: Op) -> Answer:
    """Run a proposed write with the proposer's current rights.

    It uses the stored bytes, and is recorded as the proposer's. Raises `APPROVAL_PROPOSER_MAY_NOT`,
    `APPROVAL_PREVIEW_CHANGED` if its effect differs from its preview, or the write's own errors. It is then rolled
    back, and stays pending.
    """
    inner, request = await call_as_proposer(call, row, operation)
    require_no_price_comparison(request, inner.principal.hidden_prices)
    inner.prepared = await prepare_write(call, operation, request, inner.principal)
    recording = RecordingUnitOfWork(call.work)  # Each of several writes is compared with its own preview
    inner.work = recording
    answer = await operation.handler(inner, request)
    await recording.run_deferred()
    effect = _effect_of_run(call.now, recording.changes.all(), inner.side_effects)
    if not is_same_effect(_effect_of_preview(row), effect, column_marks()):
        raise APPROVAL_PREVIEW_CHANGED()
    if isinstance(call.work, RecordingUnitOfWork):
        call.work.changes.add(recording.changes)
    call.side_effects.extend(inner.side_effects)
    inner.add_audit_subjects("pending_write", row.id)
    await record_audit_entry(inner, operation.name, request, DOOR)
    _show_to_caller(inner, answer)
    return answer


def _show_to_caller(call: Call, answer: Answer) -> None:
    """Apply the pipeline's handling of answers to one that becomes a document."""
    hide_prices(answer, call.principal.hidden_prices)
    to_local_times(answer, call.time_zone)


async def call_as_proposer(call: Call, row: PendingWriteRow, operation: Op) -> tuple[Call, Request]:
    """Return the proposer's current call, and the request from the stored bytes.

    Raises `APPROVAL_PROPOSER_MAY_NOT`.
    """
    proposer = await get_proposer_principal(call, row)
    if error := check_access(operation, proposer, call.app.modules_missing):
        raise proposer_may_not_error(call, error)
    inner = call_within(call, proposer, row.language)
    return inner, codec.parse_request(operation.request, bytes(row.request), {})


def _effect_of_run(at: datetime, changes: list[RecordChange], side_effects: list[OutboxEntry]) -> WriteEffect:
    """Return an effect in plain JSON values, as a stored preview."""
    document = codec.encode_json([changes[:KEPT_MAX], side_effects])
    listed, sent = msgspec.json.decode(document)
    return WriteEffect(at=at, changes=listed, side_effects=sent, total=len(changes))


def _effect_of_preview(row: PendingWriteRow) -> WriteEffect:
    """Return the effect of a stored preview. Old ones lack moment and omitted count."""
    preview = msgspec.convert(row.preview, WritePreview)
    changes = preview.changes or []
    return WriteEffect(
        at=preview.previewed_at or row.proposed_at,
        changes=changes,
        side_effects=preview.side_effects,
        total=preview.changes_total if isinstance(preview.changes_total, int) else len(changes),
    )


async def prepare_write(call: Call, operation: Op, request: Request, principal: Principal) -> Any:
    """Return the prepared part of a write.

    It runs with the database held: a human has waited longer already.
    """
    if operation.prepare is None:
        return None
    context = RequestContext(app=call.app, principal=principal, address=call.address)
    return await operation.prepare(context, request)


def proposer_may_not_error(call: Call, error: OperationError) -> OperationError:
    """Return the error that the proposer lacks rights, with the reason."""
    return APPROVAL_PROPOSER_MAY_NOT(reason=call.translate(error.error_type.id, **error.params))


async def get_proposer_principal(call: Call, row: PendingWriteRow) -> Principal:
    """Return the proposer's current principal, limited to the original rights.

    Raises `APPROVAL_PROPOSER_MAY_NOT`.
    """
    scopes = [Scope(scope) for scope in row.scopes]
    proposer = await get_absent_principal(call.work, call.business, row.proposed_by, row.token_id, scopes)
    if proposer is None:
        raise proposer_may_not_error(call, INVALID_TOKEN())
    return proposer


def encode_arguments(request: Request) -> bytes:
    """Return the request as JSON that is stored, shown and run."""
    return request.model_dump_json(exclude_unset=True, by_alias=True).encode()


def get_proposable_write(call: Call, tool: str) -> Op:
    """Return the write of a tool or operation name that the caller may call.

    Raises `UNKNOWN_OPERATION`, `APPROVAL_NOT_A_WRITE`, `CANNOT_WAIT`, or the access error.
    """
    operation = find_operation(call.app.registry, tool)
    if operation.effect is not Effect.WRITE:
        raise APPROVAL_NOT_A_WRITE(operation=operation.name)
    if error := check_access(operation, call.principal, call.app.modules_missing):
        raise error
    require_can_wait(operation)
    if call.actor is None:  # a key without a user: its rights could not be checked later
        raise CANNOT_WAIT(operation=operation.name)
    return operation


def require_can_wait(operation: Op) -> None:
    """Raise `CANNOT_WAIT` for a write that must not be stored or shown."""
    if not can_wait_for_approval(operation):
        raise CANNOT_WAIT(operation=operation.name)


def parse_arguments(operation: Op, arguments: dict[str, Any]) -> Request:
    """Parse arguments into a request. Raises `INVALID_REQUEST` with all faults."""
    values = {name: value for name, value in arguments.items() if name != "confirm" or not operation.confirm}
    try:
        return codec.parse_request_values(operation.request, values)
    except OperationError as error:
        field_errors = [
            FieldError(f"arguments.{field_error.field}", field_error.code, field_error.params)
            for field_error in error.field_errors
        ]
        raise INVALID_REQUEST.for_fields(*field_errors) from None


async def approve_write(call: Call, id: int, note: str | None, preview_tag: str | None) -> ReviewedWrite:
    """Approve and run a pending write as its proposer.

    Raises the approval's or the write's errors.
    """
    row = await lock_pending_write(call, id)
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_approve(
        to_reviewer(call), facts, await store.get_client_policy(call.work)
    ):
        raise error
    operation = call.app.registry[row.operation]
    if not can_oversee(operation, call.principal):  # its contents are hidden, so nothing could be reviewed
        raise account_not_allowed(call.principal, operation)
    if preview_tag not in {None, compute_preview_tag(row)}:
        raise APPROVAL_PREVIEW_CHANGED()
    answer = await execute_pending_write(call, row, operation)
    return await decide_pending_write(call, row, ApprovalStatus.EXECUTED, note, codec.to_plain_values(answer))


async def reject_write(call: Call, id: int, reason: str | None) -> ReviewedWrite:
    """Reject a pending write; it never runs. Raises the approval's errors."""
    row = await lock_pending_write(call, id)
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_reject(to_reviewer(call), facts):
        raise error
    return await decide_pending_write(call, row, ApprovalStatus.REJECTED, reason)
