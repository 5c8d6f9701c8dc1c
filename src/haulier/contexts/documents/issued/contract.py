"""Request and response models for issued documents."""

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.documents.files.contract import MAX_CONTENT_LENGTH
from haulier.contexts.documents.issued.rules import MAX_ORDERS, DocumentKind, DocumentSubject
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.operations.ids import IssuedDocumentId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

RevokeReason = Literal["mistake", "replaced", "cancelled", "lost", "other"]


class IssueDocument(Request):
    """A document to issue. Set orders, a route, shipments, or a carrier's manifest."""

    kind: DocumentKind
    """`labels` of orders, a route or shipments of any carriers; `packing_slip` of orders or a route; `proof_of_delivery` of
    delivered orders; `manifest` of a route or of a carrier's end of day; `commercial_invoice` of shipments that cross a border.
    """
    order_ids: list[RecordId] | None = Field(default=None, min_length=1, max_length=MAX_ORDERS)
    """Orders, in printing order."""
    route_id: RecordId | None = None
    """The route: its orders are printed in the order of its stops."""
    shipment_ids: list[RecordId] | None = Field(default=None, min_length=1, max_length=MAX_ORDERS)
    """Shipments, in print order."""
    manifest_id: RecordId | None = None
    """Carrier manifest, created at the end of the day."""

    @model_validator(mode="after")
    def _is_about_one_thing(self) -> Self:
        given = [self.order_ids, self.route_id, self.shipment_ids, self.manifest_id]
        if sum(value is not None for value in given) != 1:
            raise PydanticCustomError(
                "one_document_subject", "say one of order_ids, route_id, shipment_ids, manifest_id"
            )
        return self

    @property
    def subject(self) -> DocumentSubject:
        """Return the subject of the document."""
        if self.order_ids is not None:
            return DocumentSubject.ORDERS
        if self.route_id is not None:
            return DocumentSubject.ROUTE
        return DocumentSubject.SHIPMENTS if self.shipment_ids is not None else DocumentSubject.CARRIER_MANIFEST

    @property
    def named_ids(self) -> list[int]:
        """Return the distinct ids of its records."""
        ids = [self.route_id, self.manifest_id, *(self.order_ids or ()), *(self.shipment_ids or ())]
        return list(dict.fromkeys(id for id in ids if id is not None))


class DocumentRef(Request):
    """Reference to a document."""

    document_id: IssuedDocumentId
    """ID of the document."""


class ReadDocumentFile(DocumentRef):
    """A document, and the form of the response."""

    form: Literal["record", "content"] = "record"
    """`record` returns the file in base64. The REST API also returns the raw content, for `Accept: application/pdf`."""


class RevokeDocument(DocumentRef):
    """A document to revoke, and the reason."""

    reason: RevokeReason
    """Reason for staff. Verification shows that and when it was revoked, but not why."""


class ListDocuments(PageRequest):
    """Filters for documents."""

    kind: DocumentKind | None = None
    """Filter by kind."""
    order_id: RecordId | None = None
    """Filter by order, also among others."""
    route_id: RecordId | None = None
    """Filter by route."""
    shipment_id: RecordId | None = None
    """Filter by shipment, also among others."""
    manifest_id: RecordId | None = None
    """Filter by carrier manifest."""


class IssuedDocument(Answer):
    """A document."""

    id: int
    number: Annotated[str, doc("Document number, printed on it and unique on the platform.", "HD4K7Q2M9XW3TZ8RBC")]
    kind: Annotated[str, doc("Kind of document.", "packing_slip")]
    state: Annotated[str, doc("`queued` while it is drawn and signed, then `issued`, or `failed`.", "issued")]
    done: Annotated[int, doc("Number of drawn orders or shipments.")]
    total: Annotated[int, doc("Total number of orders or shipments.")]
    failure: Annotated[str | None, doc("Error code of a failure.")]
    subject: Annotated[str, doc("Subject: `orders`, `route`, `shipments`, `carrier_manifest` or `invoice`.", "orders")]
    route_id: int | None
    manifest_id: int | None
    invoice_id: int | None
    pages: int | None
    size_bytes: int | None
    sha256: Annotated[str | None, doc("SHA-256 digest of the file, hexadecimal.")]
    verify_url: Annotated[str, doc("Address in its QR code: the public verification page.")]
    created_at: datetime
    issued_at: datetime | None
    revoked_at: datetime | None
    revoke_reason: str | None


class DocumentAnswer(Answer):
    """One document."""

    result: bool = True
    document: IssuedDocument


class DocumentList(PagedAnswer):
    """A page of documents, newest first."""

    documents: list[IssuedDocument]


class DocumentFile(Answer):
    """A document with its file."""

    result: bool = True
    document: IssuedDocument
    media_type: Annotated[str, doc("", "application/pdf")]
    content: Annotated[str, doc("The file in base64.")]


class VerifyDocument(FileInput):
    """A document to verify. Set one of the three fields."""

    content: str | None = Field(
        default=None,
        min_length=4,
        max_length=MAX_CONTENT_LENGTH,
        repr=False,
        exclude=True,
        examples=["JVBERi0xLjcK"],
        json_schema_extra={"contentEncoding": "base64"},
    )
    """File in base64, at most 5 MiB before encoding. Send the digest of a larger one. It is compared and not stored."""
    sha256: str | None = Field(
        default=None, min_length=64, max_length=64, pattern="^[0-9a-fA-F]{64}$", examples=["0f" * 32]
    )
    """The digest of the file, hexadecimal (`sha256sum document.pdf`)."""
    number: str | None = Field(default=None, min_length=1, max_length=300, examples=["HD4K7Q2M9XW3TZ8RBC"])
    """Number printed on it, or the content of its QR code."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if sum(each is not None for each in (self.content, self.sha256, self.number)) != 1:
            raise PydanticCustomError("file_digest_or_number", "say one of content, sha256 and number")
        if self.content is not None:
            try:
                b64decode(self.content, validate=True)
            except ValueError:
                raise PydanticCustomError("not_base64", "content is not base64") from None
        return self

    @property
    def file(self) -> bytes:
        """Return the file."""
        return b64decode(self.content or "")


class Verification(Answer):
    """Result of verification. It names only the business that issued the document."""

    result: bool = True
    status: Annotated[
        str,
        doc(
            "`genuine`: issued here and unchanged; `altered`: it has the number of a document issued here, "
            "but differs; `revoked`: issued here and revoked; `issued`: the number exists, send the file to "
            "compare it; `unknown`: not issued here.",
            "genuine",
        ),
    ]
    intact: Annotated[bool | None, doc("True if the file is the issued one; null for a number alone.")]
    number: str | None
    kind: Annotated[str | None, doc("Kind of document.", "packing_slip")]
    issuer: Annotated[str | None, doc("The business that issued it.")]
    issued_at: datetime | None
    revoked_at: datetime | None
    sha256: Annotated[str | None, doc("SHA-256 digest of the issued file.")]


class SigningCertificate(Answer):
    """A current or former signing certificate."""

    fingerprint: Annotated[str, doc("Its SHA-256, hexadecimal.")]
    certificate: Annotated[str, doc("In PEM.")]
    valid_until: datetime
    retired_at: Annotated[datetime | None, doc("Time of retirement; its signatures stay genuine.")]


class SigningCertificateList(Answer):
    """All certificates, newest first."""

    result: bool = True
    certificates: list[SigningCertificate]
