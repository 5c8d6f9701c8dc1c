"""A proposed write as the world sees it."""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.control_tower.approvals.contract import PendingWrite, WritePreview
from haulier.contexts.control_tower.approvals.rules.lifecycle import (
    ApprovalStatus,
    PendingWriteFacts,
    Reviewer,
    effective_status,
)
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.data.change_capture import MAX_LISTED_CHANGES
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.enums import Scope
from haulier.kernel.pipeline.hide_prices import hide_prices


async def to_pending_writes(call: Call, rows: Iterable[Any]) -> list[PendingWrite]:
    """Proposed writes with the names of who proposed and reviewed them, in one more statement."""
    rows = list(rows)
    ids = {id for row in rows for id in (row.proposed_by, row.reviewed_by) if id is not None}
    names = {user.id: user.name for user in (await get_users_by_id(call, ids)).values()}
    return [_pending_write_record(call, row, names) for row in rows]


async def to_pending_write(call: Call, row: Any) -> PendingWrite:
    """One proposed write."""
    return (await to_pending_writes(call, [row]))[0]


def compute_preview_tag(row: Any) -> str:
    """The name of the preview that is kept now."""
    return hashlib.sha256(msgspec.json.encode(row.preview, order="deterministic")).hexdigest()[:16]


def to_pending_write_facts(call: Call, row: Any) -> PendingWriteFacts:
    """What the rules need to know of a row. An operation that this version no longer has asks for a scope nobody holds."""
    operation = call.app.registry[row.operation]
    return PendingWriteFacts(
        status=ApprovalStatus(row.status),
        expires_at=row.expires_at,
        proposed_by=row.proposed_by,
        token_id=row.token_id,
        scopes=operation.scopes,
    )


def to_reviewer(call: Call) -> Reviewer:
    """The caller, as the one who reviews."""
    caller = call.principal
    return Reviewer(user_id=caller.user_id, token_id=caller.token_id, scopes=caller.scopes)


def _pending_write_record(call: Call, row: Any, names: dict[int, str]) -> PendingWrite:
    operation = call.app.registry.get(row.operation)
    preview = msgspec.convert(row.preview, WritePreview)
    preview.tag = compute_preview_tag(row)
    preview.changes = preview.changes[:MAX_LISTED_CHANGES] if preview.changes and call.principal.sees_records else UNSET
    if operation and call.principal.hidden_prices:
        preview.answer = _without_prices(call, operation.answer, preview.answer)
    return PendingWrite(
        id=row.id,
        operation=row.operation,
        summary=operation.summary if operation else row.operation,
        risk=operation.risk.value if operation else "high",
        scopes=sorted(operation.scopes) if operation else sorted(Scope),
        status=effective_status(ApprovalStatus(row.status), row.expires_at, call.now),
        arguments=decode_arguments(bytes(row.request)),
        note=row.note,
        preview=preview,
        proposed_by=row.proposed_by,
        proposed_by_name=names.get(row.proposed_by),
        proposed_at=row.proposed_at,
        expires_at=row.expires_at,
        reviewed_by=row.reviewed_by,
        reviewed_by_name=names.get(row.reviewed_by),
        reviewed_at=row.reviewed_at,
        review_note=row.review_note,
        answer=UNSET if row.answer is None else row.answer,
    )


def _without_prices(call: Call, kind: type[Answer], plain: dict[str, Any]) -> dict[str, Any]:
    """An answer that was kept, without the prices that are hidden from the caller by now."""
    try:
        answer = msgspec.convert(plain, kind)
    except msgspec.ValidationError:  # kept by a version that answered otherwise
        return {}
    hide_prices(answer, call.principal.hidden_prices)
    return codec.to_plain_values(answer)


def decode_arguments(document: bytes) -> dict[str, Any]:
    """The kept request as plain values."""
    return msgspec.json.decode(document)
