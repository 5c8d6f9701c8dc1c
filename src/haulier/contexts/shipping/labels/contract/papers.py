"""Labels as documents, and the end of a day."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.shipping.labels.contract.shipments import FindShipment
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class GetLabel(FindShipment):
    """Whose label."""

    parcel: int | None = Field(default=None, ge=1, le=200, examples=[1])
    """Which parcel, from 1; all of them unless said."""


class LabelDocument(Answer):
    """The label of a parcel."""

    number: Annotated[int, doc("Which parcel of the shipment, from 1.")]
    tracking_number: str
    format: Annotated[Literal["pdf", "zpl", "png"], doc("The form of the document.")]
    media_type: Annotated[str, doc("The same as a media type.", "application/zpl")]
    document: Annotated[str, doc("The label, in base64.")]


class LabelAnswer(Answer):
    """The labels of a shipment."""

    result: bool = True
    shipment_id: int
    media_type: Annotated[str, doc("Of `document`.", "application/zpl")]
    document: Annotated[str, doc("The first label, in base64.")]
    labels: list[LabelDocument]


class EndOfDay(Request):
    """Which day ends, and with which accounts."""

    ship_date: Day | None = None
    """Everything to be shipped on this day or earlier; today unless said."""
    account_ids: list[RecordId] = Field(default=[], max_length=50)
    """With these accounts; with all unless said."""


class ManifestRecord(Answer):
    """What was handed over to a carrier."""

    id: int
    account_id: int
    carrier: Annotated[str, doc("The carrier.", "HOUSE")]
    ship_date: date
    state: Annotated[str, doc("closing, closed or failed.")]
    shipments: Annotated[int, doc("How many were closed.")]
    carrier_manifest_id: Annotated[str | None, doc("The carrier's own number.")]
    has_document: bool
    created_at: datetime
    closed_at: datetime | None


class NotClosed(Answer):
    """A shipment that the carrier did not take."""

    shipment_id: int
    account_id: int
    code: str | None
    text: Annotated[str, doc("Why, in the carrier's words.")]


class EndOfDayAnswer(Answer):
    """What was closed and what was not."""

    result: bool = True
    closed: Annotated[int, doc("Shipments that were closed now.")]
    open: Annotated[int, doc("Shipments that stay open.")]
    manifests: list[ManifestRecord]
    not_closed: Annotated[list[NotClosed], doc("Up to 200 of those that stay open, with the reason.")]


class ManifestRef(Request):
    """Which manifest."""

    manifest_id: RecordId
    """The manifest's id."""


class ListManifests(PageRequest):
    """Filters; a manifest must match all that are given."""

    account_id: RecordId | None = None
    """Of this account."""


class ManifestList(PagedAnswer):
    """A page of manifests, newest first."""

    manifests: list[ManifestRecord]


class ManifestAnswer(Answer):
    """One manifest, with the carrier's paper where there is one."""

    result: bool = True
    manifest: ManifestRecord
    shipment_ids: Annotated[list[int], doc("What was closed, up to 1000.")]
    voided_shipment_ids: Annotated[list[int], doc("Those of `shipment_ids` that the office voided after hand-over.")]
    media_type: Annotated[str | UnsetType, doc("Of the paper.", "application/pdf")] = UNSET
    document: Annotated[str | UnsetType, doc("The paper, in base64.")] = UNSET
