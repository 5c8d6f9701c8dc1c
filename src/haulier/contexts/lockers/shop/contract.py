"""Request and response models for locker purchases."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract.frames import DeviceFrame
from haulier.contexts.lockers.parcels.contract import RecipientEmail
from haulier.contexts.lockers.shop.contract.products import BusinessCode
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

StatusOfPurchase = Literal["reserved", "paid", "ready", "collected", "expired", "refunded"]
ShopChannel = Literal["customer", "guest", "cabinet"]
Link = Annotated[SecretStr, Field(min_length=8, max_length=200, examples=["hlshop_0123456789"])]


class ReserveShopItem(Request):
    """A product to reserve at a site."""

    site_id: RecordId
    shop_product_id: RecordId


class ReserveAsGuest(ReserveShopItem):
    """A product to reserve for a guest."""

    client_code: BusinessCode = Field(alias="clientCode")
    """The business."""
    email: RecipientEmail
    """Email address for the code."""


class ReserveAtCabinet(DeviceFrame):
    """A product to reserve for a visitor at a locker.

    The same frame again is the same purchase.
    """

    shop_product_id: RecordId
    email: RecipientEmail | None = None
    """Email address for a receipt, if wanted."""


class ShopPurchaseRef(Request):
    """Reference to a purchase."""

    shop_purchase_id: RecordId


class ShopLink(Request):
    """Link to a purchase."""

    link: Link
    """Link returned by the reservation. Anyone with the link can pay and collect the item."""


class RefundShopPurchase(ShopPurchaseRef):
    """A refund and its reason."""

    reason: Annotated[str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL)] = Field(
        examples=["The tin was dented"]
    )
    """Reason, recorded in the books."""


class ListShopPurchases(PageRequest):
    """Filters for purchases. Purchases must match all of them."""

    status: StatusOfPurchase | None = None
    channel: ShopChannel | None = None
    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    taken_after_refund: bool | None = None
    """If true, only purchases whose door was reported open after the refund."""


class GetShopSales(Request):
    """Period and grouping of the sales report."""

    first_day: Day
    last_day: Day
    """Last day of payment, at most a year after the first."""
    by: Literal["product", "site", "day"] = "product"
    site_id: RecordId | None = None
    limit: int = Field(default=100, ge=1, le=1000)
    """Maximum number of groups. The groups with the highest amounts are returned."""


class ShopPurchase(Answer):
    """A locker purchase."""

    id: int
    shop_product_id: int
    product_name: str
    site_id: int
    site_name: str
    cabinet: Annotated[str | None, doc("Code on the locker.", "A")]
    box: Annotated[int | None, doc("Number of the compartment in the locker.")]
    channel: Annotated[str, doc("customer, guest or cabinet.", "customer")]
    status: Annotated[str, doc("reserved, paid, ready, collected, expired or refunded.", "ready")]
    end_reason: Annotated[
        str | None,
        doc(
            "Reason for the end: lapsed, cancelled, not_collected, door_stuck, door_silent, box_empty, not_released or office.",
            "door_stuck",
        ),
    ]
    shelf_price_minor: Annotated[int, doc("Price in minor units, including tax.", 850)]
    tax_minor: Annotated[int, doc("Tax included in the price.", 98)]
    shelf_currency: str
    tax_name: str
    paid_by: Annotated[str | None, doc("credit or card.", "credit")]
    can_be_paid: bool
    can_be_cancelled: bool
    reserved_until: Annotated[datetime, doc("Payment deadline.")]
    pickup_until: Annotated[
        datetime | None, doc("Time until which the code works. Afterwards the purchase is refunded.")
    ]
    created_at: datetime
    paid_at: datetime | None
    collected_at: datetime | None


class ShopPurchaseDetail(ShopPurchase):
    """A locker purchase and its customer, as staff see it."""

    customer_id: Annotated[int, doc("Customer whose credit pays for it.")]
    shop_item_id: int
    locker_parcel_id: int
    taken_after_refund: bool
    note: Annotated[str | None, doc("Reason for a refund by staff.")]


class ShopPurchaseAnswer(Answer):
    """A purchase."""

    result: bool = True
    purchase: ShopPurchase


class ShopPurchaseDetailAnswer(Answer):
    """A purchase and its customer, as staff see it."""

    result: bool = True
    purchase: ShopPurchaseDetail


class LinkedShopPurchase(ShopPurchaseAnswer):
    """A purchase and its link. The link is shown only once."""

    link: Annotated[str, doc("Link to pay, check the status and show the code.", "hlshop_0123456789")]


class ShopCode(ShopPurchaseAnswer):
    """A purchase and its new code. The code is shown only once."""

    code: Annotated[str, doc("Code that opens the compartment once.", "04715528")]


class ShopPurchaseList(PagedAnswer):
    """A page of purchases, newest first."""

    purchases: list[ShopPurchaseDetail]


class ShopSales(Answer):
    """Sales of a product, at a site or on a day, in one currency."""

    key: Annotated[str, doc("ID of the product or site, or the day.", "17")]
    name: str
    sales_currency: str
    sold: Annotated[int, doc("Number of items paid.")]
    gross_minor: Annotated[int, doc("Amount paid, in minor units.")]
    tax_minor: Annotated[int, doc("Tax included in the amount.")]
    refunded: Annotated[int, doc("Number of these items refunded since.")]
    refunded_minor: Annotated[int, doc("Amount refunded.")]


class ShopSalesReport(Answer):
    """Sales, highest amount first."""

    result: bool = True
    sales: list[ShopSales]
