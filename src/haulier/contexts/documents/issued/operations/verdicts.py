"""Anybody verifies a document: by its file, by the digest of the file, or by the number that is printed on it."""

from haulier.contexts.documents.files.contract import FILE_BODY_LIMIT_BYTES
from haulier.contexts.documents.issued.contract import (
    SigningCertificate,
    SigningCertificateList,
    Verification,
    VerifyDocument,
)
from haulier.contexts.documents.issued.queries.verdicts import (
    Judgement,
    judge_document_number,
    judge_file,
    judge_sha256,
)
from haulier.contexts.documents.issued.rules import Verdict, read_document_number
from haulier.contexts.documents.issued.serializers import verification_record
from haulier.contexts.documents.signing.queries import list_certificates
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record

PUBLIC = frozenset({Account.PUBLIC})
VERIFY_LIMITS = (RateLimit(120, 60, ("address",)),)


@reads(
    "verify_document",
    audience=PUBLIC,
    doors=(Rest("POST", "/v1/documents/verify"), GraphQL("verifyDocument")),
    limits=VERIFY_LIMITS,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
)
async def verify_document(call: Call, request: VerifyDocument) -> Verification:
    """Verify that a PDF was issued here and is intact, by its file, its SHA-256 or the number in its QR code. Anybody may ask.

    The answer names the business that issued it, and nobody else. A file is compared and not kept.
    """
    verdict, row = await _judge(call, request)
    intact = None if request.number is not None or row is None else verdict is not Verdict.ALTERED
    return verification_record(verdict, row, intact)


async def _judge(call: Call, request: VerifyDocument) -> Judgement:
    if request.number is not None:
        number = read_document_number(request.number)
        return await judge_document_number(call.work, number) if number else (Verdict.UNKNOWN, None)
    if request.sha256 is not None:
        return await judge_sha256(call.work, request.sha256.lower())
    return await judge_file(call.work, request.file)


@reads(
    "list_signing_certificates",
    audience=PUBLIC,
    doors=(Rest("GET", "/v1/documents/certificates"), GraphQL("signingCertificates")),
    limits=VERIFY_LIMITS,
)
async def list_signing_certificates(call: Call, request: EmptyRequest) -> SigningCertificateList:
    """The certificates that sign documents here, or did: readers of PDF who trust them show a signature as valid."""
    rows = await list_certificates(call.work)
    return SigningCertificateList(certificates=[record(SigningCertificate, row) for row in rows])
