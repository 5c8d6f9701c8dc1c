"""Request and response models of shipping orders."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.services.contract import FormFieldRecord, FormValues, ServiceCode
from haulier.contexts.orders.delivery_orders.contract.orders import OrderReference
from haulier.contexts.orders.quotes.contract import QuoteAddress, ShortText
from haulier.contexts.shipping.accounts.contract import FAMILY, PriceFamilyOf, ShippingAddress, ShippingAddressRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, Reason, RecordId
from haulier.kernel.operations.ids import PriceQuoteId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PACKAGES_MAX = 100
PIECES_MAX = 200
"""Maximum number of packages, as for deliveries."""
OrderableKind = Literal["parcel", "ltl", "moving"]


class ListShippingServices(Request):
    """Filters for services."""

    kind: OrderableKind | None = None
    """Filter by type."""


class ShippingServiceRef(Request):
    """Reference to a service."""

    service_code: ServiceCode
    """The service's code."""


class ShippingOrderPackage(Request):
    """One package, or several equal ones."""

    weight_g: int = Field(default=1000, ge=1, le=50_000_000)
    """Weight of one package in grams."""
    length_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[300])
    """Length in millimetres."""
    width_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[200])
    """Width in millimetres."""
    height_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[150])
    """Height in millimetres."""
    quantity: int = Field(default=1, ge=1, le=50)
    """Number of equal packages."""
    description: ShortText | None = Field(default=None, examples=["Shoes"])
    """Description of the contents."""


def _not_too_many(packages: list[ShippingOrderPackage]) -> list[ShippingOrderPackage]:
    if sum(package.quantity for package in packages) > PIECES_MAX:
        raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PIECES_MAX})
    return packages


Packages = Annotated[
    list[ShippingOrderPackage], Field(min_length=1, max_length=PACKAGES_MAX), AfterValidator(_not_too_many)
]


class EstimateShippingOrder(ShippingServiceRef):
    """A shipping order to price."""

    consignee: QuoteAddress | None = None
    """Destination, as far as known. Distance-based prices require coordinates."""
    shipper: QuoteAddress | None = None
    """Origin."""
    packages: Packages = [ShippingOrderPackage()]
    """Packages."""
    values: FormValues = {}
    """Values of the service's form fields."""


class ShippingServiceRecord(Answer):
    """A service that can be ordered."""

    code: str
    kind: str
    name: str
    description: str


class ShippingServiceList(Answer):
    """The services that can be ordered, in the business's order."""

    result: bool = True
    services: list[ShippingServiceRecord]


class ShippingServiceConfig(Answer):
    """A service, and what it asks for."""

    result: bool = True
    service: ShippingServiceRecord
    form: Annotated[list[FormFieldRecord], doc("Fields of the form, in order.")]
    form_schema: Annotated[dict[str, Any], doc("Form as JSON Schema (2020-12), with titles in the caller's language.")]
    quote_hours: Annotated[int, doc("Validity of a quote in hours.")]
    sender_needed: Annotated[bool, doc("True if orders need a sender.")]


class ShippingOrderCharge(Answer):
    """A part of a price."""

    code: str
    name: str
    amount: Annotated[int, doc("Amount in minor units.")]


class ShippingOrderEstimate(Priced):
    """Price of an order. The quote holds until it expires, whatever the tariff."""

    result: bool = True
    service_code: str
    quote_id: Annotated[PriceQuoteId, doc("Id for ordering at this price. 0 in a dry run, which stores nothing.")]
    expires_at: Annotated[datetime, doc("Time until which the quote holds.")]
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "Total price, in minor units.")] = UNSET
    tax: Annotated[int | UnsetType, price_by(FAMILY, "Tax included in the price.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    price_details: Annotated[list[ShippingOrderCharge] | UnsetType, price_by(FAMILY, "Parts of the price.")] = UNSET


ShippingOrderStateName = Literal["pending", "confirmed", "in_progress", "completed", "cancelled"]


class CreateShippingOrder(ShippingServiceRef):
    """A new order of a service.

    A repeat with the same `order_ref` returns the existing order.
    """

    consignee: ShippingAddress
    """Destination."""
    shipper: ShippingAddress | None = None
    """Origin. Required if the service requires it."""
    packages: Packages = [ShippingOrderPackage()]
    """Packages."""
    values: FormValues = {}
    """Values of the service's form fields."""
    quote_id: PriceQuoteId | None = Field(default=None, examples=[12])
    """ID of a quote. The order gets its price if it matches the quote. Without a quote, the current price applies."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Your reference. Unique among your shipping orders."""
    scheduled_date: Day | None = None
    """Requested day."""
    note: Note | None = Field(default=None, examples=["Two people are needed."])
    """Message to the business."""


class ShippingOrderRef(Request):
    """Reference to a shipping order."""

    shipping_order_id: RecordId
    """ID of the order."""


class ListShippingOrders(PageRequest):
    """Filters; an order must match all that are given."""

    state: ShippingOrderStateName | None = None
    """Filter by state."""
    kind: OrderableKind | None = None
    """Filter by type of service."""
    service_code: ServiceCode | None = None
    """Filter by service."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Filter by reference."""
    created_from: Day | None = None
    """Ordered on this day or later, in the business's time zone."""
    created_to: Day | None = None
    """Ordered on this day or earlier."""


class ListCustomersShippingOrders(ListShippingOrders):
    """Filters; an order must match all that are given."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    paid: bool | None = None
    """If true, only paid ones; if false, only unpaid ones."""


class MoveShippingOrder(ShippingOrderRef):
    """New state of an order."""

    state: Literal["in_progress", "completed"]
    """`in_progress` after the start, `completed` at the end."""


class CancelCustomersShippingOrder(ShippingOrderRef):
    """Reason for a cancellation."""

    reason: Reason | None = Field(default=None, examples=["No truck is free on that day."])
    """The customer reads it."""


class ShippingOrderPackageRecord(Answer, fields_of=ShippingOrderPackage):
    """One package, or several equal ones."""


class ShippingOrderSummary(Priced):
    """A shipping order in a list."""

    id: int
    state: Annotated[str, doc("pending, confirmed, in_progress, completed or cancelled.")]
    service_code: str
    service_name: str
    kind: str
    order_ref: str | None
    customer_id: int
    consignee_name: str
    consignee_city: str
    scheduled_date: date | None
    tracking_number: Annotated[str | None, doc("Tracking number; null until it is confirmed.")]
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "Total price, in minor units.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price_by(FAMILY, "Amount paid, in minor units.")] = UNSET
    amount_due_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount due, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    can_be_paid: bool
    can_be_cancelled: bool
    created_at: datetime
    updated_at: datetime


class ShippingOrderDetail(ShippingOrderSummary):
    """A shipping order."""

    shipper: ShippingAddressRecord | None
    consignee: ShippingAddressRecord
    packages: list[ShippingOrderPackageRecord]
    values: Annotated[dict[str, Any], doc("Form values.")]
    note: str | None
    tax: Annotated[int | UnsetType, price_by(FAMILY, "Tax included in the price.")] = UNSET
    price_details: Annotated[list[ShippingOrderCharge] | UnsetType, price_by(FAMILY, "Parts of the price.")] = UNSET
    order_id: Annotated[int | None, doc("Local delivery created from it.")]
    shipment_id: Annotated[int | UnsetType | None, doc("Label created from it; for staff.")] = UNSET
    label_fault: Annotated[str | UnsetType | None, doc("Reason why there is no label yet; for staff.")] = UNSET
    confirmed_at: datetime | None
    completed_at: datetime | None
    cancelled_at: datetime | None
    cancel_reason: str | None


class ShippingOrderAnswer(Answer):
    """One shipping order."""

    result: bool = True
    shipping_order: ShippingOrderDetail


class CreatedShippingOrder(ShippingOrderAnswer):
    """A new or existing shipping order."""

    existing: Annotated[bool, doc("True if the order existed already. A repeat creates nothing.")] = False


class ShippingOrderList(PagedAnswer):
    """A page of shipping orders, newest first."""

    shipping_orders: list[ShippingOrderSummary]
