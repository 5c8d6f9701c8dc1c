"""Rules of delivery orders: warnings."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from haulier.contexts.custom_fields.values.rules import differing_names
from haulier.contexts.orders.quotes.rules import find_closed_ends
from haulier.contexts.places.party_checks.rules import CheckedParty, check_party
from haulier.contexts.places.zone_maps.rules import NO_ZONES, ZoneIndex
from haulier.kernel.values.geography import LatLng
from haulier.kernel.values.words import fold_search

if TYPE_CHECKING:  # rules import no request types at run time
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress


def derive_order_day(
    day: date | None, window_start: datetime | None, window_end: datetime | None, zone: tzinfo
) -> date | None:
    """Return the given day, else the local day of the window's start, else of its end.

    A window that ends at midnight ends on the day before.
    """
    if day is not None:
        return day
    if window_start is not None:
        return window_start.astimezone(zone).date()
    return None if window_end is None else (window_end - timedelta(microseconds=1)).astimezone(zone).date()


def with_order_day(request: "CreateOrder", zone: tzinfo) -> "CreateOrder":
    """Return the request with the day that its order gets."""
    day = derive_order_day(request.scheduled_date, request.window_start, request.window_end, zone)
    return request if day == request.scheduled_date else request.model_copy(update={"scheduled_date": day})


NOT_COMPARED = {"order_ref", "customer_id", "quote_id"}
"""Identity of the order and its customer, and the source of its price."""
ENDS = ("consignee", "shipper")
PIECES, ITEMS = "packages", "items"
CUSTOM_FIELDS = "custom_fields"


def request_digest(request: "CreateOrder") -> bytes:
    """Return the digest that detects repeats of a request with the same reference."""
    # Defaults are excluded, so that a field added later does not change every digest.
    if request.sent_digest is not None:
        return request.sent_digest
    document = request.model_dump(mode="json", exclude=NOT_COMPARED, exclude_defaults=True)
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).digest()


def differing_fields(request: "CreateOrder", other: "CreateOrder") -> list[str]:
    """The fields in which two requests differ, those of addresses by their paths."""
    return list(_differing_fields(request, other))


def _differing_fields(request: "CreateOrder", other: "CreateOrder") -> Iterator[str]:
    for name in type(request).model_fields.keys() - NOT_COMPARED - {PIECES, ITEMS, CUSTOM_FIELDS}:
        here, there = getattr(request, name), getattr(other, name)
        if here == there:
            continue
        if name in ENDS and here is not None and there is not None:
            parts = type(here).model_fields
            yield from (f"{name}.{part}" for part in parts if getattr(here, part) != getattr(there, part))
        else:
            yield name
    yield from (f"{CUSTOM_FIELDS}.{name}" for name in differing_names(request.custom_fields, other.custom_fields))
    if _items(request) != _items(other):
        yield ITEMS
    if _pieces(request) != _pieces(other) or any(
        differing_names(here.custom_fields, there.custom_fields)
        for here, there in zip(request.pieces, other.pieces, strict=True)
    ):
        yield PIECES


def _items(request: "CreateOrder") -> list[dict[str, Any]]:
    lines = request.filled_items or [vars(item) for item in request.items]
    return [{name: value for name, value in line.items() if name != "product_id"} for line in lines]


def _pieces(request: "CreateOrder") -> list[dict[str, Any]]:
    return [piece.model_dump(exclude={"quantity", CUSTOM_FIELDS}) for piece in request.pieces]


PHONE_MARKS = frozenset("+-./() ")
MIN_PHONE_DIGITS = 7
"""Fewer digits are a house number or a postal code."""
MAX_PHONE_DIGITS = 9
"""Maximum number of trailing digits compared, so that country codes and trunk zeros do not matter."""


def code_in(text: str) -> str:
    """Return a number or postal code in comparable form: capitals and digits.

    Empty for a text with other characters than those and blanks.
    """
    code = "".join(c for c in text.upper() if c not in " -")
    return code if code.isascii() and code.isalnum() else ""


def digits_in(text: str) -> str:
    """The digits of a text."""
    return "".join(c for c in text if c.isdecimal())


def compared_phone_digits(text: str) -> str:
    """Return the last digits of a text that is a phone number in any notation.

    Empty for any other text.
    """
    digits = digits_in(text)
    is_phone = len(digits) >= MIN_PHONE_DIGITS and all(c.isdecimal() or c in PHONE_MARKS for c in text)
    return digits[-MAX_PHONE_DIGITS:] if is_phone else ""


def build_order_search_text(texts: Sequence[str | None], phones: Sequence[str | None]) -> str:
    """Return the value of the search column.

    Every text folded, and phone numbers also as bare digits.
    """
    bare = [digits_in(phone) for phone in phones if phone]
    return "\n".join([fold_search(text) for text in (*texts, *phones) if text] + bare)


class OrderWarningCode(StrEnum):
    """Warning about a new order."""

    NO_COORDINATES = "no_coordinates"
    """An end that has to be visited has no coordinates: routes cannot be built with it."""
    DAY_OUTSIDE_WINDOW = "day_outside_window"
    """The scheduled day is none of the days of its time window."""
    DAY_PAST = "day_past"
    """The scheduled day is in the past."""
    WINDOW_PAST = "window_past"
    """The delivery window is in the past."""
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
    """Facts, apart from the orders, on which warnings depend."""

    unknown_skills: Collection[str] = ()
    """Their skills that no driver can have."""
    zones: ZoneIndex = NO_ZONES
    """The zones in force."""
    depots: Sequence[LatLng] = ()
    """Where the business's drivers start."""


def find_oddities(order: "CreateOrder", local_now: datetime, facts: WarningFacts) -> list[OrderOddity]:
    """Everything odd about a new order. `local_now` is in the business's time zone."""
    skills = (
        [_build_warning("skills", OrderWarningCode.SKILL_UNKNOWN)]
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
            yield _build_warning(field, OrderWarningCode.NO_COORDINATES)
    for closed in find_closed_ends(zones, order.zoned_places):
        yield _build_warning(closed.field, OrderWarningCode(closed.error_id))


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
        city=end.city,
        region=end.region or "",
        place=end.place,
    )


def _build_warning(field: str, code: OrderWarningCode) -> OrderOddity:
    return OrderOddity(field, code.value, f"order_warning_{code.value}")


def _time_oddities(order: "CreateOrder", local_now: datetime) -> Iterator[OrderOddity]:
    day, zone = order.scheduled_date, local_now.tzinfo
    opens, closes = (end and end.astimezone(zone).date() for end in (order.window_start, order.window_end))
    if day and ((opens and day < opens) or (closes and day > closes)):
        yield _build_warning("scheduled_date", OrderWarningCode.DAY_OUTSIDE_WINDOW)
    if day and day < local_now.date():
        yield _build_warning("scheduled_date", OrderWarningCode.DAY_PAST)
    if order.window_end and order.window_end < local_now:
        yield _build_warning("window_end", OrderWarningCode.WINDOW_PAST)
