"""What an order is created in spite of, and somebody may want to know: never an error."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from haulier.contexts.orders.quotes.rules.served_places import find_closed_ends
from haulier.contexts.places.party_checks.rules.parties import CheckedParty, check_party
from haulier.contexts.places.zone_maps.rules.zone_index import NO_ZONES, ZoneIndex
from haulier.kernel.values.geography import LatLng

if TYPE_CHECKING:  # Why: rules import no request types at run time.
    from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddress
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
    SKILL_UNKNOWN = "skill_unknown"
    """No driver can have one of its skills: it is not in the catalogue."""


class OrderOddity(Struct, frozen=True):
    """Something odd about a field of a new order."""

    field: str
    code: str
    message: str
    params: Mapping[str, Any] = {}


class WarningFacts(Struct, frozen=True):
    """What warnings of orders depend on besides the orders."""

    unknown_skills: Collection[str] = ()
    """Skills of theirs that no driver can have."""
    zones: ZoneIndex = NO_ZONES
    """The zones in force."""
    depots: Sequence[LatLng] = ()
    """Where the business's drivers start."""


def find_oddities(order: "CreateOrder", local_now: datetime, facts: WarningFacts) -> list[OrderOddity]:
    """Everything odd about a new order. `local_now` is in the business's time zone."""
    skills = (
        [_oddity("skills", OrderWarningCode.SKILL_UNKNOWN)]
        if not set(facts.unknown_skills).isdisjoint(order.skills)
        else []
    )
    return [
        *_place_oddities(order, facts.zones),
        *_time_oddities(order, local_now),
        *_party_oddities(order, facts.depots),
        *skills,
    ]


def _place_oddities(order: "CreateOrder", zones: ZoneIndex) -> Iterator[OrderOddity]:
    for field, end in order.visited_ends.items():
        if end.place is None:
            yield _oddity(field, OrderWarningCode.NO_COORDINATES)
    for closed in find_closed_ends(zones, order.zoned_places):
        yield _oddity(closed.field, OrderWarningCode(closed.error_id))


def _party_oddities(order: "CreateOrder", depots: Sequence[LatLng]) -> Iterator[OrderOddity]:
    driven = order.visited_ends if order.fulfilment == "self_delivery" else {}
    for field, end in (("consignee", order.consignee), ("shipper", order.shipper)):
        if end:
            yield from list_party_oddities(field, party_to_check(end), depots, own_drivers=field in driven)


def list_party_oddities(
    field: str, party: CheckedParty, depots: Sequence[LatLng] = (), *, own_drivers: bool = False
) -> list[OrderOddity]:
    """Return everything odd about one end."""
    found = check_party(party, depots, own_drivers=own_drivers)
    return [OrderOddity(field, each.code, f"party.{each.code}", each.params) for each in found]


def party_to_check(end: "OrderAddress") -> CheckedParty:
    """Return an address as it is checked."""
    lines = (end.name, end.unit, end.address, end.city, end.region, end.postal_code)
    return CheckedParty(
        lines=tuple(filter(None, lines)),
        street=", ".join(filter(None, (end.address, end.unit))),
        country=end.country,
        place=end.place,
    )


def _oddity(field: str, code: OrderWarningCode) -> OrderOddity:
    return OrderOddity(field, code.value, f"order_warning_{code.value}")


def _time_oddities(order: "CreateOrder", local_now: datetime) -> Iterator[OrderOddity]:
    day, zone = order.scheduled_date, local_now.tzinfo
    opens, closes = (end and end.astimezone(zone).date() for end in (order.window_start, order.window_end))
    if day and ((opens and day < opens) or (closes and day > closes)):
        yield _oddity("scheduled_date", OrderWarningCode.DAY_OUTSIDE_WINDOW)
    if day and day < local_now.date():
        yield _oddity("scheduled_date", OrderWarningCode.DAY_PAST)
    if order.window_end and order.window_end < local_now:
        yield _oddity("window_end", OrderWarningCode.WINDOW_PAST)
