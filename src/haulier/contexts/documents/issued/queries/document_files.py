"""Who may open the file of a document, and whose it is."""

from haulier.contexts.documents.files.queries.file_permissions import register_file_access
from haulier.contexts.documents.files.queries.files import get_file_content
from haulier.contexts.documents.files.queries.personal_data import declare_files_of_people
from haulier.contexts.documents.issued import store
from haulier.contexts.documents.issued.rules import DocumentState
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind
from haulier.kernel.operations.enums import Scope

declare_files_of_people("document", RecordKind.ORDER_CONTACTS, store.documents_of_people)


@register_file_access("document", Scope.ORDERS_READ)
async def sees_document(call: Call, document_id: int) -> bool:
    """Whoever issued it."""
    row = await DocumentRow.get(call.work, document_id)
    return row is not None and row.issued_by is not None and row.issued_by == call.actor


async def get_issued_file(call: Call, document_id: int) -> tuple[str, bytes] | None:
    """The number and the file of a document of another context; None until it is issued, and once its file is erased."""
    row = await DocumentRow.get(call.work, document_id)
    if row is None or row.state != DocumentState.ISSUED or row.file_id is None:
        return None
    return row.number, await get_file_content(call, row.file_id)
