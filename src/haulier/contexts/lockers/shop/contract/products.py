"""What goes in and out of the catalogue, and of what is for sale at a site."""

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
    """A new product."""

    code: ProductCode
    """What tells it from every other product of the shop."""
    name: Name = Field(examples=["Earl Grey, tin"])
    """What buyers read."""
    description: Note | None = Field(default=None, examples=["100 g, loose"])
    """More for buyers to read."""
    shelf_price_minor: Amount
    """What a piece costs, tax included, in minor units."""
    shelf_currency: Currency | None = None
    """The business's own, where left out."""
    tax_name: TaxName = "tax"
    """What the tax within the price is called."""
    tax_basis_points: TaxBasisPoints = 0
    """Its rate, in hundredths of a percent of the price without it."""
    size: SizeOfBox = "s"
    """The smallest box into which a piece fits."""
    shelf_days: ShelfDays | None = None
    """For how many days it is good once it is in its box, unless another day is named; for ever where left out."""


class UpdateShopProduct(Request):
    """What to change; what is left out stays as it is. Who has reserved a piece pays what it cost then."""

    shop_product_id: RecordId
    name: Name | None = Field(default=None, examples=["Earl Grey, tin"])
    description: Note | None = None
    shelf_price_minor: Amount | None = None
    """What a piece costs, tax included, in minor units."""
    tax_name: TaxName | None = None
    tax_basis_points: TaxBasisPoints | None = None
    shelf_days: ShelfDays | None = None
    """For how many days it is good once it is in its box."""
    retired: bool | None = None
    """A retired product is not for sale."""


class ShopProductRef(Request):
    """Which product."""

    shop_product_id: RecordId


class ListShopProducts(PageRequest):
    """Which products."""

    retired: bool = False
    """Also those that are retired."""
    text: Name | None = Field(default=None, examples=["earl"])
    """Words of a code or name, in any order, without regard to case and accents."""


class SetShopPicture(ShopProductRef):
    """The picture of a product; the one before is no longer shown."""

    picture: PictureUpload


class ShopPictureRef(ShopProductRef):
    """The picture of a product."""

    client_code: BusinessCode = Field(alias="clientCode")
    """The business."""


class ListShopOffers(Request):
    """What is for sale, and where."""

    client_code: BusinessCode = Field(alias="clientCode")
    """The business."""
    site_id: RecordId


class SetShopSettings(Request):
    """How the business sells; what is left out is as it was before anything was set."""

    walk_in_customer_id: RecordId | None = None
    """The customer account on which purchases of guests and at cabinets are booked; without one there are none."""
    reserve_min: int = Field(default=15, ge=2, le=120)
    """For how many minutes a box is kept for a buyer who has not paid."""
    pickup_hours: int = Field(default=24, ge=1, le=24 * 14)
    """What is not collected for so many hours is refunded and for sale again."""


class ShopSettings(Answer):
    """How the business sells."""

    result: bool = True
    walk_in_customer_id: int | None
    reserve_min: int
    pickup_hours: int


class ShopProduct(Answer):
    """A product."""

    id: int
    code: str
    name: str
    description: str | None
    shelf_price_minor: Annotated[int, doc("What a piece costs, tax included, in minor units.", 850)]
    tax_minor: Annotated[int, doc("How much of that is tax.", 98)]
    shelf_currency: str
    tax_name: str
    tax_basis_points: Annotated[int, doc("The rate of the tax, in hundredths of a percent.")]
    size: str
    shelf_days: int | None
    picture: Annotated[bool, doc("Whether it has a picture.")]
    retired: bool
    created_at: datetime


class ShopProductAnswer(Answer):
    """One product."""

    result: bool = True
    product: ShopProduct


class ShopProductList(PagedAnswer):
    """A page of products, by name."""

    products: list[ShopProduct]


class ShopPicture(Answer):
    """The picture of a product."""

    result: bool = True
    media_type: Annotated[str, doc("", "image/jpeg")]
    content: Annotated[str, doc("In base64")]


class ShopOffer(Answer):
    """A product that is for sale at a site."""

    shop_product_id: int
    code: str
    name: str
    description: str | None
    shelf_price_minor: Annotated[int, doc("What a piece costs, tax included, in minor units.", 850)]
    tax_minor: Annotated[int, doc("How much of that is tax.", 98)]
    shelf_currency: str
    tax_name: str
    picture: Annotated[bool, doc("Whether it has a picture.")]
    available: Annotated[int, doc("How many pieces are in boxes now.")]


class ShopOfferList(Answer):
    """What is for sale at a site, by name: the first 200 products."""

    result: bool = True
    site_id: int
    offers: list[ShopOffer]
