"""Request and response models for the device catalogue."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.lockers.devices.contract.devices import DeviceKind
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Name, Note, Reason
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
    """Price per piece in minor units of the business's currency, including tax and shipping."""
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


class ChangeDeviceStock(Request):
    """Stock adjustment of a product."""

    product_code: ProductCode
    change: int = Field(ge=-STOCK_MAX, le=STOCK_MAX, examples=[20])
    """Number of pieces to add. Negative to subtract."""
    reason: Reason = Field(default="", examples=["Delivery 17"])
    """Reason, recorded in the audit trail."""


class DeviceProductRecord(Priced):
    """A product in the device catalogue."""

    product_code: Annotated[str, doc("Product code.", "scanner-2d")]
    name: str
    kind: Annotated[str, doc("cabinet, scanner, tablet or tracker.", "scanner")]
    description: str
    unit_price: Annotated[int | UnsetType, price(DEVICES, "Price per piece in minor units, including tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217 code of the currency.")] = UNSET
    stock: Annotated[int, doc("Number of pieces available to order.", 20)]
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
