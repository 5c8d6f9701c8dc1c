"""Requests and answers about documents of vehicles."""

from datetime import date, datetime
from typing import Annotated

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.fleet.driver_documents.contract import DocumentDay, DocumentNumber, DriverDocumentFile
from haulier.contexts.fleet.vehicle_documents.rules import VehicleDocumentKind, VehicleDocumentState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.operations.ids import VehicleDocumentId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class AddVehicleDocument(Request):
    """A document of a vehicle."""

    vehicle_id: RecordId
    """ID of the vehicle."""
    kind: VehicleDocumentKind
    """Type of document."""
    title: Name | None = None
    """Display name of the document."""
    number: DocumentNumber | None = None
    """Number printed on the document."""
    issued_on: DocumentDay | None = None
    """First day of validity."""
    expires_on: DocumentDay | None = None
    """Last day of validity. Omit it if the document does not expire."""
    file: FileUpload | None = None
    """Photo or scan of the document."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "AddVehicleDocument":
        if self.issued_on and self.expires_on and self.expires_on < self.issued_on:
            raise PydanticCustomError("paper_ends_first", "expires_on must not be before issued_on")
        return self


class VehicleDocumentRef(Request):
    """Reference to a vehicle document."""

    vehicle_document_id: VehicleDocumentId
    """ID of the document."""


class ListVehicleDocuments(PageRequest):
    """Filters and page of a document list."""

    vehicle_id: RecordId | None = None
    """Filter by vehicle."""
    contractor_id: RecordId | None = None
    """Filter by contractor (user ID)."""
    kind: VehicleDocumentKind | None = None
    """Filter by type of document."""
    due: bool = False
    """If true, only documents that have expired or expire within the notice period, without a longer-lasting document
    of the same type."""


class VehicleDocument(Answer):
    """A document of a vehicle."""

    id: int
    vehicle_id: int
    vehicle_name: str
    kind: Annotated[str, doc("Type of document.", VehicleDocumentKind.INSURANCE.value)]
    title: str | None
    number: str | None
    issued_on: date | None
    expires_on: Annotated[date | None, doc("Last day of validity; null if the document does not expire.")]
    state: Annotated[str, doc("Status as of today: valid or expired.", VehicleDocumentState.VALID.value)]
    days_left: Annotated[
        int | None, doc("Days until expiry: 0 on the last day, negative after it; null without an expiry date.")
    ]
    file: DriverDocumentFile | None
    uploaded_by: int | None
    uploaded_at: datetime


class VehicleDocumentAnswer(Answer):
    """One document."""

    result: bool = True
    vehicle_document: VehicleDocument


class VehicleDocumentList(PagedAnswer):
    """A page of documents by expiry; those without an expiry date come last."""

    vehicle_documents: list[VehicleDocument]
