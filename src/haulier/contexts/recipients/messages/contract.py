"""Messages to recipients: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.identity.fields import Language
from haulier.contexts.recipients.messages.rules.policies import (
    DEFAULT_STOPS_BEFORE,
    STOPS_BEFORE_MAX,
    MessageChannel,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import TimeOfDay

NO_MESSAGE = MessageChannel.NONE
Stops = Annotated[int, Field(ge=1, le=STOPS_BEFORE_MAX)]


class SetRecipientMessages(Request):
    """Which messages recipients get, and by which way; what is left out is not sent."""

    accepted: MessageChannel = NO_MESSAGE
    """The order was taken, with the promised window if there is one."""
    scheduled: MessageChannel = NO_MESSAGE
    """A window or a day was promised, or is another one now."""
    out_for_delivery: MessageChannel = NO_MESSAGE
    """The driver left with the goods; it tells the PIN where the order asks for one, and another one if it is made then."""
    stops_before: MessageChannel = NO_MESSAGE
    """Few visits are before this one now, by what the driver reported."""
    missed: MessageChannel = NO_MESSAGE
    """The delivery failed and is tried again: the recipient may choose when, or where to leave it."""
    delivered: MessageChannel = NO_MESSAGE
    """It was handed over, with a link to the proof."""
    returned: MessageChannel = NO_MESSAGE
    """It goes back to the sender."""
    cancelled: MessageChannel = NO_MESSAGE
    """The delivery was cancelled."""
    stops: Stops = DEFAULT_STOPS_BEFORE
    """From how many visits before theirs recipients are told that the driver is near."""
    quiet_from: TimeOfDay | None = None
    """From this time by the business's clock texts wait; e-mails do not."""
    quiet_until: TimeOfDay | None = None
    """Until this time, on the next day where it is the earlier one."""


class RecipientCustomerRef(Request):
    """Which customer."""

    customer_id: RecordId
    """The customer's user id."""


class SetCustomerRecipientMessages(RecipientCustomerRef):
    """What holds for the recipients of one customer's orders; what is left out is as for everybody."""

    accepted: MessageChannel | None = None
    scheduled: MessageChannel | None = None
    out_for_delivery: MessageChannel | None = None
    stops_before: MessageChannel | None = None
    missed: MessageChannel | None = None
    delivered: MessageChannel | None = None
    returned: MessageChannel | None = None
    cancelled: MessageChannel | None = None
    stops: Stops | None = None
    """From how many visits before theirs recipients are told that the driver is near."""


class RecipientMessages(Answer):
    """The messages in force."""

    accepted: MessageChannel
    scheduled: MessageChannel
    out_for_delivery: MessageChannel
    stops_before: MessageChannel
    missed: MessageChannel
    delivered: MessageChannel
    returned: MessageChannel
    cancelled: MessageChannel
    stops: Annotated[int, doc("Visits before theirs from which recipients are told that the driver is near", 3)]


class RecipientMessagesAnswer(Answer):
    """The messages that the recipients of a business get."""

    result: bool = True
    messages: RecipientMessages
    quiet_from: Annotated[str | None, doc("Texts wait from this time by the business's clock", "21:00")]
    quiet_until: Annotated[str | None, doc("And until this one", "08:00")]


class CustomerRecipientMessages(Answer):
    """The messages that the recipients of one customer's orders get."""

    result: bool = True
    customer_id: int
    messages: Annotated[RecipientMessages, doc("What holds for them, with what is as for everybody")]
    own: Annotated[list[str], doc("What was set for this customer alone", ["missed"])]


class PreviewRecipientMessages(Request):
    """In which language."""

    language: Language | None = None
    """Left out, it is the business's."""


class RecipientMessagePreview(Answer):
    """The words of a message, with an invented delivery."""

    message: Annotated[str, doc("Which message", "missed")]
    subject: str
    text: Annotated[str, doc("The e-mail")]
    sms: Annotated[str, doc("The text message")]


class RecipientMessagePreviews(Answer):
    """The words of all messages."""

    result: bool = True
    language: str
    previews: list[RecipientMessagePreview]


class ListOrderMessages(Request):
    """Which order."""

    order_id: RecordId
    """The order's id."""


class SentRecipientMessage(Answer):
    """A message about an order."""

    id: int
    message: Annotated[str, doc("What it says", "out_for_delivery")]
    transport: Annotated[Literal["email", "sms"], doc("How it goes")]
    state: Annotated[
        Literal["queued", "sending", "sent", "dropped", "failed"], doc("Dropped: it was not true any more, or too much")
    ]
    fault: Annotated[
        str | None,
        doc(
            "Why not: over, no_address, too_many, sms_not_set_up, unavailable, interrupted, or the provider's own code",
            "over",
        ),
    ]
    due_at: datetime
    settled_at: Annotated[datetime | None, doc("When it was sent or given up")]


class OrderMessages(Answer):
    """What the recipient of an order was told."""

    result: bool = True
    messages: Annotated[list[SentRecipientMessage], doc("Oldest first")]
