"""Request and response models of the locker shop."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.billing.ledger.contract import Amount
from haulier.contexts.documents.files.contract import PictureUpload
from haulier.contexts.lockers.devices.contract import DeviceCommandRecord, DeviceFrame
from haulier.contexts.lockers.parcels.contract import RecipientEmail
from haulier.contexts.lockers.screens.contract import ScreenSecret
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, Name, Note, OneLine, RecordId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ProductCode = Annotated[
    str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["TEA-1"])
]
TaxName = Annotated[str, Field(min_length=1, max_length=30, pattern=NO_NUL, examples=["HST"]), OneLine]
TaxBasisPoints = Annotated[int, Field(ge=0, le=10_000, examples=[1300])]
ShelfDays = Annotated[int, Field(ge=1, le=3650, examples=[5])]
BusinessCode = Annotated[str, Field(min_length=1, max_length=50, pattern=r"^[^\x00-\x1f]+$", examples=["demo"])]


class CreateShopProduct(Request):
    """A shop product to create."""

    code: ProductCode
    """Product code, unique within the shop."""
    name: Name = Field(examples=["Earl Grey, tin"])
    """Name that buyers see."""
    description: Note | None = Field(default=None, examples=["100 g, loose"])
    """Description that buyers see."""
    shelf_price_minor: Amount
    """Price per item in minor units, including tax."""
    shelf_currency: Currency | None = None
    """Currency. Defaults to the currency of the business."""
    tax_name: TaxName = "tax"
    """Name of the tax included in the price."""
    tax_basis_points: TaxBasisPoints = 0
    """Tax rate in hundredths of a percent of the net price."""
    size: SizeOfBox = "s"
    """Smallest compartment size that fits a piece."""
    shelf_days: ShelfDays | None = None
    """Shelf life in days after restocking, unless an expiry date is given. Unlimited if omitted."""


class UpdateShopProduct(Request):
    """Changes to a product.

    Omitted fields stay unchanged. Reserved items keep their price.
    """

    shop_product_id: RecordId
    name: Name | None = Field(default=None, examples=["Earl Grey, tin"])
    description: Note | None = None
    shelf_price_minor: Amount | None = None
    """Price per item in minor units, including tax."""
    tax_name: TaxName | None = None
    tax_basis_points: TaxBasisPoints | None = None
    shelf_days: ShelfDays | None = None
    """Shelf life in days after restocking."""
    retired: bool | None = None
    """If true, the product is not for sale."""


class ShopProductRef(Request):
    """Reference to a product."""

    shop_product_id: RecordId


class ListShopProducts(PageRequest):
    """Filters for products."""

    retired: bool = False
    """If true, retired products are included."""
    search: Name | None = Field(default=None, examples=["earl"])
    """Search words in the code or name, in any order. Case and accents are ignored."""


class SetShopPicture(ShopProductRef):
    """A picture of a product. It replaces the previous picture."""

    picture: PictureUpload


class ShopPictureRef(ShopProductRef):
    """Reference to the picture of a product."""

    client_code: BusinessCode = Field(alias="clientCode")
    """The business."""


class ListShopOffers(Request):
    """Site of the offers."""

    client_code: BusinessCode = Field(alias="clientCode")
    """The business."""
    site_id: RecordId


class SetShopSettings(Request):
    """Settings of the locker shop. Omitted fields are reset to their defaults."""

    walk_in_customer_id: RecordId | None = None
    """Customer account for guest and locker purchases. Without it, both are turned off."""
    reserve_min: int = Field(default=15, ge=2, le=120)
    """Minutes for which an unpaid item is reserved."""
    pickup_hours: int = Field(default=24, ge=1, le=24 * 14)
    """Hours after which an uncollected item is refunded and put back on sale."""


class ShopSettings(Answer):
    """Settings of the locker shop."""

    result: bool = True
    walk_in_customer_id: int | None
    reserve_min: int
    pickup_hours: int


class ShopProduct(Answer):
    """A product of the locker shop."""

    id: int
    code: str
    name: str
    description: str | None
    shelf_price_minor: Annotated[int, doc("Price per item in minor units, including tax.", 850)]
    tax_minor: Annotated[int, doc("Tax included in the price.", 98)]
    shelf_currency: str
    tax_name: str
    tax_basis_points: Annotated[int, doc("Tax rate in hundredths of a percent.")]
    size: str
    shelf_days: int | None
    picture: Annotated[bool, doc("If true, the product has a picture.")]
    retired: bool
    created_at: datetime


class ShopProductAnswer(Answer):
    """A product."""

    result: bool = True
    product: ShopProduct


class ShopProductList(PagedAnswer):
    """A page of products, ordered by name."""

    products: list[ShopProduct]


class ShopPicture(Answer):
    """The picture of a product."""

    result: bool = True
    media_type: Annotated[str, doc("", "image/jpeg")]
    content: Annotated[str, doc("Content in base64.")]


class ShopOffer(Answer):
    """A product on sale at a site."""

    shop_product_id: int
    code: str
    name: str
    description: str | None
    shelf_price_minor: Annotated[int, doc("Price per item in minor units, including tax.", 850)]
    tax_minor: Annotated[int, doc("Tax included in the price.", 98)]
    shelf_currency: str
    tax_name: str
    picture: Annotated[bool, doc("If true, the product has a picture.")]
    available: Annotated[int, doc("Number of items in compartments now.")]


class ShopOfferList(Answer):
    """Products on sale at a site by name, at most 200."""

    result: bool = True
    site_id: int
    offers: list[ShopOffer]


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

    date_from: Day
    date_to: Day
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


StatusOfItem = Literal["filling", "available", "reserved", "sold", "blocked", "removed"]
StatusOfTask = Literal["open", "done", "cancelled"]


class CreateRestockTask(Request):
    """A restock task to create."""

    site_id: RecordId
    shop_product_id: RecordId
    quantity: int = Field(ge=1, le=200, examples=[6])
    """Number of compartments to fill."""
    due_on: Day | None = None
    """Due date."""
    note: Note | None = Field(default=None, examples=["From shelf 4"])
    """Note for the restocker."""


class RestockTaskRef(Request):
    """Reference to a restock task."""

    restock_task_id: RecordId


class RestockShopBox(RestockTaskRef):
    """Filling of one more compartment."""

    expires_on: Day | None = None
    """Last day of sale of the item. Defaults to the shelf life of the product."""


class ListRestockTasks(PageRequest):
    """Filters for restock tasks. Tasks must match all of them."""

    status: StatusOfTask | None = None
    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None


class ShopItemRef(Request):
    """Reference to an item."""

    shop_item_id: RecordId


class ListShopItems(PageRequest):
    """Filters for items. Items must match all of them."""

    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None
    status: StatusOfItem | None = None
    expiring_days: int | None = Field(default=None, ge=0, le=3650, examples=[2])
    """Only items in compartments that expire within this many days, or have expired."""


class RestockTask(Answer):
    """A restock task."""

    id: int
    site_id: int
    site_name: str
    shop_product_id: int
    product_name: str
    quantity: int
    filled: Annotated[int, doc("Number of compartments filled.")]
    due_on: date | None
    note: str | None
    status: Annotated[str, doc("open, done or cancelled.", "open")]
    created_at: datetime
    closed_at: datetime | None


class RestockTaskAnswer(Answer):
    """A restock task."""

    result: bool = True
    task: RestockTask


class RestockTaskList(PagedAnswer):
    """A page of restock tasks, newest first."""

    tasks: list[RestockTask]


class ShopItem(Answer):
    """An item in a compartment."""

    id: int
    shop_product_id: int
    product_code: str
    product_name: str
    site_id: int
    cabinet: Annotated[str | None, doc("Code on the locker.", "A")]
    box: Annotated[int | None, doc("Number of the compartment in the locker.")]
    locker_parcel_id: Annotated[int, doc("ID of the locker parcel that occupies the compartment.")]
    restock_task_id: int
    status: Annotated[str, doc("filling, available, reserved, sold, blocked or removed.", "available")]
    expires_on: Annotated[date | None, doc("Last day of sale.")]
    expired: Annotated[bool, doc("If true, the last day of sale is over.")]
    available_at: Annotated[datetime | None, doc("Time of restocking.")]
    ended_at: Annotated[datetime | None, doc("Time when the item left the compartment.")]


class ShopItemAnswer(Answer):
    """An item."""

    result: bool = True
    item: ShopItem


class ShopItemDoor(ShopItemAnswer):
    """An item whose compartment is opening."""

    command: DeviceCommandRecord


class ShopItemList(PagedAnswer):
    """A page of items, earliest expiry first."""

    items: list[ShopItem]


class ListScreenGoods(Request):
    """Request of a screen for the products on sale."""

    screen_key: ScreenSecret
    """Key of the screen."""


class BuyAtScreen(ListScreenGoods):
    """A product chosen at a screen."""

    shop_product_id: RecordId
    """The product."""


class ScreenGoods(Answer):
    """Products on sale at the site of a screen."""

    result: bool = True
    client_code: Annotated[str, doc("Business code for `get_shop_picture`.", "demo")]
    goods: list[ShopOffer]


class ScreenPurchase(Answer):
    """A reserved item and its payment link. The link is shown only once."""

    result: bool = True
    purchase: ShopPurchase
    link: Annotated[str, doc("Link to pay, check the status and cancel.", "hlshop_0123456789")]
    pay_url: Annotated[str, doc("Payment page for the buyer's phone.", "https://haulier.example/pay#hlshop_0123456789")]
    pay_qr: Annotated[str, doc("Payment page as a QR code in SVG.", "<svg></svg>")]
