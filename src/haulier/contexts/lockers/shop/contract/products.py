"""Request and response models for the shop catalogue and offers."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.billing.ledger.contract import Amount
from haulier.contexts.documents.files.contract import PictureUpload
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Note, OneLine, RecordId
from haulier.kernel.values.currencies import Currency
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
    """Price per piece in minor units, including tax."""
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
    """Price per piece in minor units, including tax."""
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
    text: Name | None = Field(default=None, examples=["earl"])
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
    shelf_price_minor: Annotated[int, doc("Price per piece in minor units, including tax.", 850)]
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
    shelf_price_minor: Annotated[int, doc("Price per piece in minor units, including tax.", 850)]
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
