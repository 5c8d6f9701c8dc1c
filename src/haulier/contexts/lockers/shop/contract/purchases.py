"""What goes in and out of purchases: by customers, by guests with a link, at cabinets, and as the office sees them."""

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
    """A piece of a product at a site."""

    site_id: RecordId
    shop_product_id: RecordId


class ReserveAsGuest(ReserveShopItem):
    """A piece of a product, for somebody without an account."""

    client_code: BusinessCode = Field(alias="clientCode")
    """The business."""
    email: RecipientEmail
    """Where the code is sent."""


class ReserveAtCabinet(DeviceFrame):
    """A piece of a product, for whoever stands at the cabinet. The same frame again is the same purchase."""

    shop_product_id: RecordId
    email: RecipientEmail | None = None
    """Where a receipt is sent, where the buyer wants one."""


class ShopPurchaseRef(Request):
    """Which purchase."""

    shop_purchase_id: RecordId


class ShopLink(Request):
    """The link to a purchase."""

    link: Link
    """What the reservation answered. Whoever has it can pay, and take the piece out."""


class RefundShopPurchase(ShopPurchaseRef):
    """Why money is given back."""

    reason: Annotated[str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL)] = Field(
        examples=["The tin was dented"]
    )
    """For the books."""


class ListShopPurchases(PageRequest):
    """Which purchases; one must match all that is given."""

    status: StatusOfPurchase | None = None
    channel: ShopChannel | None = None
    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    taken_after_refund: bool | None = None
    """Those whose cabinet said after the refund that the door had opened."""


class GetShopSales(Request):
    """Of which days, and how summed up."""

    first_day: Day
    last_day: Day
    """Last day of payment, at most a year after the first."""
    by: Literal["product", "site", "day"] = "product"
    site_id: RecordId | None = None
    limit: int = Field(default=100, ge=1, le=1000)
    """Maximum number of groups. The groups with the highest amounts are returned."""


class ShopPurchase(Answer):
    """A purchase."""

    id: int
    shop_product_id: int
    product_name: str
    site_id: int
    site_name: str
    cabinet: Annotated[str | None, doc("What is written on the cabinet.", "A")]
    box: Annotated[int | None, doc("The box's number in the cabinet.")]
    channel: Annotated[str, doc("customer, guest or cabinet.", "customer")]
    status: Annotated[str, doc("reserved, paid, ready, collected, expired or refunded.", "ready")]
    end_reason: Annotated[
        str | None,
        doc(
            "Why it ended without being collected: lapsed, cancelled, not_collected, door_stuck, door_silent, box_empty, "
            "not_released or office.",
            "door_stuck",
        ),
    ]
    shelf_price_minor: Annotated[int, doc("Tax included, in minor units.", 850)]
    tax_minor: Annotated[int, doc("How much of that is tax.", 98)]
    shelf_currency: str
    tax_name: str
    paid_by: Annotated[str | None, doc("credit or card.", "credit")]
    can_be_paid: bool
    can_be_cancelled: bool
    reserved_until: Annotated[datetime, doc("Until when it has to be paid.")]
    pickup_until: Annotated[datetime | None, doc("Until when the code opens the box; then the money goes back.")]
    created_at: datetime
    paid_at: datetime | None
    collected_at: datetime | None


class ShopPurchaseDetail(ShopPurchase):
    """A purchase as the office sees it, and the customer whose it is."""

    customer_id: Annotated[int, doc("Whose credit it is paid from.")]
    shop_item_id: int
    locker_parcel_id: int
    taken_after_refund: bool
    note: Annotated[str | None, doc("Why the office gave the money back.")]


class ShopPurchaseAnswer(Answer):
    """One purchase."""

    result: bool = True
    purchase: ShopPurchase


class ShopPurchaseDetailAnswer(Answer):
    """One purchase, as the office sees it, and the customer whose it is."""

    result: bool = True
    purchase: ShopPurchaseDetail


class LinkedShopPurchase(ShopPurchaseAnswer):
    """A purchase and its link. The link is shown here and never again."""

    link: Annotated[str, doc("Pays for it, tells how it is, and shows its code.", "hlshop_0123456789")]


class ShopCode(ShopPurchaseAnswer):
    """A purchase and its new code. It is shown here and never again."""

    code: Annotated[str, doc("What opens the box, once.", "04715528")]


class ShopPurchaseList(PagedAnswer):
    """A page of purchases, newest first."""

    purchases: list[ShopPurchaseDetail]


class ShopSales(Answer):
    """What was sold of a product, at a site, or on a day, in one currency."""

    key: Annotated[str, doc("The id of the product or site, or the day.", "17")]
    name: str
    sales_currency: str
    sold: Annotated[int, doc("Pieces that were paid for.")]
    gross_minor: Annotated[int, doc("What was paid for them, in minor units.")]
    tax_minor: Annotated[int, doc("How much of that is tax.")]
    refunded: Annotated[int, doc("How many of them were refunded since.")]
    refunded_minor: Annotated[int, doc("What went back.")]


class ShopSalesReport(Answer):
    """What was sold, the most money first."""

    result: bool = True
    sales: list[ShopSales]
