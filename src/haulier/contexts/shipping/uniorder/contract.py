"""Request and response models of Uniorders."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.batches.contract import OrderBatchError, OrderFieldError
from haulier.contexts.orders.delivery_orders.contract.orders import LongText, OrderReference
from haulier.contexts.otep.timeline.contract import Timeline
from haulier.contexts.shipping.accounts.contract import FAMILY, LABELS, CarrierCode, PriceFamilyOf, ServiceCode
from haulier.contexts.shipping.labels.contract import (
    MAX_SERVICES,
    CarrierRemark,
    FormatOfLabel,
    LabelDocument,
    PurchaseTerms,
    ShipmentTerms,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import QuotedRateId, UniorderId, UniorderJobId
from haulier.kernel.operations.rows import JudgedAlone, MalformedRow
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

UniorderKind = Literal["local", "label"]
UniorderRateId = Annotated[
    QuotedRateId, Field(min_length=1, max_length=30, pattern="^[A-Za-z0-9_-]+$", examples=["u17-l0"])
]


class UniorderForm(ShipmentTerms):
    """A shipment in one form for local delivery and every carrier."""

    pickup: bool = False
    """For local delivery: if true, pick up at the shipper. Otherwise the goods are at the business."""
    delivery_instruction: LongText | None = Field(default=None, examples=["Leave it at the side door."])
    """Local delivery: note for the driver."""
    window_start: Moment | None = None
    """Local delivery: start of the delivery window, with UTC offset."""
    window_end: Moment | None = None
    """Local delivery: end of the delivery window, with UTC offset."""

    @model_validator(mode="after")
    def _can_be_driven(self) -> Self:
        if self.pickup and self.shipper is None:
            raise PydanticCustomError("shipper_for_pickup", "a shipper is needed where it is fetched")
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self


class RateUniorder(UniorderForm):
    """A form to rate."""

    quote_labels: bool = False
    """Quote the services of every label carrier too. Local delivery is always quoted."""
    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """Label accounts to compare. Default: all offered accounts."""
    services: list[ServiceCode] = Field(default=[], max_length=MAX_SERVICES)
    """Label services to compare. Default: all."""
    customer_id: RecordId | None = None
    """Customer. Customers can only request their own."""
    reference: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Your key, repeated in the outcome of a batch."""


class UniorderCharge(Answer):
    """A part of a price."""

    code: Annotated[str, doc("base, fuel, signature, tax, mark_up, or the carrier's own code.", "base")]
    name: str | None
    amount: Annotated[int, doc("Amount in minor units.")]


def family_of_kind(kind: str) -> PriceFamily:
    """Return the price family of a kind of order."""
    return PriceFamily.LOCAL_DELIVERY if kind == "local" else LABELS


class UniorderRate(Priced):
    """A service and its price. Local and label prices are hidden independently."""

    rate_id: Annotated[QuotedRateId, doc("Id for ordering at this price.", "u17-l0")]
    kind: Annotated[str, doc("local: delivery by the business. label: delivery by a carrier.", "local")]
    carrier: Annotated[str, doc("Carrier; LOCAL for local delivery.", "LOCAL")]
    account_id: Annotated[int | None, doc("Carrier account; null for local delivery.")]
    service: Annotated[str, doc("Code of the alliance.", "standard")]
    service_name: str
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "Total including tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    price_details: Annotated[list[UniorderCharge] | UnsetType, price_by(FAMILY, "Parts of the price.")] = UNSET
    carrier_price_minor: Annotated[
        int | UnsetType, price_by(FAMILY, "Price of the carrier, in minor units. For staff.")
    ] = UNSET
    transit_days: int | None
    deliver_by: datetime | None
    guaranteed: bool
    expires_at: Annotated[datetime, doc("Time until which the rate holds.")]


class UniorderRates(Answer):
    """Services for a shipment, cheapest first; hidden prices come last, by name."""

    quote_id: int
    expires_at: Annotated[datetime, doc("Time until which all rates hold.")]
    rates: list[UniorderRate]
    messages: Annotated[
        list[CarrierRemark], doc("Reasons why carriers or local delivery have no rate, and other remarks.")
    ]


class UniorderRateList(UniorderRates):
    """Rates for a shipment."""

    result: bool = True


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
    """An order by a quoted rate, or by a form and a service."""

    rate_id: UniorderRateId | None = None
    """Quoted rate. The order is placed at its price."""
    order: UniorderForm | None = None
    """Shipment. Required without `rate_id`."""
    kind: UniorderKind = "local"
    """Method, if no `rate_id` is set: local delivery or a carrier label."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """Label account, if no `rate_id` is set. Default: the default account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Service. Used without `rate_id`: labels require one, local delivery defaults to `standard`."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.rate_id is None) == (self.order is None):
            raise PydanticCustomError("rate_or_order", "rate_id or order is needed, and not both")
        if self.order and self.kind == "label" and not self.service:
            raise PydanticCustomError("service_needed", "service is needed")
        return self


class UniorderRef(Request):
    """Reference to a Uniorder."""

    order_id: UniorderId = Field(alias="orderId")
    """Order ID, as returned by `uniorder_create`."""


class PurchaseUniorderLabel(UniorderRef):
    """A rate or service for buying a label later."""

    rate_id: UniorderRateId | None = None
    """Rate quoted for the same order request. If omitted, the service is rated again."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """With another account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """With another service."""
    label_format: FormatOfLabel | None = None
    """Label format."""


class CancelUniorder(UniorderRef):
    """An order to cancel."""

    reason: Reason | None = Field(default=None, examples=["The customer called."])
    """Reason, stored with a local order."""


class GetUniorderLabel(UniorderRef):
    """An order whose labels are requested, and their format."""

    format: FormatOfLabel = "pdf"
    """Format of a local delivery label. A carrier's label keeps the format in which it was bought."""
    parcel: int | None = Field(default=None, ge=1, le=200, examples=[1])
    """Number of the package, from 1. Default: all packages."""


class ListUniorders(PageRequest):
    """Filters; an order must match all that are given."""

    status: UniorderStatusName | None = None
    """Filter by status."""
    kind: UniorderKind | None = None
    """Local delivery or labels."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Sender's reference."""
    carrier: CarrierCode | None = Field(default=None, examples=["HOUSE"])
    """With this carrier; LOCAL for local delivery."""
    customer_id: RecordId | None = None
    """Filter by customer."""
    created_from: Moment | None = None
    """Created at or after this time."""
    created_to: Moment | None = None
    """Created before this time."""
    ship_from: Day | None = None
    """To be sent on this day or later."""
    ship_to: Day | None = None
    """To be sent on this day or earlier."""


class UniorderRecord(Priced):
    """An order with any carrier."""

    id: int
    kind: Annotated[str, doc("local: delivery by the business. label: delivery by a carrier.", "local")]
    status: Annotated[
        str,
        doc(
            "CREATED, LABEL_PURCHASE_PENDING, LABEL_PURCHASE_FAILED, IN_TRANSIT, DELIVERED, RETURNED, CANCELLED.",
            "CREATED",
        ),
    ]
    order_ref: str | None
    customer_id: int | None
    local_order_id: Annotated[int | None, doc("Order of the local delivery; null for a label.")]
    shipment_id: Annotated[int | None, doc("Shipment of the label; null for local delivery.")]
    carrier: Annotated[str, doc("Carrier; LOCAL for local delivery.", "LOCAL")]
    account_id: int | None
    service: Annotated[str | None, doc("Code of the alliance.", "standard")]
    service_name: str | None
    tracking_number: Annotated[str | None, doc("Tracking number of the first package; null until a label is bought.")]
    tracking_numbers: Annotated[list[str], doc("Tracking number of each package.")]
    consignee_name: str | None
    consignee_city: str | None
    ship_date: date | None
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType | None, price_by(FAMILY, "Total including tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType | None, price_by(FAMILY, "ISO 4217.")] = UNSET
    created_at: datetime
    updated_at: datetime


class UniorderDetail(UniorderRecord):
    """An order in full."""

    carrier_status: Annotated[
        str | None,
        doc("Status in the terms of its kind: a local order's status, or a shipment's state.", "PLANNED"),
    ]
    price_details: Annotated[list[UniorderCharge] | UnsetType, price_by(FAMILY, "Parts of the price.")] = UNSET
    carrier_price_minor: Annotated[
        int | UnsetType | None, price_by(FAMILY, "Price of the carrier, in minor units. For staff.")
    ] = UNSET
    messages: Annotated[list[CarrierRemark], doc("Remarks of the carrier, such as the reason for a refused label.")]
    can_be_cancelled: bool
    can_purchase_label: bool


class UniorderAnswer(Answer):
    """One order."""

    result: bool = True
    order: UniorderDetail


class CreatedUniorder(UniorderAnswer):
    """A new or existing order."""

    existing: Annotated[bool, doc("True if the order existed already. A repeat orders nothing twice.")] = False


class UniorderList(PagedAnswer):
    """A page of orders, newest first."""

    orders: list[UniorderRecord]


class UniorderLabels(Answer):
    """The labels of an order."""

    result: bool = True
    order_id: UniorderId
    media_type: Annotated[str, doc("Media type of `document`.", "application/pdf")]
    document: Annotated[
        str, doc("Label in base64: all labels as one document for local delivery, the first label for a carrier.")
    ]
    labels: Annotated[list[LabelDocument], doc("Label of each parcel.")]


class UniorderParcelTracking(Answer):
    """Events of a package."""

    tracking_number: str
    timeline: Timeline


class UniorderTracking(Answer):
    """Events of the packages of an order."""

    result: bool = True
    order_id: UniorderId
    status: str
    trackings: Annotated[list[UniorderParcelTracking], doc("Tracking of each tracked package.")]


MAX_BATCH = 20
MAX_JOB = 500
_FORM: dict[str, Any] = {
    "consignee": {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
}
SHIPMENT_EXAMPLES: list[Any] = [[_FORM]]
ORDER_EXAMPLES: list[Any] = [[{"order": _FORM, "order_ref": "A-1001"}]]
PurposeOfJob = Literal["rate", "create"]
RateRow = Annotated[RateUniorder | MalformedRow, JudgedAlone()]
CreateRow = Annotated[CreateUniorder | MalformedRow, JudgedAlone()]


class RateUniorderBatch(Request):
    """Forms to rate now."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"shipments"})
    shipments: Annotated[list[RateRow], Field(min_length=1, max_length=MAX_BATCH, examples=SHIPMENT_EXAMPLES)]
    """Up to 20, each as `uniorder_rate` takes it: one that is malformed or refused does not stop the others."""


class RateUniorderBatchAsync(Request):
    """Forms to rate in a job."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"shipments"})
    shipments: Annotated[list[RateRow], Field(min_length=1, max_length=MAX_JOB, examples=SHIPMENT_EXAMPLES)]
    """Up to 500, each as `uniorder_rate` takes it: one that is malformed or refused does not stop the others."""


class CreateUniorderBatch(Request):
    """Orders to create now."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[CreateRow], Field(min_length=1, max_length=MAX_BATCH, examples=ORDER_EXAMPLES)]
    """Up to 20, each as `uniorder_create` takes it: one that is malformed or refused does not stop the others."""


class CreateUniorderBatchAsync(Request):
    """Orders to create in a job."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[CreateRow], Field(min_length=1, max_length=MAX_JOB, examples=ORDER_EXAMPLES)]
    """Up to 500, each as `uniorder_create` takes it: one that is malformed or refused does not stop the others."""


class UniorderOutcome(Answer):
    """Result of one form of a batch."""

    index: Annotated[int, doc("Position in the request, starting at 0.")]
    reference: Annotated[str | None, doc("Your own reference: `order_ref` of an order, `reference` of a form to rate.")]
    state: Annotated[str, doc("queued, rated, created, existing, refused or cancelled.")]
    order: Annotated[UniorderRecord | None, doc("Order, if one was created.")] = None
    rated: Annotated[UniorderRates | None, doc("Rates, if the form was rated.")] = None
    code: Annotated[str | None, doc("Machine-readable error code.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Error message in the caller's language.")] = None
    errors: Annotated[list[OrderFieldError], doc("Fields with validation errors.")] = []


class UniorderBatchResult(Answer):
    """Results of a batch."""

    result: Annotated[bool, doc("True if at least one was rated or ordered.")]
    done: Annotated[int, doc("Number of rows that were rated, created or already existed.")]
    failed: Annotated[int, doc("Number of rejected rows.")]
    without_label: Annotated[int, doc("Orders that stay without a label, to be bought later.")]
    outcomes: list[UniorderOutcome]
    errors: Annotated[list[OrderBatchError], doc("Outcomes of refused rows.")]


class UniorderJobRef(Request):
    """Reference to a job."""

    job_id: UniorderJobId = Field(alias="jobId")
    """ID of the job."""


class GetUniorderJob(PageRequest):
    """A job, and filters for its outcomes."""

    job_id: UniorderJobId = Field(alias="jobId")
    """ID of the job."""


class ListUniorderJobs(PageRequest):
    """Filters for jobs. All filters must match."""

    purpose: PurposeOfJob | None = None
    finished: bool | None = None
    """If true, only finished ones; if false, only unfinished ones."""


class UniorderJobRecord(Answer):
    """Progress of a job."""

    id: int
    purpose: Annotated[str, doc("rate or create.", "create")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.", "done")]
    total: int
    done: Annotated[int, doc("Number of processed forms.")]
    succeeded: Annotated[int, doc("Number of rows that were rated, created or already existed.")]
    failed: Annotated[int, doc("Number of rejected rows.")]
    created_at: datetime
    finished_at: datetime | None


class UniorderJobList(PagedAnswer):
    """A page of jobs, newest first."""

    jobs: list[UniorderJobRecord]


class UniorderJobStarted(Answer):
    """Where to read the job."""

    result: bool = True
    job_id: Annotated[UniorderJobId, doc("Job id for GET /v1/uniorder/jobs/{jobId}.")]
    total: int
    refused: Annotated[int, doc("Number of malformed rows, rejected immediately. The others are processed.")]


class UniorderJobAnswer(PagedAnswer):
    """Progress of a job with a page of its outcomes."""

    job_id: UniorderJobId
    purpose: Annotated[str, doc("rate or create.", "create")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    done: Annotated[int, doc("Number of processed forms.")]
    succeeded: Annotated[int, doc("Number of rows that were rated, created or already existed.")]
    failed: Annotated[int, doc("Number of rejected rows.")]
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[UniorderOutcome]
    errors: Annotated[list[OrderBatchError], doc("Outcomes of refused rows on this page.")]
