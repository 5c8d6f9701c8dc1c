"""Rules of messages."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP_STATUSES,
    ON_THE_WAY_STATUSES,
    OrderStatus,
)
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")


STOPS_BEFORE_MAX = 20
DEFAULT_STOPS_BEFORE = 3
SUBJECT_MAX, TEXT_MAX, SMS_MAX = 150, 4000, 480
"""Greatest lengths of the texts of a message."""


class RecipientMessage(StrEnum):
    """Kind of recipient message."""

    ACCEPTED = "accepted"
    SCHEDULED = "scheduled"
    OUT_FOR_DELIVERY = "out_for_delivery"
    STOPS_BEFORE = "stops_before"
    MISSED = "missed"
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELLED = "cancelled"
    READY_FOR_PICKUP = "ready_for_pickup"
    """The recipient can collect the parcel at a depot. Repeated for a new pickup code."""
    NEW_PIN = "new_pin"
    """Another PIN was created while the goods are out for delivery."""
    NEW_ATTEMPT = "new_attempt"
    """The driver retries on the same route after a message about a failed delivery."""
    NOT_DELIVERED = "not_delivered"
    """A delivery was undone after a message that the parcel was delivered."""


class MessageWording(StrEnum):
    """Message with a wording that a business can change."""

    ACCEPTED = "accepted"
    SCHEDULED = "scheduled"
    OUT_FOR_DELIVERY = "out_for_delivery"
    STOPS_BEFORE = "stops_before"
    MISSED = "missed"
    MISSED_NO_WINDOW = "missed_no_window"
    """A failed delivery without available windows, so that the recipient is not asked to choose one."""
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELLED = "cancelled"
    READY_FOR_PICKUP = "ready_for_pickup"
    COLLECTED = "collected"
    """A delivered order that the recipient collected at a depot."""
    NEW_PIN = "new_pin"
    NEW_ATTEMPT = "new_attempt"
    NOT_DELIVERED = "not_delivered"


TELLING_THE_PIN = frozenset({MessageWording.OUT_FOR_DELIVERY, MessageWording.NEW_PIN, MessageWording.READY_FOR_PICKUP})
"""Messages that include the PIN of the order, if it has one."""


class MessageChannel(StrEnum):
    """Channel of a message."""

    NONE = "none"
    EMAIL = "email"
    SMS = "sms"
    BOTH = "both"
    EMAIL_OR_SMS = "email_or_sms"
    """Email, or SMS if no email address is known."""


class Transport(StrEnum):
    """Transport of one message."""

    EMAIL = "email"
    SMS = "sms"


SWITCH_OF = {RecipientMessage.NEW_PIN: RecipientMessage.OUT_FOR_DELIVERY}
"""Messages without a setting of their own, and the message whose setting they follow."""
CORRECTS: Mapping[RecipientMessage, frozenset[RecipientMessage]] = {
    RecipientMessage.NOT_DELIVERED: frozenset({RecipientMessage.DELIVERED}),
    RecipientMessage.NEW_ATTEMPT: frozenset({RecipientMessage.MISSED, RecipientMessage.RETURNED}),
}
"""Corrections and the messages that they correct. A correction is sent if the corrected message was sent."""
DELIVERY_NEWS = frozenset(
    {RecipientMessage.OUT_FOR_DELIVERY, RecipientMessage.MISSED, RecipientMessage.DELIVERED, RecipientMessage.RETURNED}
).union(CORRECTS)
"""Messages about the state of a delivery. A correction is due if the last one is a message that it corrects."""
SWITCHES = tuple(message for message in RecipientMessage if message not in SWITCH_OF.keys() | CORRECTS.keys())
"""Messages with a setting of their own."""


class MessagePolicy(Struct, frozen=True, kw_only=True):
    """Messages of a business or of one of its customers.

    Messages missing from `channels` are not sent. Quiet hours are in the business's time zone and may pass midnight.
    """

    channels: Mapping[str, str] = {}
    stops_before: int = DEFAULT_STOPS_BEFORE
    quiet_from: time | None = None
    quiet_until: time | None = None

    def channel(self, message: RecipientMessage) -> MessageChannel:
        """Return the channel of a message."""
        return MessageChannel(self.channels.get(SWITCH_OF.get(message, message), MessageChannel.NONE))


class CustomerPolicy(Struct, frozen=True, kw_only=True):
    """Settings for one customer's recipients. None uses the business's setting."""

    channels: Mapping[str, str] = {}
    stops_before: int | None = None


def policy_for_customer(business: MessagePolicy, customer: CustomerPolicy | None) -> MessagePolicy:
    """Return the settings for the recipients of a customer's orders."""
    if customer is None:
        return business
    return MessagePolicy(
        channels={**business.channels, **customer.channels},
        stops_before=customer.stops_before or business.stops_before,
        quiet_from=business.quiet_from,
        quiet_until=business.quiet_until,
    )


def chosen_transports(channel: MessageChannel, *, email: bool, phone: bool) -> tuple[Transport, ...]:
    """Return the transports for a recipient, given the known addresses."""
    if channel is MessageChannel.EMAIL_OR_SMS:
        channel = MessageChannel.EMAIL if email else MessageChannel.SMS
    by_email = email and channel in (MessageChannel.EMAIL, MessageChannel.BOTH)
    by_sms = phone and channel in (MessageChannel.SMS, MessageChannel.BOTH)
    return (*([Transport.EMAIL] if by_email else []), *([Transport.SMS] if by_sms else []))


def send_time(policy: MessagePolicy, transport: Transport, now: datetime, zone: ZoneInfo) -> datetime:
    """Return the earliest time to send a message: now, or the end of quiet hours.

    Emails ignore quiet hours, because they disturb no one.
    """
    begin, end = policy.quiet_from, policy.quiet_until
    if transport is Transport.EMAIL or begin is None or end is None or begin == end:
        return now
    local = now.astimezone(zone)
    clock = local.time().replace(tzinfo=None)
    within = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not within:
        return now
    day = local.date() if clock < end else local.date() + timedelta(days=1)
    return datetime.combine(day, end, zone)


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
    M.READY_FOR_PICKUP: frozenset({S.NEW_ORDER}),
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


PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_BRACED = re.compile(r"\{[^{}]*\}?|\}")
COMMON_PLACEHOLDERS = ("name", "client", "sender", "number", "link")
"""Placeholders of every message: recipient, business, sender, tracking number and link to the tracking page."""
NECESSARY = ("link", "pin", "when")
"""Placeholders that a wording must keep if the standard wording has them. `when` only where it includes the PIN."""


class MessageTexts(Struct, frozen=True, kw_only=True):
    """Wording of a message in one language, with placeholders in braces.

    None uses the standard wording.
    """

    subject: str | None = None
    text: str | None = None
    sms: str | None = None


def list_placeholders(*texts: str) -> list[str]:
    """Return the placeholders of texts, each once, in order of appearance."""
    return list(dict.fromkeys(name for text in texts for name in PLACEHOLDER.findall(text)))


def find_unknown_placeholders(text: str, allowed: Sequence[str]) -> list[str]:
    """Return the braced parts of a text that are not allowed, single braces too."""
    known = {f"{{{name}}}" for name in allowed}
    return [each for each in dict.fromkeys(_BRACED.findall(text)) if each not in known]


def find_missing_placeholders(message: MessageWording, text: str, standard: str) -> list[str]:
    """Return the necessary placeholders of the standard wording that a text lacks."""
    needed = set(NECESSARY) if message in TELLING_THE_PIN else set(NECESSARY) - {"when"}
    given = list_placeholders(text)
    return [name for name in list_placeholders(standard) if name in needed and name not in given]


def fill_placeholders(text: str, params: Mapping[str, Any]) -> str:
    """Return a text with the values of its placeholders."""
    return PLACEHOLDER.sub(lambda match: str(params[match[1]]), text)
