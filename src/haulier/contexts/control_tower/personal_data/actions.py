"""Ending of exports: expired ones, and those whose requester lost the right."""

from typing import Any

from haulier.contexts.control_tower.personal_data import store
from haulier.contexts.control_tower.personal_data.queries import find_export_lapses
from haulier.contexts.control_tower.personal_data.store import PersonalDataRequestRow
from haulier.contexts.documents.public import delete_files
from haulier.kernel.call import Call, call_within
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.audit import record_audit_entry


class CancelledExport(Request):
    """Audit entry of a cancelled export."""

    request_id: int
    cancelled_reason: str
    requested_by: int
    set_up_with: int | None = None


async def end_export(call: Call, row: PersonalDataRequestRow, state: str = "expired", **values: Any) -> None:
    """Delete the file of an export, and the stored keys of an unfinished one."""
    if row.file_id:
        await delete_files(call, [row.file_id])
    await store.update_request(call.work, row.id, state=state, keys=None, file_id=None, **values)


async def cancel_lapsed(call: Call, row: PersonalDataRequestRow) -> bool:
    """Cancel a locked export whose requester lost the right to it.

    Return True if it was cancelled."""
    lapse = (await find_export_lapses(call, [row])).get(row.id)
    if lapse is None:
        return False
    await end_export(call, row, "cancelled", cancelled_reason=lapse.value, finished_at=call.now)
    entry = CancelledExport(
        request_id=row.id,
        cancelled_reason=lapse.value,
        requested_by=row.requested_by or 0,
        set_up_with=row.set_up_with,
    )
    each = call_within(call, call.principal)
    each.add_audit_subjects("personal_data_request", row.id)
    await record_audit_entry(each, "cancel_personal_data_export", entry, "system")
    return True
