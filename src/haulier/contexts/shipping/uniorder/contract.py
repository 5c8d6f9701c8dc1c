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
from haulier.kernel.operations.rows import JudgedAlone, MalformedRow
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

UniorderKind = Literal["local", "label"]
UniorderRateId = Annotated[str, Field(min_length=1, max_length=30, pattern="^[A-Za-z0-9_-]+$", examples=["u17-l0"])]


class UniorderForm(ShipmentTerms):
    """What is sent, from whom to whom: one form for local delivery and every carrier."""

    pickup: bool = False
    """Local delivery: fetch it at the shipper's door. Otherwise it lies at the business."""
    delivery_instruction: LongText | None = Field(default=None, examples=["Leave it at the side door."])
    """Local delivery: for the driver."""
    window_start: Moment | None = None
    """Local delivery: not before, with offset."""
    window_end: Moment | None = None
    """Local delivery: not after, with offset."""

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
    """Labels with these accounts; with all that are offered unless said."""
    services: list[ServiceCode] = Field(default=[], max_length=MAX_SERVICES)
    """Labels of these services; of all unless said."""
    customer_id: RecordId | None = None
    """The customer it is for; customers ask for themselves."""
    reference: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Your own name of it, which its outcome in a batch repeats."""


class UniorderCharge(Answer):
    """A part of a price."""

    code: Annotated[str, doc("base, fuel, signature, tax, mark_up, or the carrier's own code.", "base")]
    name: str | None
    amount: Annotated[int, doc("In minor units.")]


def family_of_kind(kind: str) -> PriceFamily:
    """Whose prices those of a kind of order are."""
    return PriceFamily.LOCAL_DELIVERY if kind == "local" else LABELS


class UniorderRate(Priced):
    """A way to send it, and its price. Prices of local delivery and of labels are hidden each for itself."""

    rate_id: Annotated[str, doc("Order with this id: the price then holds.", "u17-l0")]
    kind: Annotated[str, doc("local: the business's own delivery. label: a carrier's.", "local")]
    carrier: Annotated[str, doc("The carrier; LOCAL for local delivery.", "LOCAL")]
    account_id: Annotated[int | None, doc("The account with the carrier; null for local delivery.")]
    service: Annotated[str, doc("Its code.", "standard")]
    service_name: str
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "Total with tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    price_details: Annotated[list[UniorderCharge] | UnsetType, price_by(FAMILY, "The parts of the price.")] = UNSET
    carrier_price: Annotated[int | UnsetType, price_by(FAMILY, "What the carrier charges; for the office.")] = UNSET
    transit_days: int | None
    deliver_by: datetime | None
    guaranteed: bool
    expires_at: Annotated[datetime, doc("Until when the rate holds.")]


class UniorderRates(Answer):
    """The ways to send something: the cheapest first, after them by name those whose price is hidden."""

    quote_id: int
    expires_at: Annotated[datetime, doc("Until when all of them hold.")]
    rates: list[UniorderRate]
    messages: Annotated[
        list[CarrierRemark], doc("Why a carrier or local delivery has no rate, and what else they say.")
    ]


class UniorderRateList(UniorderRates):
    """The ways to send something."""

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
    """What came of one form of many."""

    index: Annotated[int, doc("The place in the request, from 0.")]
    reference: Annotated[str | None, doc("Your own reference: `order_ref` of an order, `reference` of a form to rate.")]
    state: Annotated[str, doc("queued, rated, created, existing, refused or cancelled.")]
    order: Annotated[UniorderRecord | None, doc("The order, where one was created.")] = None
    rated: Annotated[UniorderRates | None, doc("The rates, where it was rated.")] = None
    code: Annotated[str | None, doc("Why it was refused, for programs.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Why it was refused, in the caller's language.")] = None
    errors: Annotated[list[OrderFieldError], doc("The fields at fault.")] = []


class UniorderBatchResult(Answer):
    """What came of each."""

    result: Annotated[bool, doc("True when at least one was rated or ordered.")]
    done: Annotated[int, doc("That were rated, created or existed.")]
    failed: Annotated[int, doc("That were refused.")]
    without_label: Annotated[int, doc("Orders that stay without a label, to be bought later.")]
    outcomes: list[UniorderOutcome]
    errors: Annotated[list[OrderBatchError], doc("The outcomes that are refusals.")]


class UniorderJobRef(Request):
    """Which job."""

    job_id: RecordId = Field(alias="jobId")
    """The job's id."""


class GetUniorderJob(PageRequest):
    """Which job, and which page of its outcomes."""

    job_id: RecordId = Field(alias="jobId")
    """The job's id."""


class ListUniorderJobs(PageRequest):
    """Which jobs; one must match all that is given."""

    purpose: PurposeOfJob | None = None
    finished: bool | None = None
    """Only those that are finished, or only those that are not."""


class UniorderJobRecord(Answer):
    """How far a job is."""

    id: int
    purpose: Annotated[str, doc("rate or create.", "create")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.", "done")]
    total: int
    done: Annotated[int, doc("Forms that were processed.")]
    succeeded: Annotated[int, doc("That were rated, created or existed.")]
    failed: Annotated[int, doc("That were refused.")]
    created_at: datetime
    finished_at: datetime | None


class UniorderJobList(PagedAnswer):
    """A page of jobs, newest first."""

    jobs: list[UniorderJobRecord]


class UniorderJobStarted(Answer):
    """Where to read the job."""

    result: bool = True
    job_id: Annotated[int, doc("Read it with GET /v1/uniorder/jobs/{jobId}.")]
    total: int
    refused: Annotated[int, doc("That are malformed and were refused at once; the others are tried.")]


class UniorderJobAnswer(PagedAnswer):
    """How far a job is, and a page of its outcomes."""

    job_id: int
    purpose: Annotated[str, doc("rate or create.", "create")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    done: Annotated[int, doc("Forms that were processed.")]
    succeeded: Annotated[int, doc("That were rated, created or existed.")]
    failed: Annotated[int, doc("That were refused.")]
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[UniorderOutcome]
    errors: Annotated[list[OrderBatchError], doc("The outcomes of this page that are refusals.")]
