"""Queuing and revoking documents, within the caller's transaction."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.documents.issued import store
from haulier.contexts.documents.issued.rules import DocumentKind, DocumentState, DocumentSubject, make_document_number
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.contexts.documents.ports import DocumentSigner
from haulier.kernel.call import Call

ISSUE_JOB = "document.issue"


class IssueQueuedDocument(Struct, frozen=True, kw_only=True):
    """The job of issuing a document."""

    document_id: int


def can_issue_documents(call: Call) -> bool:
    """Return True if this server signs documents."""
    return call.adapter(DocumentSigner).available


async def queue_document(
    call: Call,
    kind: DocumentKind,
    subject: DocumentSubject,
    record_ids: Sequence[int],
    *,
    issuer: str,
    language: str,
    **about: Any,
) -> int:
    """Register a document and enqueue a job that issues it. Return its id.

    `about` names its route, manifest or invoice.
    """
    document_id = await store.insert_document(
        call.work,
        subject,
        record_ids,
        number=make_document_number(),
        kind=kind.value,
        issuer=issuer,
        language=language,
        state=DocumentState.QUEUED,
        done=0,
        total=len(record_ids),
        issued_by=call.actor,
        created_at=call.now,
        **about,
    )
    call.add_audit_subjects("document", document_id)
    await call.enqueue(ISSUE_JOB, IssueQueuedDocument(document_id=document_id))
    return document_id


async def withdraw_document(call: Call, row: store.DocumentRow, reason: str) -> None:
    """Revoke an issued document, once."""
    if row.revoked_at is None:
        change = {"revoked_at": call.now, "revoked_by": call.actor, "revoke_reason": reason}
        await store.update_document(call.work, row.id, **change)
        call.add_audit_subjects("document", row.id)


async def withdraw_document_of(call: Call, document_id: int, reason: str) -> None:
    """Revoke a document of another context; verification reports it from now on."""
    row = await DocumentRow.lock(call.work, document_id)
    if row is not None:
        await withdraw_document(call, row, reason)
