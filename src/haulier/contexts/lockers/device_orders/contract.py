"""Request and response models for orders of devices."""

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
    """A product and its quantity."""

    product_code: ProductCode
    quantity: int = Field(default=1, ge=1, le=PIECES_MAX)
    """Quantity."""


DeviceOrderItems = Annotated[list[DeviceOrderItem], Field(min_length=1, max_length=LINES_MAX)]


def check_items(items: list[DeviceOrderItem]) -> None:
    """Require each product once and at most `PIECES_MAX` pieces.

    Raises `PydanticCustomError`.
    """
    if len({item.product_code for item in items}) < len(items):
        raise PydanticCustomError("product_twice", "a product is there twice")
    if sum(item.quantity for item in items) > PIECES_MAX:
        raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PIECES_MAX})


class QuoteDeviceOrder(Request):
    """Products to quote."""

    items: DeviceOrderItems
    """Products to order. Each product may appear once."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        check_items(self.items)
        return self


class CreateDeviceOrder(QuoteDeviceOrder):
    """A new draft order."""

    consignee: OrderAddress
    """Shipping address of the devices."""
    customer_id: RecordId | None = None
    """Customer who places the order. Required for staff; customers always order for themselves."""
    order_ref: DeviceOrderReference | None = None
    """Your own reference."""
    note: Note = Field(default="", examples=["Deliver to the back door"])
    """Note for staff."""


class UpdateDeviceOrder(Request):
    """Changes to a draft.

    Omitted fields stay unchanged. The draft is repriced at current prices, held for another week.
    """

    device_order_id: RecordId
    items: DeviceOrderItems | None = None
    """New products, replacing all current ones. Each product may appear once."""
    consignee: OrderAddress | None = None
    """Shipping address of the devices."""
    order_ref: DeviceOrderReference | None = None
    note: Note | None = Field(default=None, examples=["Deliver to the back door"])

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        check_items(self.items or [])
        return self


class DeviceOrderRef(Request):
    """Reference to a device order."""

    device_order_id: RecordId
    """ID of the order."""


class ListDeviceOrders(PageRequest):
    """Filters for device orders. Orders must match all of them."""

    status: StatusOfDeviceOrder | None = None
    """Filter by status."""
    customer_id: RecordId | None = None
    """Filter by customer."""
    order_ref: DeviceOrderReference | None = None
    """Filter by reference."""
    tracking_number: DeviceTrackingNumber | None = None
    """Filter by tracking number."""


class ShippedDevice(Request):
    """A device to ship."""

    product_code: ProductCode
    serial: Serial


ShippedDevices = Annotated[list[ShippedDevice], Field(min_length=1, max_length=PIECES_MAX)]


def check_serials(devices: list[ShippedDevice]) -> None:
    """Require each serial number once. Raises `PydanticCustomError`."""
    if len({device.serial for device in devices}) < len(devices):
        raise PydanticCustomError("serial_twice", "a serial number is there twice")


class ShipDeviceOrder(DeviceOrderRef):
    """Devices to ship and how they are sent."""

    devices: ShippedDevices
    """All devices of the order, by serial number."""
    fulfilment: Literal["carrier", "local_delivery"] = "carrier"
    """Shipping method: a carrier, or a local delivery that is created and tracked automatically."""
    carrier: Name | None = Field(default=None, examples=["UPS"])
    """Name of the carrier."""
    tracking_number: DeviceTrackingNumber | None = None
    """Tracking number of the carrier. Local deliveries get their own number."""

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        check_serials(self.devices)
        if (self.fulfilment == "carrier") == (self.tracking_number is None):
            raise PydanticCustomError("carrier_number", "a carrier has a number, a local delivery gets one")
        return self


class ActivateOrderedDevice(DeviceOrderRef):
    """A device to activate."""

    serial: Serial


class DeviceQuoteLine(Priced):
    """Price of one line of a device order."""

    product_code: str
    name: str
    quantity: int
    unit_price: Annotated[int | UnsetType, price(DEVICES, "Price per piece in minor units, including tax.")] = UNSET
    amount: Annotated[int | UnsetType, price(DEVICES, "Price of the line in minor units.")] = UNSET


class QuotedDeviceLine(DeviceQuoteLine):
    """Price and availability of one line of a device order."""

    in_stock: Annotated[bool, doc("If true, the requested quantity is in stock.")]


class DeviceQuote(Priced):
    """Current price of an order.

    Nothing is reserved. To hold the prices for a week, create a draft.
    """

    result: bool = True
    lines: list[QuotedDeviceLine]
    total_price: Annotated[int | UnsetType, price(DEVICES, "Total in minor units, including tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217 code of the currency.")] = UNSET
    lead_days: Annotated[int, doc("Days until the whole order ships, counted from payment.", 2)]


class DeviceOrderSummary(Priced):
    """Summary of a device order."""

    id: int
    status: Annotated[
        str, doc("draft, confirmed, paid, shipped, delivered, active, returned or cancelled.", "confirmed")
    ]
    customer_id: int
    order_ref: str | None
    pieces: Annotated[int, doc("Number of devices ordered.")]
    total_price: Annotated[int | UnsetType, price(DEVICES, "Total in minor units, including tax.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price(DEVICES, "Amount paid, in minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(DEVICES, "Amount refunded, in minor units.")] = UNSET
    balance_due: Annotated[int | UnsetType, price(DEVICES, "Amount due, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217 code of the currency.")] = UNSET
    can_be_paid: Annotated[bool, doc("If true, the order can be paid now.")]
    can_be_cancelled: Annotated[
        bool, doc("If true, the order can be cancelled. Orders can be cancelled until they ship.")
    ]
    carrier: str | None
    tracking_number: str | None
    prices_until: Annotated[datetime, doc("Time until which the draft keeps its prices.")]
    created_at: datetime


class OrderedDeviceRecord(Answer):
    """A shipped device."""

    device_id: int
    product_code: str
    serial: str
    state: Annotated[str, doc("shipped, active (it has its code), returning or returned.", "shipped")]
    activated_at: Annotated[datetime | None, doc("Time when the device was first activated.")]


class DeviceOrderDetail(DeviceOrderSummary):
    """A device order with its lines and shipped devices."""

    lines: list[DeviceQuoteLine]
    devices: Annotated[list[OrderedDeviceRecord], doc("Shipped devices by serial number. Empty until the order ships.")]
    consignee: OrderAddressRecord
    note: str
    order_id: Annotated[int | None, doc("ID of the local delivery that brings the devices.")]
    confirmed_at: datetime | None
    paid_at: datetime | None
    shipped_at: datetime | None
    delivered_at: datetime | None
    ended_at: Annotated[datetime | None, doc("Time when the order was cancelled or fully returned.")]


class DeviceOrderAnswer(Answer):
    """A device order."""

    result: bool = True
    device_order: DeviceOrderDetail


class DeviceOrderList(PagedAnswer):
    """A page of device orders, newest first."""

    device_orders: list[DeviceOrderSummary]


class OrderedDeviceCode(Answer):
    """Registration code of a device. It is shown only once."""

    result: bool = True
    device: OrderedDeviceRecord
    code: str
    code_expires_at: datetime
