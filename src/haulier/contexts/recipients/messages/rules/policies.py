"""Which messages recipients get, by which way, and when texts wait: the business's choice and what a customer has instead."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from msgspec import Struct

STOPS_BEFORE_MAX = 20
DEFAULT_STOPS_BEFORE = 3


class RecipientMessage(StrEnum):
    """What a recipient is told."""

    ACCEPTED = "accepted"
    SCHEDULED = "scheduled"
    OUT_FOR_DELIVERY = "out_for_delivery"
    STOPS_BEFORE = "stops_before"
    MISSED = "missed"
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELLED = "cancelled"
    NEW_PIN = "new_pin"
    """Another PIN for the driver was made while the goods are on their way."""
    NEW_ATTEMPT = "new_attempt"
    """The driver tries again on the same route, after a message that the delivery failed."""
    NOT_DELIVERED = "not_delivered"
    """A delivery was undone after a message that the parcel was delivered."""


class MessageChannel(StrEnum):
    """By which way a message goes."""

    NONE = "none"
    EMAIL = "email"
    SMS = "sms"
    BOTH = "both"
    EMAIL_OR_SMS = "email_or_sms"
    """An e-mail, or a text where no e-mail address is known."""


class Transport(StrEnum):
    """What carries one message."""

    EMAIL = "email"
    SMS = "sms"


SWITCH_OF = {RecipientMessage.NEW_PIN: RecipientMessage.OUT_FOR_DELIVERY}
"""Messages without a switch of their own, and the one that they follow: a new PIN is sent as the first one was."""
CORRECTS: Mapping[RecipientMessage, frozenset[RecipientMessage]] = {
    RecipientMessage.NOT_DELIVERED: frozenset({RecipientMessage.DELIVERED}),
    RecipientMessage.NEW_ATTEMPT: frozenset({RecipientMessage.MISSED, RecipientMessage.RETURNED}),
}
"""Corrections, and the messages that they correct. A correction has no switch: it is sent where the other message was sent."""
DELIVERY_NEWS = frozenset(
    {RecipientMessage.OUT_FOR_DELIVERY, RecipientMessage.MISSED, RecipientMessage.DELIVERED, RecipientMessage.RETURNED}
).union(CORRECTS)
"""Messages on the state of the delivery. A correction is due when the last of them is one that it corrects."""
SWITCHES = tuple(message for message in RecipientMessage if message not in SWITCH_OF.keys() | CORRECTS.keys())
"""The messages that a business chooses."""


class MessagePolicy(Struct, frozen=True, kw_only=True):
    """The messages of a business, or of one of its customers. What `channels` does not name is not sent.

    The quiet hours are times by the business's clock; they may pass midnight.
    """

    channels: Mapping[str, str] = {}
    stops_before: int = DEFAULT_STOPS_BEFORE
    quiet_from: time | None = None
    quiet_until: time | None = None

    def channel(self, message: RecipientMessage) -> MessageChannel:
        """By which way a message goes."""
        return MessageChannel(self.channels.get(SWITCH_OF.get(message, message), MessageChannel.NONE))


class CustomerPolicy(Struct, frozen=True, kw_only=True):
    """What holds for one customer's recipients instead; what is missing or None is as the business wants it."""

    channels: Mapping[str, str] = {}
    stops_before: int | None = None


def policy_for_customer(business: MessagePolicy, customer: CustomerPolicy | None) -> MessagePolicy:
    """What holds for the recipients of a customer's orders."""
    if customer is None:
        return business
    return MessagePolicy(
        channels={**business.channels, **customer.channels},
        stops_before=customer.stops_before or business.stops_before,
        quiet_from=business.quiet_from,
        quiet_until=business.quiet_until,
    )


def chosen_transports(channel: MessageChannel, *, email: bool, phone: bool) -> tuple[Transport, ...]:
    """What carries a message to somebody whose e-mail address or phone is known, or both, or neither."""
    if channel is MessageChannel.EMAIL_OR_SMS:
        channel = MessageChannel.EMAIL if email else MessageChannel.SMS
    by_email = email and channel in (MessageChannel.EMAIL, MessageChannel.BOTH)
    by_sms = phone and channel in (MessageChannel.SMS, MessageChannel.BOTH)
    return (*([Transport.EMAIL] if by_email else []), *([Transport.SMS] if by_sms else []))


def send_time(policy: MessagePolicy, transport: Transport, now: datetime, zone: ZoneInfo) -> datetime:
    """When a message may go: now, or for a text within the quiet hours when they end.

    # Why: an e-mail wakes nobody.
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
