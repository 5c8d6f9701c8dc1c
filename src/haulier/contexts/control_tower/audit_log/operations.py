"""Read the audit trail of the business."""

from haulier.contexts.control_tower.audit_log import store
from haulier.contexts.control_tower.audit_log.contract import AuditEntry, AuditEntryList, AuditSubject, ListAuditEntries
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Account, Scope


@reads(
    "list_audit_entries",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/audit"), GraphQL("auditEntries")),
)
async def list_audit_entries(call: Call, request: ListAuditEntries) -> AuditEntryList:
    """Who did what in the business, newest first: every write that went through, sign-ins among them."""
    filters = request.model_dump(exclude={"page", "per_page", "subject_kind", "subject_id"})
    rows, total = await store.list_audit_entry_rows(
        call.work,
        call.client_id,
        subject=(request.subject_kind, request.subject_id),
        limit=request.per_page,
        offset=request.offset,
        **filters,
    )
    about = await store.list_audit_subjects(call.work, call.client_id, [row.id for row in rows])
    people = {row.user_id for row in rows if row.user_id is not None}
    names = {user.id: user.name for user in (await get_users_by_id(call, people)).values()}
    entries = [
        AuditEntry(
            id=row.id,
            at=row.at,
            operation=row.operation,
            user_id=row.user_id,
            user_name=names.get(row.user_id),
            account=row.account,
            door=row.door,
            request_id=row.request_id,
            address=row.address,
            agent=row.agent,
            request=row.request,
            subjects=[AuditSubject(kind=kind, id=id) for kind, id in about[row.id]],
        )
        for row in rows
    ]
    return AuditEntryList(total=total, page=request.page, per_page=request.per_page, entries=entries)
