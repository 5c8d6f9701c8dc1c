"""What goes in and out of shipping orders."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.billing.services.contract import FormValues, ServiceCode
from haulier.contexts.orders.delivery_orders.contract.orders import OrderReference
from haulier.contexts.shipping.accounts.contract.accounts import ShippingAddress, ShippingAddressRecord
from haulier.contexts.shipping.accounts.contract.tariffs import FAMILY, PriceFamilyOf
from haulier.contexts.shipping.shipping_orders.contract.services import (
    OrderableKind,
    Packages,
    ShippingOrderCharge,
    ShippingOrderPackage,
    ShippingServiceRef,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, Reason, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ShippingOrderStateName = Literal["pending", "confirmed", "in_progress", "completed", "cancelled"]


class CreateShippingOrder(ShippingServiceRef):
    """A new order of a service. A repeat with the same `order_ref` gives the existing order."""

    consignee: ShippingAddress
    """Where it goes."""
    shipper: ShippingAddress | None = None
    """Where it comes from; needed where the service says so."""
    packages: Packages = [ShippingOrderPackage()]
    """The pieces."""
    values: FormValues = {}
    """What the service's form asks for."""
    quote_id: RecordId | None = Field(default=None, examples=[12])
    """A quote of `estimate`: the order gets its price, if it is what was quoted. Without one it costs what it costs now."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Your own reference, unique among your shipping orders."""
    scheduled_date: Day | None = None
    """The wished day."""
    note: Note | None = Field(default=None, examples=["Two people are needed."])
    """What the business should know."""


class ShippingOrderRef(Request):
    """Which order."""

    shipping_order_id: RecordId
    """The order's id."""


class ListShippingOrders(PageRequest):
    """Filters; an order must match all that are given."""

    state: ShippingOrderStateName | None = None
    """In this state."""
    kind: OrderableKind | None = None
    """Of services of this kind."""
    service_code: ServiceCode | None = None
    """Of this service."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """With this reference."""
    created_from: Day | None = None
    """Ordered on this day or later, in the business's time zone."""
    created_to: Day | None = None
    """Ordered on this day or earlier."""


class ListCustomersShippingOrders(ListShippingOrders):
    """Filters; an order must match all that are given."""

    customer_id: RecordId | None = None
    """Of this customer."""
    paid: bool | None = None
    """Only those that are paid, or only those that are not."""


class MoveShippingOrder(ShippingOrderRef):
    """How far an order is."""

    state: Literal["in_progress", "completed"]
    """in_progress once it is begun, completed once it is done."""


class CancelCustomersShippingOrder(ShippingOrderRef):
    """Why an order is cancelled."""

    reason: Reason | None = Field(default=None, examples=["No truck is free on that day."])
    """The customer reads it."""


class ShippingOrderPackageRecord(Answer, fields_of=ShippingOrderPackage):
    """A piece, or several that are all alike."""


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
    tracking_number: Annotated[str | None, doc("Under which it is followed; null until it is confirmed.")]
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "All of it, in minor units.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price_by(FAMILY, "What is paid of it.")] = UNSET
    amount_due: Annotated[int | UnsetType, price_by(FAMILY, "What is still to be paid.")] = UNSET
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
    values: Annotated[dict[str, Any], doc("What was filled in.")]
    note: str | None
    tax: Annotated[int | UnsetType, price_by(FAMILY, "The tax in the price.")] = UNSET
    price_details: Annotated[list[ShippingOrderCharge] | UnsetType, price_by(FAMILY, "The parts of the price.")] = UNSET
    order_id: Annotated[int | None, doc("The local delivery that it became.")]
    shipment_id: Annotated[int | UnsetType | None, doc("The label that it became; for the office.")] = UNSET
    label_fault: Annotated[str | UnsetType | None, doc("Why there is no label yet; for the office.")] = UNSET
    confirmed_at: datetime | None
    completed_at: datetime | None
    cancelled_at: datetime | None
    cancel_reason: str | None


class ShippingOrderAnswer(Answer):
    """One shipping order."""

    result: bool = True
    shipping_order: ShippingOrderDetail


class CreatedShippingOrder(ShippingOrderAnswer):
    """A shipping order that was created, or one that was there."""

    existing: Annotated[bool, doc("Whether it was there: a repeat creates nothing.")] = False


class ShippingOrderList(PagedAnswer):
    """A page of shipping orders, newest first."""

    shipping_orders: list[ShippingOrderSummary]
