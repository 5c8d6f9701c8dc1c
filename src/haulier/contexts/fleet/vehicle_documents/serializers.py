"""Vehicle documents as answers show them."""

from collections.abc import Sequence

from haulier.contexts.documents.public import FileFacts, get_file_facts
from haulier.contexts.fleet.driver_documents.contract import DriverDocumentFile
from haulier.contexts.fleet.vehicle_documents import store
from haulier.contexts.fleet.vehicle_documents.contract import VehicleDocument
from haulier.contexts.fleet.vehicle_documents.rules import vehicle_document_state
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def serialize_vehicle_documents(
    call: Call, rows: Sequence[store.NamedVehicleDocumentRow]
) -> list[VehicleDocument]:
    """Return documents with the facts about their files."""
    files = await get_file_facts(call, [row.file_id for row in rows if row.file_id])
    return [_serialize(call, row, files.get(row.file_id or 0)) for row in rows]


def _serialize(call: Call, row: store.NamedVehicleDocumentRow, file: FileFacts | None) -> VehicleDocument:
    return record(
        VehicleDocument,
        row,
        state=vehicle_document_state(row.expires_on, call.today).value,
        days_left=(row.expires_on - call.today).days if row.expires_on else None,
        file=file and DriverDocumentFile(id=file.id, media_type=file.media_type, size_bytes=file.size, name=file.name),
        uploaded_at=call.local_time(row.uploaded_at),
    )
