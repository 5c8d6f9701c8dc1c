"""Papers as people see them."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.documents.public import FileFacts, get_file_facts
from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.contract import (
    DriverDocument,
    DriverDocumentAnswer,
    DriverDocumentFile,
    DriverDocumentSummary,
)
from haulier.contexts.fleet.driver_documents.queries import get_business_day
from haulier.contexts.fleet.driver_documents.rules import DocumentKindStatus, document_state
from haulier.kernel.call import Call


async def load_driver_document(call: Call, paper_id: int) -> DriverDocumentAnswer:
    """One paper, which is there."""
    return DriverDocumentAnswer(
        document=(await serialize_driver_documents(call, [await store.get_driver_document_row(call.work, paper_id)]))[0]
    )


async def serialize_driver_documents(call: Call, rows: Sequence[Any]) -> list[DriverDocument]:
    """Papers with what is known of their files, in one statement more."""
    files = await get_file_facts(call, [row.file_id for row in rows if row.file_id])
    return [_serialize_driver_document(call, row, files.get(row.file_id)) for row in rows]


def serialize_document_kind_status(found: DocumentKindStatus) -> DriverDocumentSummary:
    """How a driver stands with one kind of paper."""
    return DriverDocumentSummary(
        kind=found.kind.value,
        status=found.status.value,
        required=found.required,
        document_id=found.document_id,
        expires_on=found.expires_on,
    )


def _serialize_driver_document(call: Call, row: Any, file: FileFacts | None) -> DriverDocument:
    day = get_business_day(call)
    return DriverDocument(
        id=row.id,
        driver_id=row.driver_id,
        driver_name=row.driver_name,
        kind=row.kind,
        title=row.title,
        number=row.number,
        issued_on=row.issued_on,
        expires_on=row.expires_on,
        state=document_state(row, day).value,
        days_left=(row.expires_on - day).days if row.expires_on else None,
        file=file and DriverDocumentFile(id=file.id, media_type=file.media_type, size_bytes=file.size, name=file.name),
        reason=row.reason,
        uploaded_by=row.uploaded_by,
        uploaded_at=row.uploaded_at.astimezone(call.time_zone),
        reviewed_by=row.reviewed_by,
        reviewed_at=row.reviewed_at and row.reviewed_at.astimezone(call.time_zone),
    )
