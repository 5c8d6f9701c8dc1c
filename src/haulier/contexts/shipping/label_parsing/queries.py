"""Label scans of a caller, and access to their pictures."""

from haulier.contexts.documents.public import declare_personal_files, register_file_access
from haulier.contexts.shipping.label_parsing import store
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import record_not_found

LABEL_PICTURE = "label_parse"

declare_personal_files(LABEL_PICTURE, PersonKey.LABEL_PARSE, RecordKind.LABEL_PARSES)


@register_file_access(LABEL_PICTURE, Scope.ORDERS_READ)
async def may_see_label_picture(call: Call, parse_id: int) -> bool:
    """Return True for staff and the uploader of a label picture."""
    return False


async def get_parse(call: Call, parse_id: int, *, lock: bool = False) -> store.LabelParseRow:
    """Return a label scan. Raises `NOT_FOUND`."""
    row = await store.get_parse_row(call.work, parse_id, lock=lock)
    if row is None:
        raise record_not_found(parse_id=parse_id)
    return row
