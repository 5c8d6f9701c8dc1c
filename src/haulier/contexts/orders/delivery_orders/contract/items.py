"""Request and response models of delivery orders: lines."""

from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints

from haulier.contexts.orders.delivery_orders.rules.items import (
    DESCRIPTION_MAX,
    HS_CODE_MAX,
    QUANTITY_MAX,
    SKU_MAX,
    VALUE_MAX_MINOR,
    WEIGHT_MAX_G,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency

ItemSku = Annotated[
    str, StringConstraints(min_length=1, max_length=SKU_MAX, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$")
]
HsCode = Annotated[str, StringConstraints(min_length=4, max_length=HS_CODE_MAX, pattern="^[0-9.]+$")]


class OrderItem(Request):
    """A line of an order: goods of one kind."""

    sku: ItemSku | None = Field(default=None, examples=["MUG-BLUE"])
    """SKU of the goods. A known SKU is linked to its product."""
    description: (
        Annotated[str, StringConstraints(min_length=1, max_length=DESCRIPTION_MAX, pattern=r"^[^\x00]*$")] | None
    ) = Field(default=None, examples=["Mug, blue"])
    """Description of the goods. Required without a known SKU. Default: the product's name."""
    quantity: int = Field(default=1, ge=1, le=QUANTITY_MAX, examples=[2])
    """Number of units."""
    unit_price_minor: int | None = Field(default=None, ge=0, le=VALUE_MAX_MINOR, examples=[1250])
    """Goods value of one unit, in minor units of `currency`, for customs and insurance."""
    currency: Currency | None = None
    """Currency of the goods value (ISO 4217). All lines have the same. Default: the business's currency."""
    weight_g: int | None = Field(default=None, ge=0, le=WEIGHT_MAX_G, examples=[350])
    """Weight of one unit in grams. Default: the product's weight."""
    hs_code: HsCode | None = Field(default=None, examples=["6912.00"])
    """Harmonized System code of the goods."""
    country_of_origin: CountryCode | None = Field(default=None, examples=["PT"])
    """Country of manufacture (ISO 3166-1 alpha-2)."""


class OrderItemRecord(Priced):
    """A line of an order."""

    id: Annotated[int, doc("ID of the line.")]
    sku: str | None
    product_id: Annotated[int | None, doc("Product of the SKU; null if the SKU is unknown.")]
    description: str
    quantity: Annotated[int, doc("Number of units.")]
    unit_price_minor: Annotated[
        int | UnsetType | None, price(PriceFamily.LOCAL_DELIVERY, "Goods value of one unit, in minor units.")
    ] = UNSET
    currency: Annotated[
        str | UnsetType | None, price(PriceFamily.LOCAL_DELIVERY, "Currency of the goods value (ISO 4217).")
    ] = UNSET
    weight_g: Annotated[int | None, doc("Weight of one unit in grams; null if unknown.")]
    hs_code: Annotated[str | None, doc("Harmonized System code of the goods.", "6912.00")]
    country_of_origin: Annotated[str | None, doc("Country of manufacture (ISO 3166-1 alpha-2).", "PT")]


class ContentsLine(Answer):
    """A line of an order as its recipient sees it."""

    description: str
    quantity: Annotated[int, doc("Number of units.")]


class GoodsPlace(Answer):
    """Location of goods that were delivered to a wrong address."""

    order_id: Annotated[int | None, doc("Order whose delivery address the goods are at.")]
    name: str
    phone: str | None
    address: str
    unit: str | None
    city: str
    region: str | None
    postal_code: str | None
    country: str
    lat: float | None
    lng: float | None
