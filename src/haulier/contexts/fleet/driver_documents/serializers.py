"""Documents as answers show them."""

from collections.abc import Sequence

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
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


async def load_driver_document(call: Call, document_id: int) -> DriverDocumentAnswer:
    """One document. Raises `NOT_FOUND`."""
    row = await store.get_driver_document_row(call.work, document_id)
    if row is None:
        raise NOT_FOUND()
    return DriverDocumentAnswer(document=(await serialize_driver_documents(call, [row]))[0])


async def serialize_driver_documents(call: Call, rows: Sequence[store.NamedDocumentRow]) -> list[DriverDocument]:
    """Documents with the facts about their files, which take one more statement."""
    files = await get_file_facts(call, [row.file_id for row in rows if row.file_id])
    return [_serialize_driver_document(call, row, files.get(row.file_id or 0)) for row in rows]


def serialize_document_kind_status(status_of_kind: DocumentKindStatus) -> DriverDocumentSummary:
    """The status of a driver for one kind of document."""
    return record(
        DriverDocumentSummary, status_of_kind, kind=status_of_kind.kind.value, status=status_of_kind.status.value
    )


def _serialize_driver_document(call: Call, row: store.NamedDocumentRow, file: FileFacts | None) -> DriverDocument:
    day = get_business_day(call)
    return record(
        DriverDocument,
        row,
        state=document_state(row, day).value,
        days_left=(row.expires_on - day).days if row.expires_on else None,
        file=file and DriverDocumentFile(id=file.id, media_type=file.media_type, size_bytes=file.size, name=file.name),
        uploaded_at=call.local_time(row.uploaded_at),
        reviewed_at=call.local_time(row.reviewed_at),
    )
