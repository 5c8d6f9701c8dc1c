"""What is odd about orders that people put on a route by hand: they go there all the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.routes.routes.rules.progress import StopState, orders_not_loaded
from haulier.contexts.routes.stops.rules import OPEN, StopKind

LOAD_DIMENSIONS = ("weight_g", "volume_cm3", "parcels")


class RouteWarningCode(StrEnum):
    """What is odd about an order on a route."""

    OVERLOADED = "overloaded"
    """At its fullest, the vehicle holds more than it can."""
    SKILL_MISSING = "skill_missing"
    """Neither driver nor vehicle has a skill that the order asks for."""
    OTHER_DAY = "other_day"
    """The order is promised for another day."""


class CarriedOrder(Struct, frozen=True, kw_only=True):
    """An order as a load and a promise. `load` is in the order of `LOAD_DIMENSIONS`."""

    order_id: int
    load: Sequence[int]
    skills: frozenset[str] = frozenset()
    scheduled_date: date | None = None
    window: tuple[datetime | None, datetime | None] = (None, None)


class RouteCarrier(Struct, frozen=True, kw_only=True):
    """Who drives a route, as far as it is known. A capacity that is None does not limit; skills that are None are not known."""

    capacity: Sequence[int | None] = (None, None, None)
    skills: frozenset[str] | None = None


class RouteOddity(Struct, frozen=True):
    """Something odd; about the whole route where it names no order."""

    code: RouteWarningCode
    order_id: int | None = None
    percent: int | None = None


def find_route_oddities(
    day: date,
    carrier: RouteCarrier,
    stops: Sequence[StopState],
    orders: Mapping[int, CarriedOrder],
    added: Iterable[int],
) -> list[RouteOddity]:
    """Everything odd about a route after some orders were added. Days and windows are in the business's time zone."""
    percent = peak_load_percent(stops, orders, carrier.capacity)
    overload = [RouteOddity(RouteWarningCode.OVERLOADED, percent=percent)] if percent > 100 else []
    return [*overload, *(oddity for id in added for oddity in _order_oddities(day, carrier, orders[id]))]


def _order_oddities(day: date, carrier: RouteCarrier, order: CarriedOrder) -> Iterator[RouteOddity]:
    if carrier.skills is not None and not order.skills <= carrier.skills:
        yield RouteOddity(RouteWarningCode.SKILL_MISSING, order.order_id)
    opens, closes = (end and end.date() for end in order.window)
    too_early, too_late = opens is not None and day < opens, closes is not None and day > closes
    promised = order.scheduled_date if opens is None and closes is None else None
    if too_early or too_late or (promised is not None and promised > day):
        yield RouteOddity(RouteWarningCode.OTHER_DAY, order.order_id)


def peak_load_percent(
    stops: Sequence[StopState], orders: Mapping[int, CarriedOrder], capacity: Sequence[int | None]
) -> int:
    """How full the vehicle is at its fullest, in percent of what it can hold; 0 where nothing limits it."""
    to_collect = orders_not_loaded(stops)
    waiting = [stop for stop in stops if stop.status in OPEN]
    loaded = {stop.order_id for stop in waiting if stop.order_id not in to_collect or stop.to_load}
    aboard = [sum(orders[id].load[n] for id in loaded) for n in range(len(LOAD_DIMENSIONS))]
    peak = list(aboard)
    for stop in waiting:
        sign = 1 if stop.kind is StopKind.PICKUP else -1
        aboard = [now + sign * load for now, load in zip(aboard, orders[stop.order_id].load, strict=True)]
        peak = [max(before, now) for before, now in zip(peak, aboard, strict=True)]
    return max((100 * most // limit for most, limit in zip(peak, capacity, strict=True) if limit), default=0)
