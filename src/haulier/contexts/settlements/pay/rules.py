"""Rules for choosing a pay rate and computing pay."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from haulier.contexts.analytics.sums.rules import NOBODY, Measure, SumEntry
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.inverses import Inverse, RevertedBy
from haulier.kernel.values.rounding import divide_half_up

RATE_ENDS_BEFORE_IT_BEGINS = declare_error("rate_ends_before_it_begins", 409)
EARNING_CORRECTED = declare_error("earning_corrected", 409)
METRES_PER_KM = 1000
WEEK = timedelta(days=7)


class PayeeKind(StrEnum):
    """Payee kind: a contractor for their drivers' work, or a driver of the business."""

    CONTRACTOR = "contractor"
    DRIVER = "driver"


class EarningKind(StrEnum):
    """Kind of work that is paid."""

    ROUTE = "route"
    STOP = "stop"
    FAILED_STOP = "failed_stop"
    DISTANCE = "distance"
    CORRECTION = "correction"
    ADJUSTMENT = "adjustment"


EARNING_INVERSES: Mapping[EarningKind, Inverse] = dict.fromkeys(EarningKind, RevertedBy("correct_earning"))
"""The inverse of each kind of earning. Statements of pay are sums of earnings and have no steps of their own."""


class Payee(Struct, frozen=True):
    """Payee: the user id of a contractor, or the id of a driver."""

    kind: PayeeKind
    id: int


class PayRate(Protocol):
    """Pay rate of one payee, or of all payees of a kind if `payee_id` is None."""

    @property
    def id(self) -> int: ...
    @property
    def payee_id(self) -> int | None: ...
    @property
    def valid_from(self) -> date: ...
    @property
    def valid_to(self) -> date | None: ...


R = TypeVar("R", bound=PayRate)


def find_rate(rates: Iterable[R], payee_id: int, day: date) -> R | None:
    """Return the rate that applies to a payee on a day.

    The payee's own rate takes precedence over the general one, and later starts over earlier ones.
    """
    holding = [
        rate
        for rate in rates
        if rate.payee_id in (None, payee_id)
        and rate.valid_from <= day
        and (rate.valid_to is None or day <= rate.valid_to)
    ]
    return max(holding, key=lambda rate: (rate.payee_id is not None, rate.valid_from, rate.id), default=None)


def pay_for_distance(metres: int, per_km_minor: int) -> int:
    """Return the pay for a distance in minor units, rounding halves up."""
    return divide_half_up(metres * per_km_minor, METRES_PER_KM)


def stop_key(stop_id: int, undone: int) -> str:
    """Return the key of a stop's payment.

    A further key is used each time the stop was undone.
    """
    return f"stop:{stop_id}" if undone == 0 else f"stop:{stop_id}:{undone}"


def week_of(day: date) -> tuple[date, date]:
    """Return Monday and Sunday of the week of a day."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + WEEK - timedelta(days=1)


def pay_sum(earning: Mapping[str, Any]) -> SumEntry:
    """Return the entry that an earning adds to the sums by day."""
    of_driver = earning["payee_kind"] == PayeeKind.DRIVER
    return SumEntry(
        measure=Measure.PAY,
        day=earning["day"],
        driver_id=earning["payee_id"] if of_driver else NOBODY,
        contractor_id=NOBODY if of_driver else earning["payee_id"],
        currency=earning["currency"],
        count=1,
        minor=earning["amount_minor"],
    )
