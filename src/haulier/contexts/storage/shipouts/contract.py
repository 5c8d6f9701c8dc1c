"""Request and response models for ship-outs."""

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
from haulier.kernel.operations.ids import PriceQuoteId, StoredPackageId
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

    package_ids: list[StoredPackageId] = Field(default=[], max_length=PACKAGES_MAX)
    """Stored packages in it."""
    inbound_parcel_ids: list[RecordId] = Field(default=[], max_length=PACKAGES_MAX)
    """Inbound parcels in it."""

    @model_validator(mode="after")
    def _takes_something(self) -> Self:
        if not self.package_ids and not self.inbound_parcel_ids:
            raise PydanticCustomError("parcel_empty", "a parcel takes something")
        return self


class ShipoutWish(Request):
    """Packages to send, and the service."""

    service_code: ShipoutServiceCode
    """The service."""
    parcels: list[ShipoutParcel] = Field(min_length=1, max_length=PARCELS_MAX)
    """Parcels to ship. Each package must be in exactly one of them."""
    values: FormValues = {}
    """Values of the service's form fields."""

    @model_validator(mode="after")
    def _require_unique_packages(self) -> Self:
        ids, inbound = self.package_ids, self.inbound_parcel_ids
        if len(ids) + len(inbound) > PACKAGES_MAX:
            raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PACKAGES_MAX})
        if len(set(ids)) < len(ids) or len(set(inbound)) < len(inbound):
            raise PydanticCustomError("package_twice", "a package is there twice")
        return self

    @property
    def package_ids(self) -> list[int]:
        """Return the packages that leave."""
        return [id for parcel in self.parcels for id in parcel.package_ids]

    @property
    def inbound_parcel_ids(self) -> list[int]:
        """Return the inbound parcels that leave."""
        return [id for parcel in self.parcels for id in parcel.inbound_parcel_ids]


class EstimateShipout(ShipoutWish):
    """A ship-out to price."""

    consignee: QuoteAddress = QuoteAddress()
    """Destination, as far as known."""


class CreateShipout(ShipoutWish):
    """A new ship-out."""

    consignee: OrderAddress
    """Destination."""
    quote_id: PriceQuoteId | None = Field(default=None, examples=[12])
    """Estimate of the same ship-out, whose price applies. Without one, the current price applies."""
    shipout_ref: StorageReference | None = None
    """Your reference."""
    scheduled_date: Day | None = None
    """Requested day."""
    note: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = Field(default="", examples=["Pack it well"])
    """Note for the warehouse."""


class ListShipouts(PageRequest):
    """Filters for your ship-outs. All filters must match."""

    status: StatusOfShipout | None = None
    """Filter by status."""
    shipout_ref: StorageReference | None = None
    """Filter by reference."""
    tracking_number: CarrierNumber | None = None
    """Filter by tracking number."""


class ListCustomerShipouts(ListShipouts):
    """Filters for ship-outs of customers."""

    customer_id: RecordId | None = None
    """Filter by customer."""


class ShipoutRef(Request):
    """Reference to a ship-out."""

    shipout_id: RecordId
    """ID of the ship-out."""


class ConfirmShipout(ShipoutRef):
    """Fulfilment of a ship-out."""

    fulfilment: ShipoutFulfilment | None = None
    """Own drivers or a carrier. Defaults to the setting of the service."""
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
    form: Annotated[list[FormFieldRecord], doc("Fields of the form, in order.")]
    form_schema: Annotated[dict[str, Any], doc("Form as JSON Schema (2020-12), with titles in the caller's language.")]
    quote_hours: Annotated[int, doc("Hours for which an estimate is valid.")]


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
    """Price of a ship-out, valid until it expires, whatever the tariff."""

    result: bool = True
    quote_id: Annotated[
        PriceQuoteId, doc("Id for creating a ship-out at this price; 0 in a dry run, which stores nothing.")
    ]
    expires_at: datetime
    service_code: str
    parcels: Annotated[int, doc("Number of parcels.")]
    weight_g: Annotated[int, doc("Weight of the parcels in grams.")]
    shipping_price: Annotated[int | UnsetType, price(STORAGE, "Total price, in minor units.")] = UNSET
    tax: Annotated[int | UnsetType, price(STORAGE, "Tax included in the price.")] = UNSET
    price_details: Annotated[list[ShipoutPriceLine] | UnsetType, price(STORAGE, "Parts of the price.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET


class ShipoutSummary(Priced):
    """A ship-out in a list."""

    id: int
    status: Annotated[str, doc("pending, confirmed, shipped or cancelled.", "pending")]
    customer_id: int
    service_code: str
    service_name: str
    shipout_ref: Annotated[str | None, doc("Customer's reference.")]
    consignee_name: str
    scheduled_date: date | None
    fulfilment: Annotated[str | None, doc("local_delivery or label; null until it is confirmed.")]
    tracking_number: Annotated[str | None, doc("Tracking number; null until it is confirmed, or its label is bought.")]
    shipping_price: Annotated[int | UnsetType, price(STORAGE, "Total price, in minor units.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price(STORAGE, "Amount paid, in minor units.")] = UNSET
    balance_due_minor: Annotated[int | UnsetType, price(STORAGE, "Amount due, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET
    can_be_paid: Annotated[bool, doc("True if an amount is due.")]
    can_be_cancelled: Annotated[bool, doc("True until the ship-out has left.")]
    created_at: datetime


class ShipoutParcelRecord(Answer):
    """A parcel that leaves."""

    package_ids: Annotated[list[StoredPackageId], doc("Stored packages of the ship-out.")]
    inbound_parcel_ids: Annotated[list[int], doc("Inbound parcels of the ship-out.")]
    weight_g: Annotated[int, doc("Weight in grams.")]


class ShipoutInboundParcel(Answer):
    """An inbound parcel that leaves with a ship-out."""

    id: Annotated[int, doc("Id for `get_inbound_parcel`.")]
    tracking_number: Annotated[str, doc("Inbound tracking number.", "1Z999AA10123456784")]
    state: Annotated[str, doc("consolidated; shipped once the ship-out has left.", "consolidated")]
    contents: Annotated[str | None, doc("Declared contents.")]
    weight_g: Annotated[int | None, doc("Weight in grams.")]


class ShipoutDetail(ShipoutSummary):
    """A ship-out."""

    consignee: OrderAddressRecord
    parcels: list[ShipoutParcelRecord]
    stored_packages: Annotated[list[StoredPackageRecord], doc("Stored packages of the ship-out.")]
    inbound_parcels: Annotated[list[ShipoutInboundParcel], doc("Inbound parcels of the ship-out.")]
    values: Annotated[dict[str, Any], doc("Form values.")]
    note: str
    order_id: Annotated[int | None, doc("Local delivery created from it.")]
    shipment_id: Annotated[int | UnsetType | None, doc("Shipment of its label. For staff.")] = UNSET
    label_fault: Annotated[
        str | UnsetType | None, doc("Reason why no label could be bought. Confirm again to retry. For staff.")
    ] = UNSET
    tax: Annotated[int | UnsetType, price(STORAGE, "Tax included in the price.")] = UNSET
    price_details: Annotated[list[ShipoutPriceLine] | UnsetType, price(STORAGE, "Parts of the price.")] = UNSET
    confirmed_at: datetime | None
    ended_at: Annotated[datetime | None, doc("Time when it left or was cancelled.")]


class ShipoutAnswer(Answer):
    """One ship-out."""

    result: bool = True
    shipout: ShipoutDetail


class ShipoutList(PagedAnswer):
    """A page of ship-outs, newest first."""

    shipouts: list[ShipoutSummary]
