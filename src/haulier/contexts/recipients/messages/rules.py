"""Message settings of a business and of single customers."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from msgspec import Struct

STOPS_BEFORE_MAX = 20
DEFAULT_STOPS_BEFORE = 3


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
    NEW_PIN = "new_pin"
    """Another PIN was created while the goods are out for delivery."""
    NEW_ATTEMPT = "new_attempt"
    """The driver retries on the same route after a message about a failed delivery."""
    NOT_DELIVERED = "not_delivered"
    """A delivery was undone after a message that the parcel was delivered."""


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
