"""The chat of a delivery, for its recipient, who has no account."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.chat.order_chat.contract.messages import ChatMessageList, ClientRef, MessageContent
from haulier.contexts.chat.order_chat.contract.threads import OrderChat, ReportReason
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.fields import ID_MAX, Note, RecordId
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH


class GetDeliveryChat(DeliveryAccess):
    """Which messages of the delivery's chat."""

    order: Literal["newest", "oldest"] = "newest"
    """`newest` goes back in time page by page; `oldest` goes forward, and can be continued for ever."""
    limit: int = Field(default=50, ge=1, le=200)
    """At most so many."""
    cursor: Annotated[str | None, Field(max_length=MAX_CURSOR_LENGTH)] = None
    """`next_cursor` of the answer before, or its `live_cursor` with the order `oldest`."""


class SendDeliveryChatMessage(MessageContent, DeliveryAccess):
    """A message of the recipient."""


class SendDeliveryChatPhoto(FileUpload, DeliveryAccess):
    """A photo of the recipient."""

    media_type: Literal["image/png", "image/jpeg", "image/webp"]  # type: ignore[assignment]
    """The media type. The picture must begin as this type does, be whole and have at most 50 million pixels."""
    client_ref: ClientRef | None = None
    """Reference that the sender gives to the message. Sent again with the same content it returns the first message; other
    content is refused."""


class MarkDeliveryChatRead(DeliveryAccess):
    """How far the recipient is. A mark never goes back."""

    delivered_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """The id of the last message that arrived."""
    read_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """The id of the last message that was read; it counts as arrived, too."""


class ReportDeliveryChatMessage(DeliveryAccess):
    """A message that the office should look at."""

    message_id: RecordId
    """The message."""
    reason: ReportReason
    """Why."""
    note: Note | None = None
    """What else the office should know."""


class OpenDeliveryChatPhoto(DeliveryAccess):
    """A photo of the delivery's chat."""

    message_id: RecordId
    """The message that it came with."""


class DeliveryChat(Answer):
    """The chat of a delivery."""

    result: bool = True
    chat: OrderChat
    page: ChatMessageList


class DeliveryChatMark(Answer):
    """The chat after a mark."""

    result: bool = True
    chat: OrderChat
