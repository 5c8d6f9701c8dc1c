"""Orders of devices."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.device_orders.contract.products import DEVICES, ProductCode
from haulier.contexts.lockers.devices.contract.devices import Serial
from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddress, OrderAddressRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Note, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LINES_MAX, PIECES_MAX = 20, 200
DEVICE_ORDER_REF_MAX, TRACKING_MAX = 80, 64
StatusOfDeviceOrder = Literal["draft", "confirmed", "paid", "shipped", "delivered", "active", "returned", "cancelled"]
DeviceOrderReference = Annotated[
    str, Field(min_length=1, max_length=DEVICE_ORDER_REF_MAX, pattern=NO_NUL, examples=["HW-1001"])
]
DeviceTrackingNumber = Annotated[
    str, Field(min_length=1, max_length=TRACKING_MAX, pattern=r"^[\x20-\x7e]*$", examples=["1Z999AA10123456784"])
]


class DeviceOrderItem(Request):
    """A product, and how many of it."""

    product_code: ProductCode
    quantity: int = Field(default=1, ge=1, le=PIECES_MAX)
    """How many."""


DeviceOrderItems = Annotated[list[DeviceOrderItem], Field(min_length=1, max_length=LINES_MAX)]


def check_items(items: list[DeviceOrderItem]) -> None:
    """Each product once, and no more pieces than an order may have. Raises `PydanticCustomError`."""
    if len({item.product_code for item in items}) < len(items):
        raise PydanticCustomError("product_twice", "a product is there twice")
    if sum(item.quantity for item in items) > PIECES_MAX:
        raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PIECES_MAX})


class QuoteDeviceOrder(Request):
    """What shall be quoted."""

    items: DeviceOrderItems
    """The products, each once."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        check_items(self.items)
        return self


class CreateDeviceOrder(QuoteDeviceOrder):
    """A new order, as a draft."""

    consignee: OrderAddress
    """Where the devices go."""
    customer_id: RecordId | None = None
    """Whose order it is; the office must say so, customers order for themselves."""
    order_ref: DeviceOrderReference | None = None
    """Your own reference."""
    note: Note = Field(default="", examples=["Deliver to the back door"])
    """What the office should know."""


class UpdateDeviceOrder(Request):
    """What to change of a draft; what is left out stays. Its prices are those of today then, for another week."""

    device_order_id: RecordId
    items: DeviceOrderItems | None = None
    """The products, each once, instead of those before."""
    consignee: OrderAddress | None = None
    """Where the devices go."""
    order_ref: DeviceOrderReference | None = None
    note: Note | None = Field(default=None, examples=["Deliver to the back door"])

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        check_items(self.items or [])
        return self


class DeviceOrderRef(Request):
    """Which order."""

    device_order_id: RecordId
    """The order's id."""


class ListDeviceOrders(PageRequest):
    """Which orders; one must match all that is given."""

    status: StatusOfDeviceOrder | None = None
    """In this status."""
    customer_id: RecordId | None = None
    """Of this customer."""
    order_ref: DeviceOrderReference | None = None
    """With this reference."""
    tracking_number: DeviceTrackingNumber | None = None
    """Followed under this number."""


class ShippedDevice(Request):
    """A device that leaves."""

    product_code: ProductCode
    serial: Serial


ShippedDevices = Annotated[list[ShippedDevice], Field(min_length=1, max_length=PIECES_MAX)]


def check_serials(devices: list[ShippedDevice]) -> None:
    """Each serial number once. Raises `PydanticCustomError`."""
    if len({device.serial for device in devices}) < len(devices):
        raise PydanticCustomError("serial_twice", "a serial number is there twice")


class ShipDeviceOrder(DeviceOrderRef):
    """Which devices leave, and with whom."""

    devices: ShippedDevices
    """Every device of the order, by its serial number."""
    fulfilment: Literal["carrier", "local_delivery"] = "carrier"
    """With a carrier, or by a delivery of the business's own, which is created and followed."""
    carrier: Name | None = Field(default=None, examples=["UPS"])
    """Which carrier has it."""
    tracking_number: DeviceTrackingNumber | None = None
    """The carrier's number; a local delivery gets its own."""

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        check_serials(self.devices)
        if (self.fulfilment == "carrier") == (self.tracking_number is None):
            raise PydanticCustomError("carrier_number", "a carrier has a number, a local delivery gets one")
        return self


class ActivateOrderedDevice(DeviceOrderRef):
    """Which device is put into use."""

    serial: Serial


class DeviceQuoteLine(Priced):
    """What some pieces of a product cost."""

    product_code: str
    name: str
    quantity: int
    unit_price: Annotated[int | UnsetType, price(DEVICES, "What one costs, in minor units, with tax.")] = UNSET
    amount: Annotated[int | UnsetType, price(DEVICES, "What they cost, in minor units.")] = UNSET


class QuotedDeviceLine(DeviceQuoteLine):
    """The same, and whether they are there."""

    in_stock: Annotated[bool, doc("Whether so many are in stock now.")]


class DeviceQuote(Priced):
    """What an order would cost now. Nothing is reserved; a draft keeps its prices for a week."""

    result: bool = True
    lines: list[QuotedDeviceLine]
    total_price: Annotated[int | UnsetType, price(DEVICES, "In minor units, with tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217.")] = UNSET
    lead_days: Annotated[int, doc("Within so many days all of it leaves once it is paid.", 2)]


class DeviceOrderSummary(Priced):
    """An order of devices in a list."""

    id: int
    status: Annotated[
        str, doc("draft, confirmed, paid, shipped, delivered, active, returned or cancelled.", "confirmed")
    ]
    customer_id: int
    order_ref: str | None
    pieces: Annotated[int, doc("How many devices were ordered.")]
    total_price: Annotated[int | UnsetType, price(DEVICES, "In minor units, with tax.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price(DEVICES, "What of it is paid, in minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(DEVICES, "What was given back, in minor units.")] = UNSET
    balance_due: Annotated[int | UnsetType, price(DEVICES, "What is still to be paid, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217.")] = UNSET
    can_be_paid: Annotated[bool, doc("Whether something is to be paid here.")]
    can_be_cancelled: Annotated[bool, doc("Until it has left.")]
    carrier: str | None
    tracking_number: str | None
    prices_until: Annotated[datetime, doc("A draft costs this until then.")]
    created_at: datetime


class OrderedDeviceRecord(Answer):
    """A device that was sent."""

    device_id: int
    product_code: str
    serial: str
    state: Annotated[str, doc("shipped, active (it has its code), returning or returned.", "shipped")]
    activated_at: Annotated[datetime | None, doc("When its code was handed over first.")]


class DeviceOrderDetail(DeviceOrderSummary):
    """An order of devices."""

    lines: list[DeviceQuoteLine]
    devices: Annotated[list[OrderedDeviceRecord], doc("What was sent, by serial number; empty until then.")]
    consignee: OrderAddressRecord
    note: str
    order_id: Annotated[int | None, doc("The local delivery that it became.")]
    confirmed_at: datetime | None
    paid_at: datetime | None
    shipped_at: datetime | None
    delivered_at: datetime | None
    ended_at: Annotated[datetime | None, doc("When it was cancelled or returned.")]


class DeviceOrderAnswer(Answer):
    """One order."""

    result: bool = True
    device_order: DeviceOrderDetail


class DeviceOrderList(PagedAnswer):
    """A page of orders, newest first."""

    device_orders: list[DeviceOrderSummary]


class OrderedDeviceCode(Answer):
    """The code with which a device registers, once. It is shown here and never again."""

    result: bool = True
    device: OrderedDeviceRecord
    code: str
    code_expires_at: datetime
