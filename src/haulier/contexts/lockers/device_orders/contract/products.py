"""The catalogue: which devices can be ordered, what they cost, and how many are in stock."""

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
"""The code of a product: small letters, digits, `_`, `-`."""


class SetDeviceProduct(Request):
    """A device that can be ordered. Orders that were made keep the price that they were made with."""

    product_code: ProductCode
    name: Name = Field(examples=["Hand scanner 2D"])
    """What customers read."""
    kind: DeviceKind = "scanner"
    """What it is, once it is in use."""
    description: Note = Field(default="", examples=["Reads codes from labels and screens"])
    """What customers should know of it."""
    price_minor: int = Field(ge=0, le=PRICE_MAX_MINOR, examples=[24900])
    """What one costs, with its tax and with what sending it costs, in minor units of the business's currency."""
    lead_days: int = Field(default=2, ge=0, le=LEAD_DAYS_MAX)
    """Within so many days it leaves once it is paid."""
    active: bool = True
    """Whether customers can order it."""


class DeviceProductRef(Request):
    """Which product."""

    product_code: ProductCode


class ListDeviceProducts(PageRequest):
    """Which products; one must match all that is given."""

    kind: DeviceKind | None = None
    """Of this kind."""
    active: bool | None = None
    """Only those that can, or cannot, be ordered; customers see those that can."""
    in_stock: bool | None = None
    """Only those of which there are some, or none."""


class ChangeDeviceStock(Request):
    """Pieces that came, were counted, or are gone."""

    product_code: ProductCode
    change: int = Field(ge=-STOCK_MAX, le=STOCK_MAX, examples=[20])
    """How many more, or fewer."""
    reason: Reason = Field(default="", examples=["Delivery 17"])
    """Why, for the audit trail."""


class DeviceProductRecord(Priced):
    """A device that can be ordered."""

    product_code: Annotated[str, doc("Its code.", "scanner-2d")]
    name: str
    kind: Annotated[str, doc("cabinet, scanner, tablet or tracker.", "scanner")]
    description: str
    unit_price: Annotated[int | UnsetType, price(DEVICES, "What one costs, in minor units, with tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217.")] = UNSET
    stock: Annotated[int, doc("How many can be ordered now.", 20)]
    lead_days: Annotated[int, doc("Within so many days it leaves once it is paid.", 2)]
    active: Annotated[bool, doc("Whether customers can order it.")]
    updated_at: datetime


class DeviceProductAnswer(Answer):
    """One product."""

    result: bool = True
    product: DeviceProductRecord


class DeviceProductList(PagedAnswer):
    """A page of products, by code."""

    products: list[DeviceProductRecord]
