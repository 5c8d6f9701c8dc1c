"""Orders by one form: requests and answers."""

from datetime import date, datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import OrderReference
from haulier.contexts.otep.timeline.contract import Timeline
from haulier.contexts.shipping.accounts.contract.accounts import CarrierCode, ServiceCode
from haulier.contexts.shipping.accounts.contract.tariffs import FAMILY, PriceFamilyOf
from haulier.contexts.shipping.labels.contract.papers import LabelDocument
from haulier.contexts.shipping.labels.contract.rates import PurchaseTerms
from haulier.contexts.shipping.labels.contract.shipments import CarrierRemark, FormatOfLabel
from haulier.contexts.shipping.uniorder.contract.rates import (
    UniorderCharge,
    UniorderForm,
    UniorderKind,
    UniorderRateId,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

UniorderStatusName = Literal[
    "CREATED",
    "LABEL_PURCHASE_PENDING",
    "LABEL_PURCHASE_FAILED",
    "IN_TRANSIT",
    "DELIVERED",
    "RETURNED",
    "CANCELLED",
]
LOCAL_SERVICE = "standard"


class CreateUniorder(PurchaseTerms):
    """An order: by a rate that was quoted, or a form and a way that is named."""

    rate_id: UniorderRateId | None = None
    """A rate that was quoted: its form is ordered at its price."""
    order: UniorderForm | None = None
    """What is sent, where there is no `rate_id`."""
    kind: UniorderKind = "local"
    """How, where there is no `rate_id`: by local delivery, or with a carrier's label."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """A label: with which account, where there is no `rate_id`; the default account unless said."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Which service, where there is no `rate_id`. A label needs one; local delivery is `standard` unless said."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.rate_id is None) == (self.order is None):
            raise PydanticCustomError("rate_or_order", "rate_id or order is needed, and not both")
        if self.order and self.kind == "label" and not self.service:
            raise PydanticCustomError("service_needed", "service is needed")
        return self


class UniorderRef(Request):
    """Which order."""

    order_id: RecordId = Field(alias="orderId")
    """The order's id, as `uniorder_create` gave it."""


class PurchaseUniorderLabel(UniorderRef):
    """With which rate a label is bought that was not bought before."""

    rate_id: UniorderRateId | None = None
    """A rate of the same form; without one, the service is rated anew."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """With another account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """With another service."""
    label_format: FormatOfLabel | None = None
    """The form that the label should have."""


class CancelUniorder(UniorderRef):
    """Which order is cancelled."""

    reason: Reason | None = Field(default=None, examples=["The customer called."])
    """Why; kept with a local order."""


class GetUniorderLabel(UniorderRef):
    """Whose label, in which form."""

    format: FormatOfLabel = "pdf"
    """The form of a label of local delivery. A carrier's label has the form in which it was bought."""
    parcel: int | None = Field(default=None, ge=1, le=200, examples=[1])
    """Which parcel, from 1; all of them unless said."""


class ListUniorders(PageRequest):
    """Filters; an order must match all that are given."""

    status: UniorderStatusName | None = None
    """In this status."""
    kind: UniorderKind | None = None
    """Local delivery or labels."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """The sender's reference."""
    carrier: CarrierCode | None = Field(default=None, examples=["HOUSE"])
    """With this carrier; LOCAL for local delivery."""
    customer_id: RecordId | None = None
    """Of this customer."""
    created_from: Moment | None = None
    """Created at this instant or later."""
    created_to: Moment | None = None
    """Created before this instant."""
    ship_from: Day | None = None
    """To be sent on this day or later."""
    ship_to: Day | None = None
    """To be sent on this day or earlier."""


class UniorderRecord(Priced):
    """An order, whoever carries it."""

    id: int
    kind: Annotated[str, doc("local: the business's own delivery. label: a carrier's.", "local")]
    status: Annotated[
        str,
        doc(
            "CREATED, LABEL_PURCHASE_PENDING, LABEL_PURCHASE_FAILED, IN_TRANSIT, DELIVERED, RETURNED, CANCELLED.",
            "CREATED",
        ),
    ]
    order_ref: str | None
    customer_id: int | None
    local_order_id: Annotated[int | None, doc("The order of the local delivery; null for a label.")]
    shipment_id: Annotated[int | None, doc("The shipment of the label; null for local delivery.")]
    carrier: Annotated[str, doc("The carrier; LOCAL for local delivery.", "LOCAL")]
    account_id: int | None
    service: Annotated[str | None, doc("Its code.", "standard")]
    service_name: str | None
    tracking_number: Annotated[str | None, doc("Of the first parcel; null while no label is bought.")]
    tracking_numbers: Annotated[list[str], doc("Of each parcel.")]
    consignee_name: str | None
    consignee_city: str | None
    ship_date: date | None
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType | None, price_by(FAMILY, "Total with tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType | None, price_by(FAMILY, "ISO 4217.")] = UNSET
    created_at: datetime
    updated_at: datetime


class UniorderDetail(UniorderRecord):
    """An order in full."""

    carrier_status: Annotated[
        str | None,
        doc("Where it is in the words of its kind: a local order's status, or a shipment's state.", "PLANNED"),
    ]
    price_details: Annotated[list[UniorderCharge] | UnsetType, price_by(FAMILY, "The parts of the price.")] = UNSET
    carrier_price: Annotated[int | UnsetType | None, price_by(FAMILY, "What the carrier charges; for the office.")] = (
        UNSET
    )
    messages: Annotated[list[CarrierRemark], doc("What the carrier said, for example why it sold no label.")]
    can_be_cancelled: bool
    can_purchase_label: bool


class UniorderAnswer(Answer):
    """One order."""

    result: bool = True
    order: UniorderDetail


class CreatedUniorder(UniorderAnswer):
    """An order that was made, or one that was there."""

    existing: Annotated[bool, doc("Whether it was there: a repeat orders nothing twice.")] = False


class UniorderList(PagedAnswer):
    """A page of orders, newest first."""

    orders: list[UniorderRecord]


class UniorderLabels(Answer):
    """The labels of an order."""

    result: bool = True
    order_id: int
    media_type: Annotated[str, doc("Of `document`.", "application/pdf")]
    document: Annotated[
        str, doc("In base64: of local delivery all labels as one document, of a carrier the first label.")
    ]
    labels: Annotated[list[LabelDocument], doc("The label of each parcel.")]


class UniorderParcelTracking(Answer):
    """What happened to a parcel."""

    tracking_number: str
    timeline: Timeline


class UniorderTracking(Answer):
    """What happened to the parcels of an order."""

    result: bool = True
    order_id: int
    status: str
    trackings: Annotated[list[UniorderParcelTracking], doc("Of each parcel that is tracked.")]
