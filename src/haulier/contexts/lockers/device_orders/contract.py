"""Request and response models of device orders."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.devices.contract import DeviceKind, Serial
from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddress, OrderAddressRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, Name, Note, Reason, RecordId
from haulier.kernel.operations.ids import LockerDeviceId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

DEVICES = PriceFamily.DEVICE_ORDERS
PRODUCT_CODE_MAX, STOCK_MAX, LEAD_DAYS_MAX = 40, 100_000, 365
PRICE_MAX_MINOR = 10**9

ProductCode = Annotated[
    str, Field(min_length=1, max_length=PRODUCT_CODE_MAX, pattern="^[a-z0-9_-]+$", examples=["scanner-2d"])
]
"""Product code. Lowercase letters, digits, `_` and `-`."""


class SetDeviceProduct(Request):
    """A product in the device catalogue. Existing orders keep their prices."""

    product_code: ProductCode
    name: Name = Field(examples=["Hand scanner 2D"])
    """Name that customers see."""
    kind: DeviceKind = "scanner"
    """Kind of device."""
    description: Note = Field(default="", examples=["Reads codes from labels and screens"])
    """Description that customers see."""
    price_minor: int = Field(ge=0, le=PRICE_MAX_MINOR, examples=[24900])
    """Price per item in minor units of the business's currency, including tax and shipping."""
    lead_days: int = Field(default=2, ge=0, le=LEAD_DAYS_MAX)
    """Days until the product ships, counted from payment."""
    active: bool = True
    """If true, customers can order the product."""


class DeviceProductRef(Request):
    """A reference to a product."""

    product_code: ProductCode


class ListDeviceProducts(PageRequest):
    """Filters for products. Products must match all of them."""

    kind: DeviceKind | None = None
    """Filter by kind."""
    active: bool | None = None
    """Filter by availability for order. Customers see only active products."""
    in_stock: bool | None = None
    """If true, only products in stock; if false, only products out of stock."""


class AdjustDeviceStock(Request):
    """Stock adjustment of a product."""

    product_code: ProductCode
    change: int = Field(ge=-STOCK_MAX, le=STOCK_MAX, examples=[20])
    """Number of items to add. Negative to subtract."""
    reason: Reason = Field(default="", examples=["Delivery 17"])
    """Reason, recorded in the audit trail."""


class DeviceProductRecord(Priced):
    """A product in the device catalogue."""

    product_code: Annotated[str, doc("Product code.", "scanner-2d")]
    name: str
    kind: Annotated[str, doc("cabinet, scanner, tablet or tracker.", "scanner")]
    description: str
    unit_price_minor: Annotated[int | UnsetType, price(DEVICES, "Price per item in minor units, including tax.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217 code of the currency.")] = UNSET
    stock: Annotated[int, doc("Number of items available to order.", 20)]
    lead_days: Annotated[int, doc("Days until the product ships, counted from payment.", 2)]
    active: Annotated[bool, doc("If true, customers can order the product.")]
    updated_at: datetime


class DeviceProductAnswer(Answer):
    """A product."""

    result: bool = True
    product: DeviceProductRecord


class DeviceProductList(PagedAnswer):
    """A page of products, ordered by code."""

    products: list[DeviceProductRecord]


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
    """Require each product once and at most `PIECES_MAX` items.

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
    def _require_unique_lines(self) -> Self:
        check_items(self.items)
        return self


class CreateDeviceOrder(QuoteDeviceOrder):
    """A new draft order."""

    consignee: OrderAddress
    """Shipping address of the devices."""
    customer_id: RecordId | None = None
    """Customer who places the order. Required for staff; customers always order for themselves."""
    order_ref: DeviceOrderReference | None = None
    """Your reference."""
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
    unit_price_minor: Annotated[int | UnsetType, price(DEVICES, "Price per item in minor units, including tax.")] = (
        UNSET
    )
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
    refunded_minor: Annotated[int | UnsetType, price(DEVICES, "Amount refunded, in minor units.")] = UNSET
    balance_due_minor: Annotated[int | UnsetType, price(DEVICES, "Amount due, in minor units.")] = UNSET
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

    device_id: LockerDeviceId
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


class GetDeviceOrderReport(Request):
    """Period and grouping of the report."""

    date_from: Day
    """First day of payment, in the business's time zone."""
    date_to: Day
    """Last day of payment, at most a year after the first."""
    by: Literal["product", "customer"] = "product"
    limit: int = Field(default=100, ge=1, le=1000)
    """Maximum number of groups. The groups with the highest amounts are returned."""


class DeviceOrderSums(Answer):
    """Payments for devices of one product or customer in one currency."""

    key: Annotated[str, doc("Product code or customer ID.", "SCAN-1")]
    currency: str
    orders: Annotated[int, doc("Number of paid orders, including orders cancelled later.")]
    pieces: int
    gross_minor: Annotated[int, doc("Amount paid, in minor units.")]
    cancelled_pieces: Annotated[int, doc("Number of items in orders that were cancelled after payment.")]
    returned_pieces: Annotated[int, doc("Number of devices returned.")]


class DeviceRefundSums(Answer):
    """Refunds in one currency."""

    currency: str
    refunded_minor: int


class DeviceOrderReport(Answer):
    """Payments for devices, highest amount first, and the refunds of these orders."""

    result: bool = True
    groups: list[DeviceOrderSums]
    refunded: Annotated[list[DeviceRefundSums], doc("Refunds of the orders paid in this period, by currency.")]


StatusOfReturn = Literal["requested", "received", "refunded", "replaced", "refused", "cancelled"]
WhyReturned = Literal["defective", "damaged", "wrong_item", "not_needed", "other"]


class RequestDeviceReturn(DeviceOrderRef):
    """Devices to return and the reason."""

    serials: list[Serial] = Field(min_length=1, max_length=PIECES_MAX)
    """Serial numbers of the devices. Each may appear once."""
    reason: WhyReturned
    wish: Literal["refund", "replacement"] = "refund"
    """Outcome that the customer prefers."""
    note: Note = Field(default="", examples=["The trigger is stuck"])
    """Description of the problem."""

    @model_validator(mode="after")
    def _require_unique_serials(self) -> Self:
        if len(set(self.serials)) < len(self.serials):
            raise PydanticCustomError("serial_twice", "a serial number is there twice")
        return self


class DeviceReturnRef(Request):
    """Reference to a device return."""

    device_return_id: RecordId
    """ID of the return. Write it on the parcel."""


class ListDeviceReturns(PageRequest):
    """Filters for device returns. Returns must match all of them."""

    status: StatusOfReturn | None = None
    device_order_id: RecordId | None = None
    """Filter by order."""
    customer_id: RecordId | None = None
    """Filter by customer."""


class ReceiveDeviceReturn(DeviceReturnRef):
    """Returned devices to receive."""

    restock: bool = False
    """If true, the devices are added to stock to be sold again."""


class SettleDeviceReturn(DeviceReturnRef):
    """Settlement of a device return."""

    outcome: Literal["refund", "replacement", "refused"]
    """Refund or replacement for received devices, or refusal before they are received."""
    amount_minor: int | None = Field(default=None, ge=0, le=PRICE_MAX_MINOR, examples=[20000])
    """Amount of the refund in minor units. Defaults to the price of the devices, which is also the maximum."""
    devices: ShippedDevices | None = None
    """Replacement devices by serial number, as many of each product as were returned. They are taken from stock."""
    tracking_number: DeviceTrackingNumber | None = None
    """Tracking number of the replacement."""

    @model_validator(mode="after")
    def _belongs_to_outcome(self) -> Self:
        if (self.outcome == "replacement") != (self.devices is not None):
            raise PydanticCustomError("replacement_devices", "devices go with a replacement")
        if self.outcome != "refund" and self.amount_minor is not None:
            raise PydanticCustomError("refund_amount", "amount_minor goes with a refund")
        check_serials(self.devices or [])
        return self


class DeviceReturnRecord(Priced):
    """A device return."""

    id: int
    device_order_id: int
    customer_id: int
    status: Annotated[str, doc("requested, received, refunded, replaced, refused or cancelled.", "requested")]
    reason: Annotated[str, doc("defective, damaged, wrong_item, not_needed or other.", "defective")]
    wish: Annotated[str, doc("refund or replacement.", "refund")]
    note: str
    serials: Annotated[list[str], doc("Serial numbers of the returned devices.")]
    restocked: Annotated[bool | None, doc("If true, the devices were added to stock. Null until they are received.")]
    worth_minor: Annotated[int | UnsetType, price(DEVICES, "Price of the devices in minor units.")] = UNSET
    refund_minor: Annotated[int | UnsetType | None, price(DEVICES, "Amount refunded, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217 code of the currency.")] = UNSET
    tracking_number: Annotated[str | None, doc("Tracking number of the replacement.")]
    created_at: datetime
    received_at: datetime | None
    ended_at: datetime | None


class DeviceReturnAnswer(Answer):
    """A device return."""

    result: bool = True
    device_return: DeviceReturnRecord


class DeviceReturnList(PagedAnswer):
    """A page of device returns, newest first."""

    device_returns: list[DeviceReturnRecord]
