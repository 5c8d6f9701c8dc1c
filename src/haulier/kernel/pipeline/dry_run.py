"""Dry run of a write: run the handler, record its effects, roll back."""

from contextlib import suppress
from typing import Any

from msgspec import Struct

from haulier.kernel.call import Call, OutboxEntry
from haulier.kernel.data.change_capture import RecordChange, RecordingUnitOfWork
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Operation, Request


class DryRun(Struct, frozen=True, kw_only=True):
    """Answer, side effects and changes of a write that was rolled back."""

    answer: Answer
    side_effects: list[OutboxEntry]
    changes: list[RecordChange]
    """All changes; a dry run of many thousand records lists as many."""


class _Undo(Exception):
    """Raised at the end of a dry run to roll back its savepoint."""


async def dry_run(call: Call, operation: Operation[Any, Any], request: Request) -> DryRun:
    """Run the handler of a write and its pre-commit hooks, then roll back.

    `call` cannot be used afterwards. Raises the same errors as the write.
    """
    recording = RecordingUnitOfWork(call.work)
    call.work, call.dry_run = recording, True
    answer: Any = None
    changes: list[RecordChange] = []
    with suppress(_Undo):
        async with recording.savepoint():
            answer = await operation.handler(call, request)
            await recording.run_deferred()
            changes = recording.changes.all()
            raise _Undo
    return DryRun(answer=answer, side_effects=call.side_effects, changes=changes)
