"""Answers about issued documents."""

from haulier.contexts.documents.issued.contract import IssuedDocument, Verification
from haulier.contexts.documents.issued.rules import Verdict
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def verify_url(base_url: str, number: str) -> str:
    """Return the verification page of a document, as in its QR code."""
    return f"{base_url}/verify/{number}"


def document_record(call: Call, row: DocumentRow) -> IssuedDocument:
    """Return a document with times in the business's time zone."""
    return record(
        IssuedDocument,
        row,
        verify_url=verify_url(call.app.base_url, row.number),
        created_at=call.local_time(row.created_at),
        issued_at=call.local_time(row.issued_at),
        revoked_at=call.local_time(row.revoked_at),
    )


def verification_record(verdict: Verdict, row: DocumentRow | None, intact: bool | None) -> Verification:
    """Return the public result of a verification."""
    return Verification(
        status=verdict.value,
        intact=intact,
        number=row and row.number,
        kind=row and row.kind,
        issuer=row and row.issuer,
        issued_at=row and row.issued_at,
        revoked_at=row and row.revoked_at,
        sha256=row and row.sha256,
    )
