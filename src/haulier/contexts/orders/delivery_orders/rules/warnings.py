"""What an order is created in spite of, and somebody may want to know: never an error."""

from collections.abc import Collection, Iterator
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.contexts.orders.quotes.rules.served_places import find_closed_ends
from haulier.contexts.places.zone_maps.rules.zone_index import NO_ZONES, ZoneIndex
from haulier.rendering.typesetting import unprintable_characters

if TYPE_CHECKING:  # Why: rules import no request types at run time.
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder


class OrderWarningCode(StrEnum):
    """What is odd about a new order."""

    NO_COORDINATES = "no_coordinates"
    """An end that has to be visited has no coordinates: routes cannot be built with it."""
    DAY_OUTSIDE_WINDOW = "day_outside_window"
    """The scheduled day is none of the days of its time window."""
    DAY_PAST = "day_past"
    """The scheduled day is over."""
    WINDOW_PAST = "window_past"
    """The time window is over."""
    OUTSIDE_SERVICE_AREA = "outside_service_area"
    """An end that has to be visited is outside all service areas, which only advise."""
    NO_GO_ZONE = "no_go_zone"
    """An end that has to be visited is in a no-go zone that only advises."""
    NOT_PRINTABLE = "not_printable"
    """A name or address has characters that labels cannot show."""
    SKILL_UNKNOWN = "skill_unknown"
    """No driver can have one of its skills: it is not in the catalogue."""


class OrderOddity(Struct, frozen=True):
    """Something odd about a field of a new order."""

    field: str
    code: OrderWarningCode
    characters: str = ""


class WarningFacts(Struct, frozen=True):
    """What warnings of orders depend on besides the orders."""

    unknown_skills: Collection[str] = ()
    """Skills of theirs that no driver can have."""
    zones: ZoneIndex = NO_ZONES
    """The zones in force."""


def find_oddities(order: "CreateOrder", local_now: datetime, facts: WarningFacts) -> list[OrderOddity]:
    """Everything odd about a new order. `local_now` is in the business's time zone."""
    skills = (
        [OrderOddity("skills", OrderWarningCode.SKILL_UNKNOWN)]
        if not set(facts.unknown_skills).isdisjoint(order.skills)
        else []
    )
    return [
        *_place_oddities(order, facts.zones),
        *_time_oddities(order, local_now),
        *_print_oddities(order),
        *skills,
    ]


def _place_oddities(order: "CreateOrder", zones: ZoneIndex) -> Iterator[OrderOddity]:
    for field, end in order.visited_ends.items():
        if end.place is None:
            yield OrderOddity(field, OrderWarningCode.NO_COORDINATES)
    for closed in find_closed_ends(zones, order.zoned_places):
        yield OrderOddity(closed.field, OrderWarningCode(closed.error_id))


def _print_oddities(order: "CreateOrder") -> Iterator[OrderOddity]:
    for field, end in (("consignee", order.consignee), ("shipper", order.shipper)):
        lines = (end.name, end.unit, end.address, end.city, end.region, end.postal_code) if end else ()
        if characters := unprintable_characters("".join(filter(None, lines))):
            yield OrderOddity(field, OrderWarningCode.NOT_PRINTABLE, characters)


def _time_oddities(order: "CreateOrder", local_now: datetime) -> Iterator[OrderOddity]:
    day, zone = order.scheduled_date, local_now.tzinfo
    opens, closes = (end and end.astimezone(zone).date() for end in (order.window_start, order.window_end))
    if day and ((opens and day < opens) or (closes and day > closes)):
        yield OrderOddity("scheduled_date", OrderWarningCode.DAY_OUTSIDE_WINDOW)
    if day and day < local_now.date():
        yield OrderOddity("scheduled_date", OrderWarningCode.DAY_PAST)
    if order.window_end and order.window_end < local_now:
        yield OrderOddity("window_end", OrderWarningCode.WINDOW_PAST)
