"""Request and response models for messages to recipients."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.identity.fields import Language
from haulier.contexts.recipients.messages.rules import (
    DEFAULT_STOPS_BEFORE,
    SMS_MAX,
    STOPS_BEFORE_MAX,
    SUBJECT_MAX,
    TEXT_MAX,
    MessageChannel,
    MessageWording,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine, RecordId
from haulier.kernel.values.moments import TimeOfDay

NO_MESSAGE = MessageChannel.NONE
Stops = Annotated[int, Field(ge=1, le=STOPS_BEFORE_MAX)]


class SetRecipientMessages(Request):
    """Recipient messages and their channels. Omitted messages are not sent."""

    accepted: MessageChannel = NO_MESSAGE
    """Channel for accepted orders. The message includes the promised window, if any."""
    scheduled: MessageChannel = NO_MESSAGE
    """Channel for new or changed delivery windows and days."""
    out_for_delivery: MessageChannel = NO_MESSAGE
    """Channel for departures. The message includes the order's PIN, if any, and is repeated for a new PIN."""
    stops_before: MessageChannel = NO_MESSAGE
    """Channel for nearby drivers, based on the remaining stops that the driver reported."""
    missed: MessageChannel = NO_MESSAGE
    """Channel for failed deliveries that will be retried. The recipient can choose a time or a place to leave the
    parcel."""
    delivered: MessageChannel = NO_MESSAGE
    """Channel for completed deliveries, with a link to the proof."""
    returned: MessageChannel = NO_MESSAGE
    """Channel for returns to the sender."""
    cancelled: MessageChannel = NO_MESSAGE
    """Channel for cancelled deliveries."""
    ready_for_pickup: MessageChannel = NO_MESSAGE
    """Channel for parcels that the recipient can collect. The message includes the depot, pickup code and last day."""
    stops: Stops = DEFAULT_STOPS_BEFORE
    """Number of remaining stops at which recipients are notified that the driver is near."""
    quiet_from: TimeOfDay | None = None
    """Start of quiet hours for SMS in the business's time zone. Emails are not delayed."""
    quiet_until: TimeOfDay | None = None
    """End of quiet hours. On the following day if earlier than the start."""


class RecipientCustomerRef(Request):
    """Reference to a customer."""

    customer_id: RecordId
    """User ID of the customer."""


class SetCustomerRecipientMessages(RecipientCustomerRef):
    """Recipient messages for one customer's orders.

    Omitted fields use the business's settings.
    """

    accepted: MessageChannel | None = None
    scheduled: MessageChannel | None = None
    out_for_delivery: MessageChannel | None = None
    stops_before: MessageChannel | None = None
    missed: MessageChannel | None = None
    delivered: MessageChannel | None = None
    returned: MessageChannel | None = None
    cancelled: MessageChannel | None = None
    ready_for_pickup: MessageChannel | None = None
    stops: Stops | None = None
    """Number of remaining stops at which recipients are notified that the driver is near."""


class RecipientMessages(Answer):
    """Recipient messages in force."""

    accepted: MessageChannel
    scheduled: MessageChannel
    out_for_delivery: MessageChannel
    stops_before: MessageChannel
    missed: MessageChannel
    delivered: MessageChannel
    returned: MessageChannel
    cancelled: MessageChannel
    ready_for_pickup: MessageChannel
    stops: Annotated[int, doc("Number of remaining stops at which recipients are notified.", 3)]


class RecipientMessagesAnswer(Answer):
    """Recipient messages of a business."""

    result: bool = True
    messages: RecipientMessages
    quiet_from: Annotated[str | None, doc("Start of quiet hours for SMS in the business's time zone.", "21:00")]
    quiet_until: Annotated[str | None, doc("End of quiet hours for SMS.", "08:00")]


class CustomerRecipientMessages(Answer):
    """Recipient messages for one customer's orders."""

    result: bool = True
    customer_id: int
    messages: Annotated[RecipientMessages, doc("Messages in force, including the business's settings.")]
    own: Annotated[list[str], doc("Settings of this customer only.", ["missed"])]


class PreviewRecipientMessages(Request):
    """Language of a preview."""

    language: Language | None = None
    """Language of the preview. Defaults to the business's language."""


class SetRecipientMessageText(Request):
    """Wording of a recipient message in one language.

    Omitted texts use the standard wording.
    """

    message: MessageWording
    """Message to change. `missed_no_window` is the message about a failed delivery without available windows."""
    language: Language
    """Language of the wording."""
    subject: Annotated[str, Field(min_length=1, max_length=SUBJECT_MAX, pattern=NO_NUL), OneLine] | None = None
    """Subject of the email, with placeholders such as `{sender}`."""
    text: Annotated[str, Field(min_length=1, max_length=TEXT_MAX, pattern=NO_NUL)] | None = None
    """Text of the email, with placeholders. An empty line starts a new paragraph. Must include `{link}`."""
    sms: Annotated[str, Field(min_length=1, max_length=SMS_MAX, pattern=NO_NUL)] | None = None
    """Text of the SMS, with placeholders. Must include `{link}` if the standard wording does."""


class RecipientMessageTemplate(Answer):
    """Wording of a message with placeholders."""

    subject: Annotated[str, doc("Subject of the email.", "Your parcel from {sender} was delivered")]
    text: Annotated[str, doc("Text of the email.")]
    sms: Annotated[str, doc("Text of the SMS.")]


class RecipientMessagePreview(Answer):
    """Text of a message for a sample delivery."""

    message: Annotated[str, doc("Kind of message.", "missed")]
    subject: str
    text: Annotated[str, doc("Plain text part of the email.")]
    html: Annotated[str, doc("HTML part of the email.")]
    sms: Annotated[str, doc("SMS text.")]
    template: Annotated[RecipientMessageTemplate, doc("Wording with placeholders.")]
    customized: Annotated[list[str], doc("Texts that differ from the standard wording.", ["subject"])]
    placeholders: Annotated[list[str], doc("Placeholders allowed in the wording.", ["name", "sender", "link"])]


class RecipientMessagePreviews(Answer):
    """Texts of all messages."""

    result: bool = True
    language: str
    previews: list[RecipientMessagePreview]


class RecipientMessageTextAnswer(Answer):
    """Wording of a recipient message."""

    result: bool = True
    language: str
    preview: RecipientMessagePreview


class ListOrderMessages(Request):
    """Reference to an order."""

    order_id: RecordId
    """ID of the order."""


class SentRecipientMessage(Answer):
    """Message about an order."""

    id: int
    message: Annotated[str, doc("Kind of message.", "out_for_delivery")]
    transport: Annotated[Literal["email", "sms"], doc("Transport of the message.")]
    state: Annotated[
        Literal["queued", "sending", "sent", "dropped", "failed"],
        doc("State. `dropped` means that the message was outdated or over the limit."),
    ]
    fault: Annotated[
        str | None,
        doc(
            "Reason: over, no_address, too_many, sms_not_set_up, unavailable, interrupted, or the provider's code.",
            "over",
        ),
    ]
    due_at: datetime
    settled_at: Annotated[datetime | None, doc("Time at which the message was sent or dropped.")]


class OrderMessages(Answer):
    """Messages to the recipient of an order."""

    result: bool = True
    messages: Annotated[list[SentRecipientMessage], doc("Messages, oldest first.")]
