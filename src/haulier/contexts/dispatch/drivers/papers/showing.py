"""Papers as people see them."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.dispatch.drivers.papers import store
from haulier.contexts.dispatch.drivers.papers.asking import today
from haulier.contexts.dispatch.drivers.papers.contract import (
    DocumentFile,
    DriverDocument,
    OneDriverDocument,
    PaperStanding,
)
from haulier.contexts.dispatch.drivers.papers.rules import KindStanding, state
from haulier.contexts.documents.public import FileFacts, facts
from haulier.kernel.call import Call


async def shown(call: Call, paper_id: int) -> OneDriverDocument:
    """One paper, which is there."""
    return OneDriverDocument(document=(await records(call, [await store.one(call.work, paper_id)]))[0])


async def records(call: Call, rows: Sequence[Any]) -> list[DriverDocument]:
    """Papers with what is known of their files, in one statement more."""
    files = await facts(call, [row.file_id for row in rows if row.file_id])
    return [_record(call, row, files.get(row.file_id)) for row in rows]


def standing_record(found: KindStanding) -> PaperStanding:
    """How a driver stands with one kind of paper."""
    return PaperStanding(
        kind=found.kind.value,
        standing=found.standing.value,
        required=found.required,
        document_id=found.document_id,
        expires_on=found.expires_on,
    )


def _record(call: Call, row: Any, file: FileFacts | None) -> DriverDocument:
    day = today(call)
    return DriverDocument(
        id=row.id,
        driver_id=row.driver_id,
        driver_name=row.driver_name,
        kind=row.kind,
        title=row.title,
        number=row.number,
        issued_on=row.issued_on,
        expires_on=row.expires_on,
        state=state(row, day).value,
        days_left=(row.expires_on - day).days if row.expires_on else None,
        file=file and DocumentFile(id=file.id, media_type=file.media_type, size_bytes=file.size, name=file.name),
        reason=row.reason,
        uploaded_by=row.uploaded_by,
        uploaded_at=row.uploaded_at.astimezone(call.time_zone),
        reviewed_by=row.reviewed_by,
        reviewed_at=row.reviewed_at and row.reviewed_at.astimezone(call.time_zone),
    )
