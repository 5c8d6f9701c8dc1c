"""The dry run of a write: its handler runs with a record of what it changes and sends, and then everything is undone."""

from contextlib import suppress
from typing import Any

from msgspec import Struct

from haulier.kernel.call import Call, OutboxEntry
from haulier.kernel.data.change_capture import RecordChange, RecordingUnitOfWork
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Operation, Request


class DryRun(Struct, frozen=True, kw_only=True):
    """What a write would answer, send and change."""

    answer: Answer
    side_effects: list[OutboxEntry]
    changes: list[RecordChange]
    """All of them; a dry run of many thousand records lists many thousand."""


class _Undo(Exception):
    """Raised at the end of a dry run, so that its savepoint is rolled back."""


async def dry_run(call: Call, operation: Operation[Any, Any], request: Request) -> DryRun:
    """Run the handler of a write and undo it. What pre-commit hooks do counts as its doing.

    `call` must be of the dry run alone: afterwards it is used up. Raises whatever error the write would raise.
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
