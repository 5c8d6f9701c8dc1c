"""What goes in and out of ship-outs."""

from datetime import date, datetime
from typing import Annotated, Any, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.services.contract import FormFieldRecord, FormValues
from haulier.contexts.billing.services.contract import ServiceCode as ShipoutServiceCode
from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddress, OrderAddressRecord
from haulier.contexts.orders.quotes.contract import QuoteAddress
from haulier.contexts.storage.shipouts.rules import ShipoutFulfilment
from haulier.contexts.storage.storage_orders.contract import STORAGE, StorageReference
from haulier.contexts.storage.stored_packages.contract import StoredPackageRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, NOTE_MAX, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PARCELS_MAX, PACKAGES_MAX = 100, 200
NUMBER_MAX = 64
StatusOfShipout = Literal["pending", "confirmed", "shipped", "cancelled"]
CarrierNumber = Annotated[
    str, Field(min_length=1, max_length=NUMBER_MAX, pattern=r"^[\x20-\x7e]*$", examples=["1Z999AA10123456784"])
]


class ShipoutParcel(Request):
    """A parcel that leaves: what it takes is packed into one."""

    package_ids: list[RecordId] = Field(default=[], max_length=PACKAGES_MAX)
    """Stored packages in it."""
    inbound_parcel_ids: list[RecordId] = Field(default=[], max_length=PACKAGES_MAX)
    """Inbound parcels in it."""

    @model_validator(mode="after")
    def _takes_something(self) -> Self:
        if not self.package_ids and not self.inbound_parcel_ids:
            raise PydanticCustomError("parcel_empty", "a parcel takes something")
        return self


class ShipoutWish(Request):
    """Which packages leave, and how."""

    service_code: ShipoutServiceCode
    """The service."""
    parcels: list[ShipoutParcel] = Field(min_length=1, max_length=PARCELS_MAX)
    """The parcels that leave; each package is in one of them."""
    values: FormValues = {}
    """What the service's form asks for."""

    @model_validator(mode="after")
    def _each_package_once(self) -> Self:
        ids, inbound = self.package_ids, self.inbound_parcel_ids
        if len(ids) + len(inbound) > PACKAGES_MAX:
            raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PACKAGES_MAX})
        if len(set(ids)) < len(ids) or len(set(inbound)) < len(inbound):
            raise PydanticCustomError("package_twice", "a package is there twice")
        return self

    @property
    def package_ids(self) -> list[int]:
        """The packages that leave."""
        return [id for parcel in self.parcels for id in parcel.package_ids]

    @property
    def inbound_parcel_ids(self) -> list[int]:
        """The inbound parcels that leave."""
        return [id for parcel in self.parcels for id in parcel.inbound_parcel_ids]


class EstimateShipout(ShipoutWish):
    """What would be sent."""

    consignee: QuoteAddress = QuoteAddress()
    """Where it goes; as much of it as is known."""


class CreateShipout(ShipoutWish):
    """A new ship-out."""

    consignee: OrderAddress
    """Where it goes."""
    quote_id: RecordId | None = Field(default=None, examples=[12])
    """An estimate of the same: the ship-out costs what it said. Without one it costs what it costs now."""
    shipout_ref: StorageReference | None = None
    """Your own reference."""
    scheduled_date: Day | None = None
    """The wished day."""
    note: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = Field(default="", examples=["Pack it well"])
    """What the warehouse should know."""


class ListShipouts(PageRequest):
    """Which of your ship-outs; one must match all that is given."""

    status: StatusOfShipout | None = None
    """Filter by status."""
    shipout_ref: StorageReference | None = None
    """Filter by reference."""
    tracking_number: CarrierNumber | None = None
    """Filter by tracking number."""


class ListCustomerShipouts(ListShipouts):
    """Which ship-outs of customers."""

    customer_id: RecordId | None = None
    """Filter by customer."""


class ShipoutRef(Request):
    """Which ship-out."""

    shipout_id: RecordId
    """The ship-out's id."""


class ConfirmShipout(ShipoutRef):
    """How a ship-out leaves."""

    fulfilment: ShipoutFulfilment | None = None
    """By the client's own drivers, or by a carrier; as its service says when left out."""
    tracking_number: CarrierNumber | None = None
    """With `label`: the number of a label that was bought already. Without it, one is bought."""

    @model_validator(mode="after")
    def _only_a_label_has_a_number(self) -> Self:
        if self.fulfilment is not ShipoutFulfilment.LABEL and self.tracking_number is not None:
            raise PydanticCustomError("label_number", "a label has a number, a delivery gets its own")
        return self


class ShipoutService(Answer):
    """A service by which packages are sent."""

    service_code: Annotated[str, doc("Code of the service.", "same-day")]
    name: str
    description: str
    form: Annotated[list[FormFieldRecord], doc("The fields of its form, in order.")]
    form_schema: Annotated[dict[str, Any], doc("The form as JSON Schema (2020-12), titles in the caller's language.")]
    quote_hours: Annotated[int, doc("For so long an estimate holds.")]


class ShipoutServiceList(Answer):
    """The services by which packages are sent, in the business's order."""

    result: bool = True
    services: list[ShipoutService]


class ShipoutPriceLine(Priced):
    """A part of a price."""

    code: str
    name: str
    amount: Annotated[int | UnsetType, price(STORAGE, "Amount in minor units.")] = UNSET


class ShipoutEstimate(Priced):
    """What a ship-out would cost. It holds until it expires, whatever happens to the tariff."""

    result: bool = True
    quote_id: Annotated[int, doc("With which a ship-out gets this price; 0 in a rehearsal, which keeps none.")]
    expires_at: datetime
    service_code: str
    parcels: Annotated[int, doc("How many parcels leave.")]
    weight_g: Annotated[int, doc("Their weight in grams.")]
    shipping_price: Annotated[int | UnsetType, price(STORAGE, "All of it, in minor units.")] = UNSET
    tax: Annotated[int | UnsetType, price(STORAGE, "The tax in it.")] = UNSET
    price_details: Annotated[list[ShipoutPriceLine] | UnsetType, price(STORAGE, "The parts of the price.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET


class ShipoutSummary(Priced):
    """A ship-out in a list."""

    id: int
    status: Annotated[str, doc("pending, confirmed, shipped or cancelled.", "pending")]
    customer_id: int
    service_code: str
    service_name: str
    shipout_ref: Annotated[str | None, doc("The customer's own reference.")]
    consignee_name: str
    scheduled_date: date | None
    fulfilment: Annotated[str | None, doc("local_delivery or label; null until it is confirmed.")]
    tracking_number: Annotated[
        str | None, doc("Under which it is followed; null until it is confirmed, or its label bought.")
    ]
    shipping_price: Annotated[int | UnsetType, price(STORAGE, "All of it, in minor units.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price(STORAGE, "What is paid of it.")] = UNSET
    balance_due: Annotated[int | UnsetType, price(STORAGE, "What is still to be paid.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET
    can_be_paid: Annotated[bool, doc("Whether something is to be paid here.")]
    can_be_cancelled: Annotated[bool, doc("Until it has left.")]
    created_at: datetime


class ShipoutParcelRecord(Answer):
    """A parcel that leaves."""

    package_ids: Annotated[list[int], doc("The stored packages in it.")]
    inbound_parcel_ids: Annotated[list[int], doc("The inbound parcels in it.")]
    weight_g: Annotated[int, doc("Its weight in grams.")]


class ShipoutInboundParcel(Answer):
    """A parcel that was brought to us and leaves with a ship-out."""

    id: Annotated[int, doc("For `get_inbound_parcel`.")]
    tracking_number: Annotated[str, doc("Under which it came.", "1Z999AA10123456784")]
    state: Annotated[str, doc("consolidated; shipped once the ship-out has left.", "consolidated")]
    contents: Annotated[str | None, doc("What is said to be in it.")]
    weight_g: Annotated[int | None, doc("Grams.")]


class ShipoutDetail(ShipoutSummary):
    """A ship-out."""

    consignee: OrderAddressRecord
    parcels: list[ShipoutParcelRecord]
    stored_packages: Annotated[list[StoredPackageRecord], doc("The packages that it takes or took.")]
    inbound_parcels: Annotated[list[ShipoutInboundParcel], doc("The inbound parcels that it takes or took.")]
    values: Annotated[dict[str, Any], doc("What was filled in.")]
    note: str
    order_id: Annotated[int | None, doc("The local delivery that it became.")]
    shipment_id: Annotated[int | UnsetType | None, doc("The shipment whose label it leaves with. For the office.")] = (
        UNSET
    )
    label_fault: Annotated[
        str | UnsetType | None, doc("Why no label could be bought; confirm it again to try anew. For the office.")
    ] = UNSET
    tax: Annotated[int | UnsetType, price(STORAGE, "The tax in the price.")] = UNSET
    price_details: Annotated[list[ShipoutPriceLine] | UnsetType, price(STORAGE, "The parts of the price.")] = UNSET
    confirmed_at: datetime | None
    ended_at: Annotated[datetime | None, doc("When it left or was cancelled.")]


class ShipoutAnswer(Answer):
    """One ship-out."""

    result: bool = True
    shipout: ShipoutDetail


class ShipoutList(PagedAnswer):
    """A page of ship-outs, newest first."""

    shipouts: list[ShipoutSummary]
