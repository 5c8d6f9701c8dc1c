"""What goes in and out of issued documents."""

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
    """What to issue. Say one of orders, a route, shipments and a carrier's manifest."""

    kind: DocumentKind
    """`labels` of orders, a route or shipments of any carriers; `packing_slip` of orders or a route; `proof_of_delivery` of
    delivered orders; `manifest` of a route or of a carrier's end of day; `commercial_invoice` of shipments that cross a border.
    """
    order_ids: list[RecordId] | None = Field(default=None, min_length=1, max_length=MAX_ORDERS)
    """The orders, in the order in which they are printed."""
    route_id: RecordId | None = None
    """The route: its orders are printed in the order of its stops."""
    shipment_ids: list[RecordId] | None = Field(default=None, min_length=1, max_length=MAX_ORDERS)
    """The shipments, in the order in which they are printed."""
    manifest_id: RecordId | None = None
    """What an end of day handed over to a carrier."""

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
        """What the document is about."""
        if self.order_ids is not None:
            return DocumentSubject.ORDERS
        if self.route_id is not None:
            return DocumentSubject.ROUTE
        return DocumentSubject.SHIPMENTS if self.shipment_ids is not None else DocumentSubject.CARRIER_MANIFEST

    @property
    def named_ids(self) -> list[int]:
        """The ids of what it is about, each once."""
        ids = [self.route_id, self.manifest_id, *(self.order_ids or ()), *(self.shipment_ids or ())]
        return list(dict.fromkeys(id for id in ids if id is not None))


class DocumentRef(Request):
    """Which document."""

    document_id: IssuedDocumentId
    """The document's id."""


class ReadDocumentFile(DocumentRef):
    """Which document, in which form."""

    form: Literal["record", "content"] = "record"
    """`record` has the file in base64. The REST door alone sends the bare bytes, for `Accept: application/pdf`."""


class RevokeDocument(DocumentRef):
    """Which document is withdrawn, and why."""

    reason: RevokeReason
    """Whoever verifies it is told that it was revoked, and when, but not why."""


class ListDocuments(PageRequest):
    """Which documents."""

    kind: DocumentKind | None = None
    """Of this kind."""
    order_id: RecordId | None = None
    """About this order, alone or among others."""
    route_id: RecordId | None = None
    """About this route."""
    shipment_id: RecordId | None = None
    """About this shipment, alone or among others."""
    manifest_id: RecordId | None = None
    """About this handing over to a carrier."""


class IssuedDocument(Answer):
    """A document."""

    id: int
    number: Annotated[str, doc("Printed on it, and unique on the whole platform.", "HD4K7Q2M9XW3TZ8RBC")]
    kind: Annotated[str, doc("What it is", "packing_slip")]
    state: Annotated[str, doc("`queued` while it is drawn and signed, then `issued`, or `failed`.", "issued")]
    done: Annotated[int, doc("How many of its orders or shipments are drawn.")]
    total: Annotated[int, doc("How many orders or shipments it is about.")]
    failure: Annotated[str | None, doc("The code of what went wrong.")]
    subject: Annotated[
        str, doc("What it is about: `orders`, `route`, `shipments`, `carrier_manifest` or `invoice`.", "orders")
    ]
    route_id: int | None
    manifest_id: int | None
    invoice_id: int | None
    pages: int | None
    size_bytes: int | None
    sha256: Annotated[str | None, doc("The digest of the file, hexadecimal.")]
    verify_url: Annotated[str, doc("What its QR code says: the page where anybody verifies it.")]
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
    """What to verify. Say one of the three."""

    content: str | None = Field(
        default=None,
        min_length=4,
        max_length=MAX_CONTENT_LENGTH,
        repr=False,
        exclude=True,
        examples=["JVBERi0xLjcK"],
        json_schema_extra={"contentEncoding": "base64"},
    )
    """The file in base64, at most 5 MiB before encoding; of a larger one send the digest. It is compared and not kept."""
    sha256: str | None = Field(
        default=None, min_length=64, max_length=64, pattern="^[0-9a-fA-F]{64}$", examples=["0f" * 32]
    )
    """The digest of the file, hexadecimal (`sha256sum document.pdf`)."""
    number: str | None = Field(default=None, min_length=1, max_length=300, examples=["HD4K7Q2M9XW3TZ8RBC"])
    """The number that is printed on it, or what its QR code says."""

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
        """The file."""
        return b64decode(self.content or "")


class Verification(Answer):
    """What the register says. It names nobody but the business that issued the document."""

    result: bool = True
    status: Annotated[
        str,
        doc(
            "`genuine`: issued by us, and not a byte changed; `altered`: it bears the number of a document of ours, and is not "
            "that one; `revoked`: issued by us and withdrawn; `issued`: there is a document of this number; its file tells "
            "whether this is it; `unknown`: nothing here says that we issued it.",
            "genuine",
        ),
    ]
    intact: Annotated[bool | None, doc("Whether the file is the one that was issued; null for a number alone.")]
    number: str | None
    kind: Annotated[str | None, doc("What it is", "packing_slip")]
    issuer: Annotated[str | None, doc("The business that issued it.")]
    issued_at: datetime | None
    revoked_at: datetime | None
    sha256: Annotated[str | None, doc("The digest of the file that was issued.")]


class SigningCertificate(Answer):
    """A certificate that signs documents, or did."""

    fingerprint: Annotated[str, doc("Its SHA-256, hexadecimal.")]
    certificate: Annotated[str, doc("In PEM.")]
    valid_until: datetime
    retired_at: Annotated[datetime | None, doc("Since when it signs no more; what it signed stays genuine.")]


class SigningCertificateList(Answer):
    """All certificates, newest first."""

    result: bool = True
    certificates: list[SigningCertificate]
