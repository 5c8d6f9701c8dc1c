"""Tariffs: what storage costs over time."""

from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.storage.storage_orders.rules.prices import PriceInterval, StorageUnit
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Name

STORAGE = PriceFamily.STORAGE_SERVICES
CODE_MAX, TIERS_MAX, DAYS_MAX = 40, 20, 3660
PRICE_MAX_MINOR = 10**9

ServiceCode = Annotated[str, Field(min_length=1, max_length=CODE_MAX, pattern="^[a-z0-9_-]+$", examples=["pallets"])]
"""The code of a service: small letters, digits, `_`, `-`."""


class StorageTier(Request):
    """A price from a day of a stay on."""

    from_day: int = Field(ge=1, le=DAYS_MAX, examples=[1])
    """The day of the stay, from 1."""
    price_minor: int = Field(ge=0, le=PRICE_MAX_MINOR, examples=[150])
    """What one unit costs for one interval from then on, in minor units."""


class SetStorageTariff(Request):
    """What a storage service costs. Orders and quotes that exist keep the tariff that they were made with."""

    service_code: ServiceCode
    name: Name = Field(examples=["Pallets"])
    """Name that customers see."""
    unit: StorageUnit = StorageUnit.PACKAGE
    """What a price is for: a package, a cubic metre or a kilogram."""
    interval: PriceInterval = PriceInterval.DAY
    """The time that a price is for; that of a month is shared among the days of that month of the calendar."""
    tiers: list[StorageTier] = Field(min_length=1, max_length=TIERS_MAX)
    """Prices in the order of their days; the first begins on day 1."""
    free_days: int = Field(default=0, ge=0, le=DAYS_MAX)
    """So many days at the beginning of each package's stay cost nothing; they count for the tiers."""
    minimum_minor: int = Field(default=0, ge=0, le=PRICE_MAX_MINOR)
    """What an order costs at least, in minor units."""
    active: bool = True
    """If true, customers can order the product."""

    @model_validator(mode="after")
    def _tiers_in_order(self) -> "SetStorageTariff":
        days = [tier.from_day for tier in self.tiers]
        if days[0] != 1 or days != sorted(set(days)):
            raise PydanticCustomError("tiers_in_order", "tiers begin on day 1, each later than the one before")
        return self


class StorageTierRecord(Answer):
    """A price from a day of a stay on."""

    from_day: Annotated[int, doc("The day of the stay, from 1.")]
    price_minor: Annotated[int, doc("For one unit and one interval, in minor units.")]


class StorageTariffRecord(Priced):
    """A storage service and what it costs."""

    service_code: Annotated[str, doc("Code of the service.", "pallets")]
    name: str
    unit: Annotated[str, doc("What a price is for: package, cubic_metre or kilogram.", "package")]
    interval: Annotated[str, doc("The time that a price is for: day or month.", "day")]
    free_days: Annotated[int, doc("So many days at the beginning of each package's stay cost nothing.")]
    price_tiers: Annotated[list[StorageTierRecord] | UnsetType, price(STORAGE, "Prices in the order of days.")] = UNSET
    minimum_price: Annotated[int | UnsetType, price(STORAGE, "What an order costs at least, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET
    active: Annotated[bool, doc("If true, customers can order the product.")]


class StorageTariffAnswer(Answer):
    """One tariff."""

    result: bool = True
    tariff: StorageTariffRecord


class StorageTariffList(Answer):
    """The tariffs, by code."""

    result: bool = True
    tariffs: list[StorageTariffRecord]


class StorageOrderConfig(Answer):
    """What can be ordered."""

    result: bool = True
    services: Annotated[list[StorageTariffRecord], doc("The services that can be ordered, by code.")]
    quote_hours: Annotated[int, doc("For so many hours a quoted price is honoured.", 24)]
    packages_max: Annotated[int, doc("How many packages an order may have.")]
    days_max: Annotated[int, doc("For how many days one can order.")]
