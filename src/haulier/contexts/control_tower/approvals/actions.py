"""A proposed write is run twice: once to see what it would do, rolled back, and once for good, as whoever proposed it."""

from datetime import datetime
from typing import Any

import msgspec

from haulier.contexts.control_tower.approvals.contract import WritePreview
from haulier.contexts.control_tower.approvals.rules.effects import WriteEffect, is_same_effect
from haulier.contexts.control_tower.approvals.rules.lifecycle import APPROVAL_PREVIEW_CHANGED, APPROVAL_PROPOSER_MAY_NOT
from haulier.contexts.control_tower.approvals.store import PendingWriteRow
from haulier.contexts.identity.public import get_absent_principal
from haulier.kernel.call import Call, OutboxEntry, call_within
from haulier.kernel.data.change_capture import RecordChange, RecordingUnitOfWork
from haulier.kernel.data.tables import column_marks
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import INVALID_TOKEN, OperationError
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.authorise import check_access
from haulier.kernel.pipeline.dry_run import dry_run
from haulier.kernel.pipeline.hide_prices import hide_prices, require_no_price_comparison
from haulier.kernel.pipeline.local_times import tell_local_times
from haulier.kernel.principal import Principal
from haulier.kernel.request_context import RequestContext

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
