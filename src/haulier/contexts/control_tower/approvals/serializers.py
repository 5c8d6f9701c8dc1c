"""A proposed write as an answer."""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.control_tower.approvals.contract import PendingWrite, WritePreview
from haulier.contexts.control_tower.approvals.rules import (
    ApprovalStatus,
    PendingWriteFacts,
    Reviewer,
    describe_write,
    effective_status,
)
from haulier.contexts.control_tower.approvals.store import PendingWriteRow
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.data.change_capture import MAX_LISTED_CHANGES
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Mcp, Operation
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.hide_prices import hide_prices
from haulier.kernel.pipeline.reach import can_oversee


async def to_pending_writes(call: Call, rows: Iterable[PendingWriteRow]) -> list[PendingWrite]:
    """Return proposed writes with names of proposers and reviewers.

    Uses one more statement.
    """
    rows = list(rows)
    ids = {id for row in rows for id in (row.proposed_by, row.reviewed_by) if id is not None}
    names = {id: user.name for id, user in (await get_users_by_id(call, ids)).items()}
    return [_pending_write_record(call, row, names) for row in rows]


async def to_pending_write(call: Call, row: PendingWriteRow) -> PendingWrite:
    """One proposed write."""
    return (await to_pending_writes(call, [row]))[0]


def compute_preview_tag(row: PendingWriteRow) -> str:
    """Return the tag of the stored preview: its digest."""
    return hashlib.sha256(msgspec.json.encode(row.preview, order="deterministic")).hexdigest()[:16]


def to_pending_write_facts(call: Call, row: PendingWriteRow) -> PendingWriteFacts:
    """Return the facts of a row for the rules.

    The operation must exist in this version.
    """
    operation = call.app.registry[row.operation]
    return PendingWriteFacts(
        status=ApprovalStatus(row.status),
        expires_at=row.expires_at,
        proposed_by=row.proposed_by,
        token_id=row.token_id,
        scopes=operation.scopes,
    )


def to_reviewer(call: Call) -> Reviewer:
    """Return the caller as reviewer."""
    caller = call.principal
    return Reviewer(user_id=caller.user_id, token_id=caller.token_id, scopes=caller.scopes)


def _pending_write_record(call: Call, row: PendingWriteRow, names: dict[int, str]) -> PendingWrite:
    operation = call.app.registry.get(row.operation)
    if operation is None or not can_oversee(operation, call.principal):
        return _record_without_contents(call, row, operation, names)
    preview = msgspec.convert(row.preview, WritePreview)
    preview.tag = compute_preview_tag(row)
    preview.changes = preview.changes[:MAX_LISTED_CHANGES] if preview.changes and call.principal.sees_records else UNSET
    if call.principal.hidden_prices:
        preview.answer = _without_prices(call, operation.answer, preview.answer)
    return record(
        PendingWrite,
        row,
        **_standing(call, row, operation, names),
        summary=describe_write(_title(operation), preview.answer),
        arguments=decode_arguments(bytes(row.request)),
        preview=preview,
        contents_hidden=False,
        answer=UNSET if row.answer is None else row.answer,
    )


def _record_without_contents(
    call: Call, row: PendingWriteRow, operation: Operation[Any, Any] | None, names: dict[int, str]
) -> PendingWrite:
    """Return a write for a caller who could not make the call.

    Operation, status, users and times only.
    """
    return record(
        PendingWrite,
        row,
        **_standing(call, row, operation, names),
        summary=_title(operation) if operation else row.operation,
        arguments={},
        preview=WritePreview(answer={}, side_effects=[]),
        contents_hidden=True,
        note=None,
        review_note=None,
        answer=UNSET,
    )


def _standing(
    call: Call, row: PendingWriteRow, operation: Operation[Any, Any] | None, names: dict[int, str]
) -> dict[str, Any]:
    return {
        "risk": operation.risk.value if operation else "high",
        "scopes": sorted(operation.scopes) if operation else sorted(Scope),
        "status": effective_status(ApprovalStatus(row.status), row.expires_at, call.now),
        "proposed_by_name": names.get(row.proposed_by),
        "reviewed_by_name": None if row.reviewed_by is None else names.get(row.reviewed_by),
    }


def _title(operation: Operation[Any, Any]) -> str:
    tools = (interface for interface in operation.interfaces if isinstance(interface, Mcp))
    return next((tool.title for tool in tools if tool.title), operation.name.replace("_", " ").capitalize())


def _without_prices(call: Call, kind: type[Answer], plain: dict[str, Any]) -> dict[str, Any]:
    """Return a stored answer without prices now hidden from the caller."""
    try:
        answer = msgspec.convert(plain, kind)
    except msgspec.ValidationError:  # stored by a version that answered otherwise
        return {}
    hide_prices(answer, call.principal.hidden_prices)
    return codec.to_plain_values(answer)


def decode_arguments(document: bytes) -> dict[str, Any]:
    """Return the stored request as plain values."""
    return msgspec.json.decode(document)
