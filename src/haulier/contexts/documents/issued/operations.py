"""Operations on issued documents."""

from base64 import b64encode
from typing import Any
from urllib.parse import quote

from haulier.contexts.documents.files.contract import FILE_BODY_LIMIT_BYTES
from haulier.contexts.documents.files.queries import get_file_content
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED
from haulier.contexts.documents.issued import store
from haulier.contexts.documents.issued.actions import can_issue_documents, queue_document, withdraw_document
from haulier.contexts.documents.issued.contract import (
    DocumentAnswer,
    DocumentFile,
    DocumentList,
    DocumentRef,
    IssueDocument,
    ListDocuments,
    ReadDocumentFile,
    RevokeDocument,
    SigningCertificate,
    SigningCertificateList,
    Verification,
    VerifyDocument,
)
from haulier.contexts.documents.issued.queries import (
    Judgement,
    check_file,
    get_document_maker,
    verify_document_number,
    verify_sha256,
)
from haulier.contexts.documents.issued.rules import (
    CUSTOMS_ITEMS_MISSING,
    DOCUMENT_NOT_MADE,
    DOCUMENT_NOT_READY,
    DOCUMENT_NOT_YET,
    DOCUMENTS_CANNOT_SIGN,
    DocumentState,
    Verdict,
    read_document_number,
)
from haulier.contexts.documents.issued.serializers import document_record, verification_record
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.contexts.documents.signing.queries import list_certificates
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    RateLimit,
    Representation,
    Representations,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/documents"
AUDIENCE = OFFICE | {Account.CUSTOMER, Account.CONTRACTOR}
PDF = "application/pdf"
PDF_REPRESENTATIONS = Representations(
    (Representation(PDF, "content"),), field="form", data_field="content", media_type_field="media_type"
)


@writes(
    "issue_document",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    risk=Risk.LOW,
    interfaces=(Rest("POST", PATH, status=201), GraphQL("issueDocument")),
    errors=(NOT_FOUND, DOCUMENT_NOT_MADE, DOCUMENT_NOT_YET, CUSTOMS_ITEMS_MISSING, DOCUMENTS_CANNOT_SIGN),
)
async def issue_document(call: Call, request: IssueDocument) -> DocumentAnswer:
    """Issue a signed PDF document.

    Labels, packing slips, proofs of delivery, manifests or commercial invoices, as one PDF that anyone can verify. It
    is drawn and signed in the background: get the document until its state is `issued`. Customers and contractors issue
    documents about records that they see.
    """
    if not can_issue_documents(call):
        raise DOCUMENTS_CANNOT_SIGN()
    maker = get_document_maker(request.kind, request.subject)
    if call.principal.account not in maker.audience:
        raise DOCUMENT_NOT_MADE(kind=request.kind)
    plan = await maker.plan(call, request.named_ids)
    document_id = await queue_document(
        call,
        request.kind,
        request.subject,
        plan.record_ids,
        issuer=plan.issuer,
        language=call.language,
        route_id=request.route_id,
        manifest_id=request.manifest_id,
    )
    return DocumentAnswer(document=document_record(call, await _get_own_document(call, document_id)))


@reads(
    "list_documents",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("documents")),
)
async def list_documents(call: Call, request: ListDocuments) -> DocumentList:
    """List issued documents, newest first.

    Customers and contractors see those that they issued.
    """
    names = ("kind", "order_id", "route_id", "shipment_id", "manifest_id")
    filters = {name: getattr(request, name) for name in names}
    rows, total = await store.page_documents(
        call.work, filters | _own_filter(call), limit=request.per_page, offset=request.offset
    )
    return DocumentList(
        **total_fields(total),
        page=request.page,
        per_page=request.per_page,
        documents=[document_record(call, row) for row in rows],
    )


@reads(
    "get_document",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", f"{PATH}/{{document_id}}"), GraphQL("document")),
    errors=(NOT_FOUND,),
)
async def get_document(call: Call, request: DocumentRef) -> DocumentAnswer:
    """Get an issued document.

    Returns its state, number and digest.
    """
    return DocumentAnswer(document=document_record(call, await _get_own_document(call, request.document_id)))


@reads(
    "get_document_file",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", f"{PATH}/{{document_id}}/file", representations=PDF_REPRESENTATIONS),
        GraphQL("documentFile"),
    ),
    errors=(NOT_FOUND, DOCUMENT_NOT_READY, FILE_AWAY, FILE_DAMAGED),
)
async def get_document_file(call: Call, request: ReadDocumentFile) -> DocumentFile:
    """Get the signed PDF of a document.

    In base64, or as bare bytes if the Accept header requests it. Files are stored for the retention period of
    documents; verification has no time limit.
    """
    row = await _get_own_document(call, request.document_id)
    if row.state != DocumentState.ISSUED or row.file_id is None:
        raise DOCUMENT_NOT_READY(state=row.state)
    content = await get_file_content(call, row.file_id)
    if request.form == "content":
        call.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(row.number)}.pdf"
    return DocumentFile(document=document_record(call, row), media_type=PDF, content=b64encode(content).decode())


@writes(
    "revoke_document",
    available_when={"state": DocumentState.ISSUED.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PATH}/{{document_id}}/revoke"), GraphQL("revokeDocument")),
    errors=(NOT_FOUND, DOCUMENT_NOT_READY),
)
async def revoke_document(call: Call, request: RevokeDocument) -> DocumentAnswer:
    """Revoke a document.

    Verification reports the revocation from now on. Repeating the call changes nothing.
    """
    row = await DocumentRow.lock(call.work, request.document_id)
    if row is None:
        raise record_not_found(document_id=request.document_id)
    if row.state != DocumentState.ISSUED:
        raise DOCUMENT_NOT_READY(state=row.state)
    await withdraw_document(call, row, request.reason)
    return DocumentAnswer(document=document_record(call, await _get_own_document(call, row.id)))


def _own_filter(call: Call) -> dict[str, Any]:
    return {} if call.principal.account in OFFICE else {"issued_by": call.actor}


async def _get_own_document(call: Call, document_id: int) -> store.DocumentRow:
    """Return a document that the caller may see. Raises `NOT_FOUND`."""
    row = await DocumentRow.get(call.work, document_id)
    if row is None or any(getattr(row, name) != value for name, value in _own_filter(call).items()):
        raise record_not_found(document_id=document_id)
    return row


PUBLIC = frozenset({Account.PUBLIC})
VERIFY_LIMITS = (RateLimit(120, 60, ("address",)),)


@reads(
    "verify_document",
    audience=PUBLIC,
    interfaces=(Rest("POST", "/v1/documents/verify"), GraphQL("verifyDocument")),
    limits=VERIFY_LIMITS,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
)
async def verify_document(call: Call, request: VerifyDocument) -> Verification:
    """Verify that a PDF was issued here.

    By its file, its SHA-256 or the number in its QR code. Anyone can call it. The response names only the business that
    issued it. A file is compared and not stored.
    """
    verdict, row = await _verify(call, request)
    intact = None if request.number is not None or row is None else verdict is not Verdict.ALTERED
    return verification_record(verdict, row, intact)


async def _verify(call: Call, request: VerifyDocument) -> Judgement:
    if request.number is not None:
        number = read_document_number(request.number)
        return await verify_document_number(call.work, number) if number else (Verdict.UNKNOWN, None)
    if request.sha256 is not None:
        return await verify_sha256(call.work, request.sha256.lower())
    return await check_file(call.work, request.file)


@reads(
    "list_signing_certificates",
    audience=PUBLIC,
    interfaces=(Rest("GET", "/v1/documents/certificates"), GraphQL("signingCertificates")),
    limits=VERIFY_LIMITS,
)
async def list_signing_certificates(call: Call, request: EmptyRequest) -> SigningCertificateList:
    """List the signing certificates.

    Current and former ones. PDF readers that trust them show signatures as valid.
    """
    rows = await list_certificates(call.work)
    return SigningCertificateList(certificates=[record(SigningCertificate, row) for row in rows])
