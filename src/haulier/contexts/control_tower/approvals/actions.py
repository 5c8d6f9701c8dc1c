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
from haulier.kernel.pipeline.local_times import tell_local_times
from haulier.kernel.pipeline.reach import account_not_allowed, can_oversee
from haulier.kernel.principal import Principal
from haulier.kernel.request_context import RequestContext

APPROVALS_CHANNEL = "approvals"
"""The channel whose notices name the client whose approvals changed."""


async def lock_pending_write(call: Call, id: int) -> PendingWriteRow:
    """The row, held until the transaction ends, so that two do not decide at once. Raises `NOT_FOUND`."""
    row = await store.get_pending_write(call.work, id, lock=True)
    if row is None or call.app.registry.get(row.operation) is None:
        raise NOT_FOUND()
    return row


async def load_pending_write(call: Call, id: int) -> PendingWrite:
    """A proposed write as it is now. Raises `NOT_FOUND`."""
    row = await store.get_pending_write(call.work, id)
    if row is None:
        raise NOT_FOUND()
    return await to_pending_write(call, row)


async def decide_pending_write(
    call: Call, row: PendingWriteRow, status: ApprovalStatus, note: str | None, answer: Any = None
) -> ReviewedWrite:
    """End the wait. Raises `APPROVAL_DECIDED` when it has ended before."""
    if not await store.end_pending_write(call.work, row.id, status, call.now, by=call.actor, note=note, answer=answer):
        raise APPROVAL_DECIDED(status=row.status)
    call.add_audit_subjects("pending_write", row.id)
    notify_watchers(call)
    await call.publish(WriteDecided(approval_id=row.id, operation=row.operation, status=status.value))
    approval = await load_pending_write(call, row.id)
    return ReviewedWrite(message=call.translate(f"approval_{status.value}", id=row.id), approval=approval)


def notify_watchers(call: Call) -> None:
    """Wake whoever watches the approvals of this client, after the commit."""
    call.work.notify(APPROVALS_CHANNEL, str(call.client_id))


KEPT_MAX = 2_000
"""How many changed records of a dry run are stored and compared; beyond that, their number is compared."""
DOOR = "approval"
"""The door that the audit trail names for what an approval carried out."""
Op = Operation[Any, Any]


async def preview_write(call: Call, operation: Op, request: Request) -> WritePreview:
    """What a write would answer, send and change for this caller. Raises whatever error the write would raise."""
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
    """Run what was proposed, from the bytes that were shown, with the rights the proposer has now; recorded as theirs.

    Raises `APPROVAL_PROPOSER_MAY_NOT`, `APPROVAL_PREVIEW_CHANGED` when it does something else than its preview showed, or
    whatever error the write raises. Nothing of it remains then, and it goes on waiting.
    """
    inner, request = await call_as_proposer(call, row, operation)
    require_no_price_comparison(request, inner.principal.hidden_prices)
    inner.prepared = await prepare_write(call, operation, request, inner.principal)
    recording = RecordingUnitOfWork(call.work)  # Why: of several in one call, each is compared with its own preview
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
    """What the pipeline does with an answer: this one becomes a document before it gets there."""
    hide_prices(answer, call.principal.hidden_prices)
    tell_local_times(answer, call.time_zone)


async def call_as_proposer(call: Call, row: PendingWriteRow, operation: Op) -> tuple[Call, Request]:
    """The call as its proposer would make it now, and the request from the bytes that were shown.

    Raises `APPROVAL_PROPOSER_MAY_NOT`.
    """
    proposer = await get_proposer_principal(call, row)
    if error := check_access(operation, proposer, call.app.modules_missing):
        raise proposer_may_not_error(call, error)
    inner = call_within(call, proposer, row.language)
    return inner, codec.parse_request(operation.request, bytes(row.request), {})


def _effect_of_run(at: datetime, changes: list[RecordChange], side_effects: list[OutboxEntry]) -> WriteEffect:
    """The effect in the plain values of JSON, as a stored preview reads back."""
    document = codec.encode_json([changes[:KEPT_MAX], side_effects])
    listed, sent = msgspec.json.decode(document)
    return WriteEffect(at=at, changes=listed, side_effects=sent, total=len(changes))


def _effect_of_preview(row: PendingWriteRow) -> WriteEffect:
    """What the kept preview showed. Those of earlier versions know neither their moment nor how much they left out."""
    preview = msgspec.convert(row.preview, WritePreview)
    changes = preview.changes or []
    return WriteEffect(
        at=preview.previewed_at or row.proposed_at,
        changes=changes,
        side_effects=preview.side_effects,
        total=preview.changes_total if isinstance(preview.changes_total, int) else len(changes),
    )


async def prepare_write(call: Call, operation: Op, request: Request, principal: Principal) -> Any:
    """What the slow part of a write gives. Here it runs while the database is held: a human has waited longer already."""
    if operation.prepare is None:
        return None
    context = RequestContext(app=call.app, principal=principal, address=call.address)
    return await operation.prepare(context, request)


def proposer_may_not_error(call: Call, error: OperationError) -> OperationError:
    """That the proposer may not do it any more, with the reason in the reviewer's words."""
    return APPROVAL_PROPOSER_MAY_NOT(reason=call.translate(error.error_type.id, **error.params))


async def get_proposer_principal(call: Call, row: PendingWriteRow) -> Principal:
    """The proposer as they are now, with no more rights than at the time. Raises `APPROVAL_PROPOSER_MAY_NOT`."""
    scopes = [Scope(scope) for scope in row.scopes]
    proposer = await get_absent_principal(call.work, call.business, row.proposed_by, row.token_id, scopes)
    if proposer is None:
        raise proposer_may_not_error(call, INVALID_TOKEN())
    return proposer


def encode_arguments(request: Request) -> bytes:
    """The request as JSON that reads back as itself: what is kept, shown and run."""
    return request.model_dump_json(exclude_unset=True, by_alias=True).encode()


def get_proposable_write(call: Call, tool: str) -> Op:
    """The write behind the name of a tool or an operation, which the caller may call.

    Raises `UNKNOWN_OPERATION`, `APPROVAL_NOT_A_WRITE`, `CANNOT_WAIT`, or why the caller may not.
    """
    operation = find_operation(call.app.registry, tool)
    if operation.effect is not Effect.WRITE:
        raise APPROVAL_NOT_A_WRITE(operation=operation.name)
    if error := check_access(operation, call.principal, call.app.modules_missing):
        raise error
    require_can_wait(operation)
    if call.actor is None:  # a key without a user: nobody whose rights could be asked about later
        raise CANNOT_WAIT(operation=operation.name)
    return operation


def require_can_wait(operation: Op) -> None:
    """Raises `CANNOT_WAIT` for a write that must not be kept or shown."""
    if not can_wait_for_approval(operation):
        raise CANNOT_WAIT(operation=operation.name)


def parse_arguments(operation: Op, arguments: dict[str, Any]) -> Request:
    """The arguments as the operation's request. Raises `INVALID_REQUEST` with every fault below `arguments`."""
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
    """Carry out a waiting write as whoever proposed it. Raises why it may not be approved, or why it is refused by now."""
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
    """Reject a waiting write: it never runs. Raises why it may not be rejected."""
    row = await lock_pending_write(call, id)
    facts = to_pending_write_facts(call, row)
    if error := check_open(facts, call.now) or check_may_reject(to_reviewer(call), facts):
        raise error
    return await decide_pending_write(call, row, ApprovalStatus.REJECTED, reason)
