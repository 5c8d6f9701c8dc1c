"""Requests and answers about drivers' documents."""

from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.fleet.driver_documents.rules import (
    NOTICE_DAYS,
    DriverDocumentKind,
    DriverDocumentState,
    DriverDocumentStatus,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Reason, RecordId
from haulier.kernel.operations.ids import DriverDocumentId, DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

NUMBER_MAX, SOON_MAX = 60, 3650

DocumentNumber = Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern=NO_NUL)]
DocumentDay = Annotated[Day, Field(ge=date(1900, 1, 1), le=date(2199, 12, 31))]


class DriverDocumentFacts(Request):
    """Details of a document."""

    kind: DriverDocumentKind
    """Type of document."""
    title: Name | None = None
    """Display name, for `training` and `other`."""
    number: DocumentNumber | None = None
    """Number printed on the document."""
    issued_on: DocumentDay | None = None
    """First day of validity."""
    expires_on: DocumentDay | None = None
    """Last day of validity. Omit it if the document does not expire."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        if self.issued_on and self.expires_on and self.expires_on < self.issued_on:
            raise PydanticCustomError("paper_ends_first", "expires_on must not be before issued_on")
        return self


class AddDriverDocument(DriverDocumentFacts):
    """A document to upload."""

    driver_id: DriverId
    """Driver that the document belongs to."""
    file: FileUpload | None = None
    """Photo or scan of the document."""


class DriverDocumentRef(Request):
    """Reference to a driver document."""

    document_id: DriverDocumentId
    """ID of the document."""


class ReviewDriverDocument(DriverDocumentRef):
    """A reviewer's decision on a document."""

    verdict: Literal["valid", "rejected"]
    """Decision of the review. A later decision replaces an earlier one."""
    reason: Reason | None = None
    """Reason for the decision, shown to the driver."""
    number: DocumentNumber | None = None
    """Corrected document number."""
    expires_on: DocumentDay | None = None
    """Corrected last day of validity."""


class ListDriverDocuments(PageRequest):
    """Filters and page of a document list."""

    driver_id: DriverId | None = None
    """Filter by driver."""
    kind: DriverDocumentKind | None = None
    """Filter by type of document."""
    state: DriverDocumentState | None = None
    """Filter by status today."""
    contractor_id: RecordId | None = None
    """Filter by contractor (user ID)."""
    due: bool = False
    """If true, only documents that have expired or expire within the notice period, without a longer-lasting document
    of the same type."""
    expires_within_days: Annotated[int, Field(ge=0, le=SOON_MAX)] | None = None
    """Only valid documents that expire within this number of days and have no longer-lasting document of the same
    type."""


class DriverDocumentFile(Answer):
    """File of a document. Get its content with `get_file`."""

    id: int
    media_type: str
    size_bytes: int
    name: str | None


class DriverDocument(Answer):
    """A document of a driver."""

    id: int
    driver_id: DriverId
    driver_name: str
    kind: Annotated[str, doc("Type of document.", DriverDocumentKind.LICENCE.value)]
    title: str | None
    number: str | None
    issued_on: date | None
    expires_on: Annotated[date | None, doc("Last day of validity; null if the document does not expire.")]
    state: Annotated[
        str, doc("Status as of today: pending, valid, rejected or expired.", DriverDocumentState.VALID.value)
    ]
    days_left: Annotated[
        int | None, doc("Days until expiry: 0 on the last day, negative after it; null without an expiry date.")
    ]
    file: DriverDocumentFile | None
    reason: Annotated[str | None, doc("Reason given by the reviewer.")]
    uploaded_by: int | None
    uploaded_at: datetime
    reviewed_by: int | None
    reviewed_at: datetime | None


class DriverDocumentAnswer(Answer):
    """One document."""

    result: bool = True
    document: DriverDocument


class DriverDocumentList(PagedAnswer):
    """A page of documents by expiry; those without an expiry date come last."""

    documents: list[DriverDocument]


class SetDriverPolicy(Request):
    """Changes to the policy. Omitted fields are unchanged."""

    required: Annotated[list[DriverDocumentKind], Field(max_length=len(DriverDocumentKind))] | None = None
    """Documents required from every driver."""
    blocks_start: bool | None = None
    """If true, a driver without a valid required document cannot start a route."""
    notice_days: Annotated[int, Field(ge=0, le=365)] | None = None
    """Days before expiry from which a document counts as expiring soon and notifications are sent. Default: 30."""
    registration_open: bool | None = None
    """If true, drivers can apply by themselves."""


class GetDriverPolicy(Request):
    """Request for the document policy of the business. No fields."""


class DriverPolicy(Answer):
    """Document policy of a business for its drivers."""

    result: bool = True
    required: Annotated[list[str], doc("Documents required from every driver.", [DriverDocumentKind.LICENCE.value])]
    blocks_start: bool
    notice_days: Annotated[int, doc("Days before expiry at which notifications are sent.", NOTICE_DAYS)]
    registration_open: bool


class DriverDocumentSummary(Answer):
    """The status of a driver for one kind of document."""

    kind: str
    status: Annotated[
        str,
        doc(
            "One of valid, expires_soon, pending, expired, rejected or missing.",
            DriverDocumentStatus.EXPIRES_SOON.value,
        ),
    ]
    required: bool
    document_id: Annotated[DriverDocumentId | None, doc("Document that determines the status; null if there is none.")]
    expires_on: date | None
