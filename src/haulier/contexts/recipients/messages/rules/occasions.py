"""Rules for valid messages, promises and reachable recipients."""

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
"""Maximum number of messages to one address within a day, for all its orders."""

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
"""Order statuses in which a message is true. A queued message that is no longer true is not sent."""


class OpenVisit(Struct, frozen=True):
    """Open visit on a route in progress, in route order."""

    order_id: int
    is_delivery: bool


def count_visits_before(visits: Sequence[OpenVisit], most: int) -> dict[int, int]:
    """Return the remaining visits before each delivery, by order.

    Deliveries with more than `most` visits before them are left out.
    """
    near = enumerate(visits[: most + 1])
    return {visit.order_id: before for before, visit in near if visit.is_delivery}


def promise_of(day: date | None, start: datetime | None, end: datetime | None) -> str | None:
    """Return a comparable text of a promise, or None without a promise."""
    parts = [day and day.isoformat(), start and start.isoformat(), end and end.isoformat()]
    return "/".join(part or "" for part in parts) if any(parts) else None


def is_same_promise(promise: str, earlier: str | None) -> bool:
    """Return True if the promised window, or the day without a window, is the same."""
    return earlier is not None and _promised_time(promise) == _promised_time(earlier)


def _promised_time(promise: str) -> str:
    day, _, window = promise.partition("/")
    return window if window.strip("/") else day


def sms_number(address: Mapping[str, Any] | None) -> str | None:
    """Return the phone of an address in E.164, or None if it is invalid.

    The number is read by the conventions of the address's country.
    """
    address = address or {}
    if not address.get("phone"):
        return None
    try:
        parsed = phonenumbers.parse(address["phone"], address.get("country"))
    except phonenumbers.NumberParseException:
        return None
    valid = phonenumbers.is_valid_number(parsed)
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164) if valid else None
