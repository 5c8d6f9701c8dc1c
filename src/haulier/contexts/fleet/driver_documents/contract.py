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
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

NUMBER_MAX, SOON_MAX = 60, 3650

DocumentNumber = Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern=NO_NUL)]
DocumentDay = Annotated[Day, Field(ge=date(1900, 1, 1), le=date(2199, 12, 31))]


class DriverDocumentFacts(Request):
    """What is written on a document."""

    kind: DriverDocumentKind
    """Its kind."""
    title: Name | None = None
    """What people call it, for `training` and `other`."""
    number: DocumentNumber | None = None
    """The number that is printed on it."""
    issued_on: DocumentDay | None = None
    """The day from which it holds."""
    expires_on: DocumentDay | None = None
    """The last day on which it holds; without one it does not end."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        if self.issued_on and self.expires_on and self.expires_on < self.issued_on:
            raise PydanticCustomError("paper_ends_first", "expires_on must not be before issued_on")
        return self


class AddDriverDocument(DriverDocumentFacts):
    """A document that is uploaded."""

    driver_id: DriverId
    """The driver whose document it is."""
    file: FileUpload | None = None
    """A photo or a scan of it."""


class DriverDocumentRef(Request):
    """Which document."""

    document_id: RecordId
    """The document's id."""


class ReviewDriverDocument(DriverDocumentRef):
    """A reviewer's verdict on a document."""

    verdict: Literal["valid", "rejected"]
    """Whether it is accepted. A later verdict replaces an earlier one."""
    reason: Reason | None = None
    """Why, for the driver to read."""
    number: DocumentNumber | None = None
    """The number as the reviewer reads it, when it is another."""
    expires_on: DocumentDay | None = None
    """The last day as the reviewer reads it, when it is another."""


class ListDriverDocuments(PageRequest):
    """Which documents to list."""

    driver_id: DriverId | None = None
    """Only those of this driver."""
    kind: DriverDocumentKind | None = None
    """Only documents of this kind."""
    state: DriverDocumentState | None = None
    """Only those with this status today."""
    expires_within_days: Annotated[int, Field(ge=0, le=SOON_MAX)] | None = None
    """Only those that hold today and end within so many days, unless another of the same kind holds for longer."""


class DriverDocumentFile(Answer):
    """The file of a document; its content is at `get_file`."""

    id: int
    media_type: str
    size_bytes: int
    name: str | None


class DriverDocument(Answer):
    """A document of a driver."""

    id: int
    driver_id: DriverId
    driver_name: str
    kind: Annotated[str, doc("Its kind.", DriverDocumentKind.LICENCE.value)]
    title: str | None
    number: str | None
    issued_on: date | None
    expires_on: Annotated[date | None, doc("The last day on which it holds; null when it does not end.")]
    state: Annotated[str, doc("pending, valid, rejected or expired, as of today.", DriverDocumentState.VALID.value)]
    days_left: Annotated[int | None, doc("Days until it ends, 0 on the last one, negative after; null without an end.")]
    file: DriverDocumentFile | None
    reason: Annotated[str | None, doc("What the reviewer wrote.")]
    uploaded_by: int | None
    uploaded_at: datetime
    reviewed_by: int | None
    reviewed_at: datetime | None


class DriverDocumentAnswer(Answer):
    """One document."""

    result: bool = True
    document: DriverDocument


class DriverDocumentList(PagedAnswer):
    """A page of documents: the first to expire come first, those without an end last."""

    documents: list[DriverDocument]


class SetDriverPolicy(Request):
    """What to change; what is left out stays as it is."""

    required: Annotated[list[DriverDocumentKind], Field(max_length=len(DriverDocumentKind))] | None = None
    """The documents that every driver must have."""
    blocks_start: bool | None = None
    """Whether a route cannot be started while a required document of its driver is not valid."""
    notice_days: Annotated[int, Field(ge=0, le=365)] | None = None
    """How many days before it ends a document counts as ending soon, and is announced; at first 30."""
    registration_open: bool | None = None
    """Whether drivers may apply by themselves."""


class GetDriverPolicy(Request):
    """The policy of the client itself; no fields."""


class DriverPolicy(Answer):
    """What the business asks of its drivers."""

    result: bool = True
    required: Annotated[list[str], doc("Documents that every driver must have.", [DriverDocumentKind.LICENCE.value])]
    blocks_start: bool
    notice_days: Annotated[int, doc("Days before its end at which a document is announced.", NOTICE_DAYS)]
    registration_open: bool


class DriverDocumentSummary(Answer):
    """The status of a driver for one kind of document."""

    kind: str
    status: Annotated[
        str, doc("valid, expires_soon, pending, expired, rejected or missing.", DriverDocumentStatus.EXPIRES_SOON.value)
    ]
    required: bool
    document_id: Annotated[int | None, doc("The document that decides it; null when there is none.")]
    expires_on: date | None
