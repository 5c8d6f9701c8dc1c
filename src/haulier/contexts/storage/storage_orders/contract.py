"""Request and response models of storage orders."""

from datetime import date, datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.storage.storage_orders.rules import PriceInterval, StorageUnit
from haulier.contexts.storage.stored_packages.contract import ArrivedPackage, MeasuredPackage, StoredPackageRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, NOTE_MAX, Name, RecordId
from haulier.kernel.operations.ids import PriceQuoteId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

STORAGE = PriceFamily.STORAGE_SERVICES
CODE_MAX, TIERS_MAX, DAYS_MAX = 40, 20, 3660
PRICE_MAX_MINOR = 10**9

ServiceCode = Annotated[str, Field(min_length=1, max_length=CODE_MAX, pattern="^[a-z0-9_-]+$", examples=["pallets"])]
"""The code of a service: small letters, digits, `_`, `-`."""


class StorageTier(Request):
    """A price from a day of a stay on."""

    from_day: int = Field(ge=1, le=DAYS_MAX, examples=[1])
    """Day of the stay, starting at 1."""
    price_minor: int = Field(ge=0, le=PRICE_MAX_MINOR, examples=[150])
    """Price per unit and interval from this day on, in minor units."""


class SetStorageTariff(Request):
    """Tariff of a storage service. Existing orders and quotes keep their tariff."""

    service_code: ServiceCode
    name: Name = Field(examples=["Pallets"])
    """Name that customers see."""
    unit: StorageUnit = StorageUnit.PACKAGE
    """Unit of the price: a package, a cubic metre or a kilogram."""
    interval: PriceInterval = PriceInterval.DAY
    """Interval of the price. A monthly price is divided by the days of the calendar month."""
    tiers: list[StorageTier] = Field(min_length=1, max_length=TIERS_MAX)
    """Prices in order of their days. The first starts on day 1."""
    free_days: int = Field(default=0, ge=0, le=DAYS_MAX)
    """Free days at the beginning of each package's stay. They count for the tiers."""
    minimum_minor: int = Field(default=0, ge=0, le=PRICE_MAX_MINOR)
    """Minimum price of an order in minor units."""
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

    from_day: Annotated[int, doc("Day of the stay, starting at 1.")]
    price_minor: Annotated[int, doc("Price per unit and interval, in minor units.")]


class StorageTariffRecord(Priced):
    """A storage service and what it costs."""

    service_code: Annotated[str, doc("Code of the service.", "pallets")]
    name: str
    unit: Annotated[str, doc("Unit of the price: package, cubic_metre or kilogram.", "package")]
    interval: Annotated[str, doc("Interval of the price: day or month.", "day")]
    free_days: Annotated[int, doc("Free days at the beginning of each package's stay.")]
    price_tiers: Annotated[list[StorageTierRecord] | UnsetType, price(STORAGE, "Prices in the order of days.")] = UNSET
    minimum_price_minor: Annotated[int | UnsetType, price(STORAGE, "Minimum price of an order, in minor units.")] = (
        UNSET
    )
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
    """Options for storage orders."""

    result: bool = True
    services: Annotated[list[StorageTariffRecord], doc("Available services, by code.")]
    quote_hours: Annotated[int, doc("Hours for which a quote is valid.", 24)]
    packages_max: Annotated[int, doc("Maximum number of packages per order.")]
    days_max: Annotated[int, doc("Maximum number of days per order.")]


PACKAGES_MAX, KINDS_MAX, ARRIVALS_MAX = 500, 50, 100
ORDER_REF_MAX = 80
StatusOfStorage = Literal["pending", "confirmed", "stored", "closed", "cancelled"]
StorageReference = Annotated[str, Field(min_length=1, max_length=ORDER_REF_MAX, pattern=NO_NUL, examples=["A-1001"])]


class ExpectedPackage(MeasuredPackage):
    """A package that will come, or several that are all alike."""

    quantity: int = Field(default=1, ge=1, le=PACKAGES_MAX)
    """Quantity."""


class StorageWish(Request):
    """Packages to store, start date and duration."""

    service_code: ServiceCode
    """The storage service."""
    packages: list[ExpectedPackage] = Field(min_length=1, max_length=KINDS_MAX)
    """Expected packages."""
    start_date: Day = Field(examples=["2090-03-01"])
    """Day of arrival. Not in the past."""
    days: int = Field(ge=1, le=DAYS_MAX, examples=[30])
    """Number of days."""

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        if self.count > PACKAGES_MAX:
            raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PACKAGES_MAX})
        return self

    @property
    def count(self) -> int:
        """Return the number of expected packages."""
        return sum(package.quantity for package in self.packages)


class QuoteStorageOrder(StorageWish):
    """A storage request to quote."""


class CreateStorageOrder(Request):
    """A storage order at a quoted or at today's price."""

    quote_id: PriceQuoteId | None = Field(default=None, examples=[12])
    """ID of the quote. A repeat returns its existing order."""
    storage: StorageWish | None = None
    """Storage request, instead of a quote."""
    order_ref: StorageReference | None = None
    """Your reference."""
    note: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = Field(default="", examples=["Keep dry"])
    """Note for the warehouse."""

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if (self.quote_id is None) == (self.storage is None):
            raise PydanticCustomError("quote_or_storage", "quote_id or storage, one of them")
        return self


class ListStorageOrders(PageRequest):
    """Filters for your storage orders. All filters must match."""

    status: StatusOfStorage | None = None
    """Filter by status."""
    order_ref: StorageReference | None = None
    """Filter by reference."""
    start_from: Day | None = None
    """Starting on or after this day."""
    start_to: Day | None = None
    """Starting on or before this day."""


class ListCustomerStorageOrders(ListStorageOrders):
    """Filters for storage orders of customers."""

    customer_id: RecordId | None = None
    """Filter by customer."""


class GetStorageOverview(PageRequest):
    """Filters for goods in storage, by customer."""

    customer_id: RecordId | None = None
    """Filter by customer."""


class StorageOrderRef(Request):
    """Reference to a storage order."""

    storage_order_id: RecordId
    """ID of the order."""


class ReceiveStoredPackages(StorageOrderRef):
    """Packages that came for an order."""

    packages: list[ArrivedPackage] = Field(min_length=1, max_length=ARRIVALS_MAX)
    """The packages, each by itself."""


class StoragePriceLine(Priced):
    """A part of a price."""

    code: Annotated[str, doc("storage, or minimum (the difference to the minimum price of an order).", "storage")]
    amount: Annotated[int | UnsetType, price(STORAGE, "Amount in minor units.")] = UNSET


class StorageQuote(Priced):
    """A price that is valid until it expires."""

    result: bool = True
    quote_id: Annotated[PriceQuoteId, doc("Id for ordering at this price; 0 in a dry run, which stores nothing.")]
    expires_at: datetime
    service_code: str
    packages: Annotated[int, doc("Quantity.")]
    start_date: date
    end_date: Annotated[date, doc("Day of departure, which is free of charge.")]
    storage_price_minor: Annotated[int | UnsetType, price(STORAGE, "Amount in minor units.")] = UNSET
    price_details: Annotated[list[StoragePriceLine] | UnsetType, price(STORAGE, "Parts of the price.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET


class StorageOrderSummary(Priced):
    """An order for storage in a list."""

    id: int
    status: Annotated[str, doc("pending, confirmed, stored, closed or cancelled.", "pending")]
    customer_id: int
    service_code: str
    service_name: str
    order_ref: str | None
    packages: Annotated[int, doc("Number of ordered packages.")]
    start_date: date
    end_date: Annotated[date, doc("Planned day of departure.")]
    storage_price_minor: Annotated[int | UnsetType, price(STORAGE, "Price of the order, in minor units.")] = UNSET
    owed_minor: Annotated[
        int | UnsetType,
        price(STORAGE, "Price to date: that of the order, or that of the stored goods if it is higher."),
    ] = UNSET
    paid_amount: Annotated[int | UnsetType, price(STORAGE, "Amount paid, in minor units.")] = UNSET
    balance_due_minor: Annotated[int | UnsetType, price(STORAGE, "Amount due, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET
    can_be_paid: Annotated[bool, doc("True if an amount is due.")]
    can_be_cancelled: Annotated[bool, doc("True until a package of the order is in stock.")]
    created_at: datetime


class StorageChargeRecord(Answer):
    """A part of what an order costs."""

    kind: Annotated[str, doc("booking (the ordered period) or period (storage beyond it).", "period")]
    period_start: date
    period_end: Annotated[date, doc("Day after the last day.")]
    amount: Annotated[int, doc("Amount in minor units.")]


class StorageOrderDetail(StorageOrderSummary):
    """An order for storage."""

    note: str
    stored: Annotated[int, doc("Number of packages in stock.")]
    price_details: Annotated[list[StoragePriceLine] | UnsetType, price(STORAGE, "Parts of the price.")] = UNSET
    charges: Annotated[list[StorageChargeRecord] | UnsetType, price(STORAGE, "Price to date, by part.")] = UNSET
    confirmed_at: datetime | None
    ended_at: Annotated[datetime | None, doc("Time when it was closed or cancelled.")]


class StorageOrderAnswer(Answer):
    """One order for storage."""

    result: bool = True
    storage_order: StorageOrderDetail


class CreatedStorageOrder(StorageOrderAnswer):
    """A new or existing storage order."""

    existing: Annotated[bool, doc("True if the order existed already: a quote creates one order.")] = False


class ReceivedPackages(Answer):
    """Received packages."""

    result: bool = True
    storage_order: StorageOrderDetail
    received: list[StoredPackageRecord]


class StorageOrderList(PagedAnswer):
    """A page of orders, newest first."""

    storage_orders: list[StorageOrderSummary]


class StoredGoods(Priced):
    """Goods of a customer in storage and their cost."""

    customer_id: int
    storage_orders: Annotated[int, doc("Number of storage orders in progress.")]
    packages: Annotated[int, doc("Number of packages in stock.")]
    weight_g: Annotated[int, doc("Their weight in grams.")]
    volume_mm3: Annotated[int, doc("Their volume in cubic millimetres.")]
    stored_since: Annotated[date | None, doc("Day on which the oldest of them came.")]
    month_minor: Annotated[int | UnsetType, price(STORAGE, "Cost of storage this month, today included.")] = UNSET
    next_charge_minor: Annotated[
        int | UnsetType, price(STORAGE, "Amount that the next monthly charge adds if nothing leaves or comes.")
    ] = UNSET
    owed_minor: Annotated[int | UnsetType, price(STORAGE, "Charged so far.")] = UNSET
    balance_due_minor: Annotated[int | UnsetType, price(STORAGE, "Amount due, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(STORAGE, "ISO 4217.")] = UNSET


class StorageOverview(PagedAnswer):
    """A page of customers with goods in storage, by customer and currency."""

    month_start: Annotated[date, doc("First day of this month.")]
    next_charge_on: Annotated[date, doc("Day of the next monthly charge.")]
    customers: list[StoredGoods]
