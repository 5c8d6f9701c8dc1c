"""When a message still says what is true, what was promised, and to whom it can be sent."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP_STATUSES,
    ON_THE_WAY_STATUSES,
    OrderStatus,
)
from haulier.contexts.recipients.messages.rules.policies import RecipientMessage, Transport
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")

DAILY_MAX: Mapping[Transport, int] = {Transport.EMAIL: 40, Transport.SMS: 20}
"""Messages to one address within a day, whatever orders are made for it."""

S, M = OrderStatus, RecipientMessage
TRUE_IN: Mapping[RecipientMessage, frozenset[OrderStatus]] = {
    M.ACCEPTED: NOT_PICKED_UP_STATUSES | {S.PICKED_UP},
    M.SCHEDULED: NOT_PICKED_UP_STATUSES | {S.PICKED_UP, S.FAILED},
    M.OUT_FOR_DELIVERY: ON_THE_WAY_STATUSES,
    M.STOPS_BEFORE: ON_THE_WAY_STATUSES,
    M.MISSED: frozenset({S.FAILED, S.HOLD}),
    M.DELIVERED: frozenset({S.DELIVERED}),
    M.RETURNED: frozenset({S.FAILED, S.RETURNED, S.REJECTED}),
    M.CANCELLED: frozenset({S.CANCELLED}),
    M.NEW_PIN: ON_THE_WAY_STATUSES,
    M.NEW_ATTEMPT: ON_THE_WAY_STATUSES,
    M.NOT_DELIVERED: frozenset(S) - {S.DELIVERED},
}
"""In which statuses of the order a message is true. One that waited, and is not true any more, is not sent."""


class OpenVisit(Struct, frozen=True):
    """A visit on a route under way that is not over, in the order of the route."""

    order_id: int
    is_delivery: bool


def count_visits_before(visits: Sequence[OpenVisit], most: int) -> dict[int, int]:
    """How many visits are before each delivery that has at most `most` before it, by order."""
    near = enumerate(visits[: most + 1])
    return {visit.order_id: before for before, visit in near if visit.is_delivery}


def promise_of(day: date | None, start: datetime | None, end: datetime | None) -> str | None:
    """What a recipient was promised, as a text to compare; None where nothing was."""
    parts = [day and day.isoformat(), start and start.isoformat(), end and end.isoformat()]
    return "/".join(part or "" for part in parts) if any(parts) else None


def is_same_promise(promise: str, earlier: str | None) -> bool:
    """Return True if the recipient was promised the same window, or without a window the same day."""
    return earlier is not None and _promised_time(promise) == _promised_time(earlier)


def _promised_time(promise: str) -> str:
    day, _, window = promise.partition("/")
    return window if window.strip("/") else day


def sms_number(address: Mapping[str, Any] | None) -> str | None:
    """The phone of an address in E.164, read as people write it in its country; None where there is none that can exist."""
    address = address or {}
    if not address.get("phone"):
        return None
    try:
        parsed = phonenumbers.parse(address["phone"], address.get("country"))
    except phonenumbers.NumberParseException:
        return None
    valid = phonenumbers.is_valid_number(parsed)
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164) if valid else None
