"""Read the audit trail of the business."""

from haulier.contexts.control_tower.audit_log import store
from haulier.contexts.control_tower.audit_log.contract import (
    AuditEntry,
    AuditEntryList,
    AuditSeal,
    AuditSubject,
    ListAuditEntries,
)
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.audit_seals import find_newest_seal


@reads(
    "list_audit_entries",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/audit"), GraphQL("auditEntries")),
)
async def list_audit_entries(call: Call, request: ListAuditEntries) -> AuditEntryList:
    """List audit entries, newest first.

    Every successful write in the business, including sign-ins.
    """
    filters = request.model_dump(exclude={"page", "per_page", "subject_kind", "subject_id"})
    rows, total = await store.list_audit_entry_rows(
        call.work,
        call.client_id,
        subject=(request.subject_kind, request.subject_id),
        limit=request.per_page,
        offset=request.offset,
        **filters,
    )
    subjects = await store.list_audit_subjects(call.work, call.client_id, [row.id for row in rows])
    users = await get_users_by_id(call, {row.user_id for row in rows if row.user_id is not None})
    entries = [
        record(
            AuditEntry,
            row,
            user_name=users[row.user_id].name if row.user_id in users else None,
            subjects=[AuditSubject(kind=kind, id=id) for kind, id in subjects[row.id]],
        )
        for row in rows
    ]
    return AuditEntryList(total=total, page=request.page, per_page=request.per_page, entries=entries)


@reads(
    "get_audit_seal",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/audit/seal"), GraphQL("auditSeal")),
)
async def get_audit_seal(call: Call, request: EmptyRequest) -> AuditSeal:
    """Get the newest seal of the audit trail.

    New entries are sealed once a minute, each seal over the previous one. A trail without this seal was changed.
    """
    seal = await find_newest_seal(call.work, call.client_id)
    if seal is None:
        return AuditSeal(number=0, sealed_at=None, entries=0, digest=None)
    return AuditSeal(
        number=seal.number, sealed_at=call.local_time(seal.sealed_at), entries=len(seal.entries), digest=seal.digest
    )
