"""Request and response models for inbound parcels."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.consolidation.claims.contract import InboundClaim
from haulier.contexts.consolidation.suites.contract import SuiteCode
from haulier.contexts.documents.files.contract import FileUpload
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Note, RecordId
from haulier.kernel.operations.ids import InboundParcelId, PreAlertId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

NUMBER_MAX, CARRIER_MAX, TEXT_MAX = 100, 30, 500
WEIGHT_MAX_G, LENGTH_MAX_MM, VALUE_MAX = 50_000_000, 20_000, 10**12
InboundStateName = Literal["expected", "in_transit", "arrived", "matched", "consolidated", "shipped", "unclaimed"]

InboundNumber = Annotated[
    str, Field(min_length=1, max_length=NUMBER_MAX, pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$")
]
"""A carrier's tracking number, in any spelling."""
InboundCarrier = Annotated[str, Field(min_length=2, max_length=CARRIER_MAX, pattern="^[A-Z0-9_]+$", examples=["UPS"])]
Contents = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_MAX, pattern=NO_NUL)]
LabelText = Annotated[str, StringConstraints(max_length=TEXT_MAX, pattern=NO_NUL)]
DeclaredValue = Annotated[int, Field(ge=0, le=VALUE_MAX)]
Millimetres = Annotated[int, Field(ge=1, le=LENGTH_MAX_MM)]


class _Announced(Request):
    """Announcement of a parcel."""

    carrier: InboundCarrier | None = Field(default=None, examples=["UPS"])
    """Carrier that brings it. Known carriers, as named in `carriers`, are polled for scans."""
    contents: Contents | None = Field(default=None, examples=["Two pairs of shoes"])
    """Declared contents."""
    declared_value: DeclaredValue | None = Field(default=None, examples=[12900])
    """Declared value in minor units of `declared_currency`."""
    declared_currency: Currency | None = None
    """ISO 4217; goes with `declared_value`."""
    note: Note | None = Field(default=None, examples=["Please take out of the box."])
    """Note for the receiving staff."""


class CreatePreAlert(_Announced):
    """A parcel that will come."""

    tracking_number: InboundNumber = Field(examples=["1Z999AA10123456784"])
    """The carrier's tracking number, in any spelling."""
    customer_id: RecordId | None = None
    """Owner of the parcel. Customers announce their own."""

    @model_validator(mode="after")
    def _has_currency(self) -> Self:
        if (self.declared_value is None) != (self.declared_currency is None):
            raise PydanticCustomError("value_and_currency", "a value goes with its currency")
        return self


class UpdatePreAlert(_Announced):
    """Fields to change. Omitted fields keep their values."""

    parcel_id: InboundParcelId
    """ID of the parcel."""


class InboundParcelRef(Request):
    """Reference to an inbound parcel."""

    parcel_id: InboundParcelId
    """ID of the parcel."""


class ListInboundParcels(PageRequest):
    """Filters; a parcel must match all that are given."""

    state: InboundStateName | None = None
    """Filter by state."""
    unmatched: bool | None = None
    """If true, only parcels without a known owner; if false, only the others."""
    customer_id: RecordId | None = None
    """Filter by customer."""
    carrier: InboundCarrier | None = Field(default=None, examples=["UPS"])
    """Filter by carrier."""
    tracking_number: InboundNumber | None = Field(default=None, examples=["1Z999AA10123456784"])
    """With this tracking number, in any spelling."""
    arrived_since: Moment | None = None
    """Received at this time or later."""
    arrived_before: Moment | None = None
    """Received before this time."""


class ReceiveInboundParcel(Request):
    """A parcel that a carrier brought."""

    tracking_number: InboundNumber = Field(examples=["1Z999AA10123456784"])
    """The carrier's tracking number, in any spelling."""
    carrier: InboundCarrier | None = Field(default=None, examples=["UPS"])
    """Carrier that brought it."""
    label_text: LabelText | None = Field(default=None, examples=["Ada Lovelace, TOR-1042, 1 Front St"])
    """Recipient text of the label. A suite in it identifies the owner."""
    suite: SuiteCode | None = Field(default=None, examples=["TOR-1042"])
    """Suite code, entered by staff. Takes precedence over `label_text`."""
    weight_g: int | None = Field(default=None, ge=1, le=WEIGHT_MAX_G, examples=[1250])
    """Weight in grams."""
    length_mm: Millimetres | None = Field(default=None, examples=[300])
    """Millimetres."""
    width_mm: Millimetres | None = Field(default=None, examples=[200])
    """Millimetres."""
    height_mm: Millimetres | None = Field(default=None, examples=[100])
    """Millimetres."""
    photo: FileUpload | None = None
    """Photo of the goods on arrival."""


class MatchInboundParcel(Request):
    """Owner of a parcel. Set one of the three fields."""

    parcel_id: InboundParcelId
    """ID of the parcel."""
    customer_id: RecordId | None = Field(default=None, examples=[17])
    """The customer."""
    suite: SuiteCode | None = Field(default=None, examples=["TOR-1042"])
    """Suite of the customer."""
    pre_alert_id: PreAlertId | None = Field(default=None, examples=[12])
    """Pre-alert with another number for the same parcel. Its data is copied, and it ends."""

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if [self.customer_id, self.suite, self.pre_alert_id].count(None) != 2:
            raise PydanticCustomError("one_owner_needed", "say one of customer_id, suite and pre_alert_id")
        return self


class InboundParcel(Answer):
    """A parcel that a carrier brings for a customer."""

    id: int
    state: Annotated[
        str,
        doc(
            "expected, in_transit, arrived, matched, consolidated, shipped, unclaimed; awaiting_confirmation in the answer "
            "to a claim.",
            "arrived",
        ),
    ]
    tracking_number: Annotated[str, doc("Tracking number as first reported.")]
    carrier: Annotated[str | None, doc("Carrier that brings it.", "UPS")]
    customer_id: Annotated[int | None, doc("Owner; null if unknown.")]
    matched_by: Annotated[
        str | None, doc("Source of the match: announced, number, suite or person (matched by staff).", "suite")
    ]
    contents: Annotated[str | None, doc("Declared contents.")]
    declared_value: Annotated[int | None, doc("Declared value in minor units of `declared_currency`.")]
    declared_currency: Annotated[str | None, doc("ISO 4217.", "CAD")]
    note: Annotated[str | None, doc("Note for the warehouse staff.")]
    label_text: Annotated[str | None, doc("Recipient text of the label.")]
    carrier_status: Annotated[str | None, doc("Last OTEP status of the carrier.", "out_for_delivery")]
    carrier_status_at: Annotated[datetime | None, doc("Time of the carrier status.")]
    weight_g: Annotated[int | None, doc("Weight on receipt, in grams.")]
    length_mm: Annotated[int | None, doc("Size on receipt, in millimetres.")]
    width_mm: Annotated[int | None, doc("Size on receipt, in millimetres.")]
    height_mm: Annotated[int | None, doc("Size on receipt, in millimetres.")]
    photo_id: Annotated[int | None, doc("ID of the photo. Open it with `get_file`.")]
    announced_at: Annotated[datetime | None, doc("Time of the announcement; null if not announced.")]
    arrived_at: Annotated[datetime | None, doc("Time of receipt.")]
    ship_out_id: Annotated[int | None, doc("Ship-out that it belongs to.")]
    created_at: datetime


class InboundParcelAnswer(Answer):
    """One inbound parcel."""

    result: bool = True
    parcel: InboundParcel


class InboundParcelWritten(InboundParcelAnswer):
    """An inbound parcel, new or existing."""

    existing: Annotated[bool, doc("True if it existed already. A repeat changes no recorded data.")] = False
    claim: Annotated[InboundClaim | UnsetType, doc("The claim, if the parcel arrived before it was announced.")] = UNSET
    message: Annotated[str | UnsetType, doc("The next step, if a claim waits for confirmation.")] = UNSET


class InboundParcelList(PagedAnswer):
    """A page of inbound parcels, newest first."""

    parcels: list[InboundParcel]
