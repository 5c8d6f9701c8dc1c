"""Rules of storage orders.

Days are days of the calendar in the business's time zone, so that a change of the clock neither adds nor takes one. A stay is
half-open: the day on which a package comes counts, the day on which it leaves does not. A price for each month is shared
among the days of that month of the calendar, so that a whole month costs the same whether it has 28 days or 31.
"""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from fractions import Fraction

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.rounding import divide_half_up
from haulier.kernel.values.state_machine import StateMachine

STORAGE_STEP_REFUSED = declare_error("storage_step_refused", 409)
STORAGE_QUOTE_EXPIRED = declare_error("storage_quote_expired", 409)
STORAGE_NOT_EMPTY = declare_error("storage_not_empty", 409)
NOTHING_OWED = declare_error("nothing_owed", 409)
QUOTE_LIFE = timedelta(hours=24)
"""Lifetime of a quote."""


class StorageOrderStatus(StrEnum):
    """The status of an order for storage."""

    PENDING = "pending"
    """The business has not confirmed yet."""
    CONFIRMED = "confirmed"
    STORED = "stored"
    """Packages are or were in stock."""
    CLOSED = "closed"
    CANCELLED = "cancelled"


class StorageOrderStep(StrEnum):
    """Steps of a storage order."""

    CONFIRM = "confirm"
    RECEIVE = "receive"
    CLOSE = "close"
    CANCEL = "cancel"


_S = StorageOrderStatus


def _refused(step: StorageOrderStep, status: StorageOrderStatus) -> OperationError:
    return STORAGE_STEP_REFUSED(step=step.value, status=status.value)


STORAGE_ORDER_LIFE = StateMachine(
    {
        StorageOrderStep.CONFIRM: {_S.PENDING: _S.CONFIRMED},
        StorageOrderStep.RECEIVE: {_S.CONFIRMED: _S.STORED, _S.STORED: _S.STORED},
        StorageOrderStep.CLOSE: {_S.STORED: _S.CLOSED},
        StorageOrderStep.CANCEL: {_S.PENDING: _S.CANCELLED, _S.CONFIRMED: _S.CANCELLED},
    },
    created={_S.PENDING: "ordered"},
    error=_refused,
)


def next_storage_status(step: StorageOrderStep, status: str) -> StorageOrderStatus:
    """Return the status after a step. Raises `STORAGE_STEP_REFUSED`."""
    return STORAGE_ORDER_LIFE.next_status_or_raise(step, StorageOrderStatus(status))


def can_be_paid(status: str, balance_minor: int) -> bool:
    """Return True if an amount is due."""
    return balance_minor > 0 and status != StorageOrderStatus.CANCELLED


def can_be_cancelled(status: str) -> bool:
    """Return True if the order can be cancelled: until a package is in stock."""
    return StorageOrderStep.CANCEL in STORAGE_ORDER_LIFE.actions(StorageOrderStatus(status))


MM3_IN_M3 = 10**9
G_IN_KG = 1000


class StorageUnit(StrEnum):
    """Units of a price."""

    PACKAGE = "package"
    CUBIC_METRE = "cubic_metre"
    KILOGRAM = "kilogram"


class PriceInterval(StrEnum):
    """Intervals of a price."""

    DAY = "day"
    MONTH = "month"


class PriceTier(Struct, frozen=True):
    """A price from a day of a stay on; the day on which a package comes is day 1."""

    from_day: int
    price_minor: int
    """Price per unit and interval, in minor units."""


class StorageTerms(Struct, frozen=True, kw_only=True):
    """Terms of storage. Tiers are in order of their days; the first starts on day 1."""

    currency: str
    unit: StorageUnit
    interval: PriceInterval
    tiers: tuple[PriceTier, ...]
    free_days: int = 0
    """Free days at the beginning of each stay. They count for the tiers."""
    minimum_minor: int = 0
    """Minimum price of an order in minor units."""


class StoredSize(Struct, frozen=True, kw_only=True):
    """Size and weight of a package for its price."""

    weight_g: int
    length_mm: int
    width_mm: int
    height_mm: int


class Stay(Struct, frozen=True):
    """A package with its arrival and departure day; None while it is stored."""

    size: StoredSize
    began: date
    ended: date | None = None


def local_day(moment: datetime, zone: tzinfo) -> date:
    """Return the day of a moment, by the calendar of a time zone."""
    return moment.astimezone(zone).date()


def first_of_next_month(day: date) -> date:
    """Return the day on which the next month begins."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def price_of_stays(terms: StorageTerms, stays: Iterable[Stay], until: date) -> int:
    """Return the price of stays before a day, in minor units, without the minimum."""
    price = sum((_price_of_stay(terms, stay, until) for stay in stays), Fraction())
    return divide_half_up(*price.as_integer_ratio())


class StorageCosts(Struct, frozen=True):
    """Cost of the stays of an order, in minor units."""

    month_minor: int
    """Cost of this month, today included."""
    next_minor: int
    """Amount that the next monthly charge adds."""


def costs_of_order(terms: StorageTerms, stays: Iterable[Stay], *, today: date, owed_minor: int) -> StorageCosts:
    """Return the cost of this month, and the next charge if nothing leaves or comes."""
    stays = list(stays)
    before = price_of_stays(terms, stays, today.replace(day=1))
    so_far = price_of_stays(terms, stays, today + timedelta(days=1))
    by_then = price_of_stays(terms, stays, first_of_next_month(today))
    return StorageCosts(month_minor=so_far - before, next_minor=max(0, by_then - owed_minor))


def price_with_minimum(terms: StorageTerms, amount_minor: int) -> int:
    """Return an amount, or the minimum price of an order."""
    return max(amount_minor, terms.minimum_minor)


def _price_of_stay(terms: StorageTerms, stay: Stay, until: date) -> Fraction:
    end = min(until, stay.ended or until)
    return _units(terms.unit, stay.size) * sum(
        (_price_of_days(terms, stay, first, last) for first, last in _pieces(terms, stay.began, end)), Fraction()
    )


def _units(unit: StorageUnit, size: StoredSize) -> Fraction:
    """Return the billable units of a package."""
    if unit is StorageUnit.CUBIC_METRE:
        return Fraction(size.length_mm * size.width_mm * size.height_mm, MM3_IN_M3)
    return Fraction(size.weight_g, G_IN_KG) if unit is StorageUnit.KILOGRAM else Fraction(1)


def _pieces(terms: StorageTerms, began: date, end: date) -> Iterator[tuple[date, date]]:
    """Yield billable date ranges, split at tiers and, if relevant, months."""
    day = began + timedelta(days=terms.free_days)
    cuts = sorted(began + timedelta(days=tier.from_day - 1) for tier in terms.tiers)
    while day < end:
        following = [cut for cut in cuts if cut > day]
        if terms.interval is PriceInterval.MONTH:
            following.append(first_of_next_month(day))
        last = min((*following, end))
        yield day, last
        day = last


def _price_of_days(terms: StorageTerms, stay: Stay, first: date, last: date) -> Fraction:
    """Return the price of one unit for days within one tier and month."""
    number = (first - stay.began).days + 1
    price = next(tier.price_minor for tier in reversed(terms.tiers) if tier.from_day <= number)
    shared_by = monthrange(first.year, first.month)[1] if terms.interval is PriceInterval.MONTH else 1
    return Fraction(price * (last - first).days, shared_by)
