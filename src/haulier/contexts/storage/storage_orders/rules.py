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
from haulier.kernel.values.state_machine import StateMachine

STORAGE_STEP_REFUSED = declare_error("storage_step_refused", 409)
STORAGE_QUOTE_EXPIRED = declare_error("storage_quote_expired", 409)
STORAGE_NOT_EMPTY = declare_error("storage_not_empty", 409)
NOTHING_OWED = declare_error("nothing_owed", 409)
QUOTE_LIFE = timedelta(hours=24)
"""For so long a quoted price is honoured."""


class StorageOrderStatus(StrEnum):
    """The status of an order for storage."""

    PENDING = "pending"
    """The business has not agreed yet."""
    CONFIRMED = "confirmed"
    STORED = "stored"
    """Something of it is or was in stock."""
    CLOSED = "closed"
    CANCELLED = "cancelled"


class StorageOrderStep(StrEnum):
    """What is done with an order for storage."""

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
    """The status that a step leads to. Raises `STORAGE_STEP_REFUSED`."""
    return STORAGE_ORDER_LIFE.next_status_or_raise(step, StorageOrderStatus(status))


def can_be_paid(status: str, balance_minor: int) -> bool:
    """Whether something is to be paid."""
    return balance_minor > 0 and status != StorageOrderStatus.CANCELLED


def can_be_cancelled(status: str) -> bool:
    """Whether the order can be called off: until something of it is in stock."""
    return StorageOrderStep.CANCEL in STORAGE_ORDER_LIFE.actions(StorageOrderStatus(status))


MM3_IN_M3 = 10**9
G_IN_KG = 1000


class StorageUnit(StrEnum):
    """What a price is for."""

    PACKAGE = "package"
    CUBIC_METRE = "cubic_metre"
    KILOGRAM = "kilogram"


class PriceInterval(StrEnum):
    """The time that a price is for."""

    DAY = "day"
    MONTH = "month"


class PriceTier(Struct, frozen=True):
    """A price from a day of a stay on; the day on which a package comes is day 1."""

    from_day: int
    price_minor: int
    """For one unit and one interval, in minor units."""


class StorageTerms(Struct, frozen=True, kw_only=True):
    """What storage costs. The tiers stand in the order of their days, and the first begins on day 1."""

    currency: str
    unit: StorageUnit
    interval: PriceInterval
    tiers: tuple[PriceTier, ...]
    free_days: int = 0
    """So many days at the beginning of each stay cost nothing; they count for the tiers."""
    minimum_minor: int = 0
    """What an order costs at least, in minor units."""


class StoredSize(Struct, frozen=True, kw_only=True):
    """What of a package its price depends on."""

    weight_g: int
    length_mm: int
    width_mm: int
    height_mm: int


class Stay(Struct, frozen=True):
    """A package, the day on which it came, and the day on which it left; None while it is here."""

    size: StoredSize
    began: date
    ended: date | None = None


def local_day(moment: datetime, zone: tzinfo) -> date:
    """The day of a moment, by the calendar of a time zone."""
    return moment.astimezone(zone).date()


def first_of_next_month(day: date) -> date:
    """The day on which the next month begins."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def round_half_up(amount: Fraction) -> int:
    """Whole minor units; a half counts as one."""
    return (2 * amount.numerator + amount.denominator) // (2 * amount.denominator)


def price_of_stays(terms: StorageTerms, stays: Iterable[Stay], until: date) -> int:
    """What some stays cost, in minor units, before a day begins; without the minimum."""
    return round_half_up(sum((_price_of_stay(terms, stay, until) for stay in stays), Fraction()))


def price_with_minimum(terms: StorageTerms, amount_minor: int) -> int:
    """An amount, or what an order costs at least."""
    return max(amount_minor, terms.minimum_minor)


def _price_of_stay(terms: StorageTerms, stay: Stay, until: date) -> Fraction:
    end = min(until, stay.ended or until)
    return _units(terms.unit, stay.size) * sum(
        (_price_of_days(terms, stay, first, last) for first, last in _pieces(terms, stay.began, end)), Fraction()
    )


def _units(unit: StorageUnit, size: StoredSize) -> Fraction:
    """How much a package counts for."""
    if unit is StorageUnit.CUBIC_METRE:
        return Fraction(size.length_mm * size.width_mm * size.height_mm, MM3_IN_M3)
    return Fraction(size.weight_g, G_IN_KG) if unit is StorageUnit.KILOGRAM else Fraction(1)


def _pieces(terms: StorageTerms, began: date, end: date) -> Iterator[tuple[date, date]]:
    """The days that cost something, cut where a tier or, if it matters, a month begins."""
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
    """What one unit costs on days of one tier and, if it matters, one month."""
    number = (first - stay.began).days + 1
    price = next(tier.price_minor for tier in reversed(terms.tiers) if tier.from_day <= number)
    shared_by = monthrange(first.year, first.month)[1] if terms.interval is PriceInterval.MONTH else 1
    return Fraction(price * (last - first).days, shared_by)
