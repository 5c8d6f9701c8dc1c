"""Models for recipients, who chat about a delivery without an account."""

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
    """Messages of the delivery's chat to list."""

    order: Literal["newest", "oldest"] = "newest"
    """Order of messages. `newest` pages back in time; `oldest` pages forward and can be continued indefinitely."""
    limit: int = Field(default=50, ge=1, le=200)
    """Maximum number of messages."""
    cursor: Annotated[str | None, Field(max_length=MAX_CURSOR_LENGTH)] = None
    """`next_cursor` of the previous answer, or its `live_cursor` with the order `oldest`."""


class SendDeliveryChatMessage(MessageContent, DeliveryAccess):
    """Message of the recipient."""


class SendDeliveryChatPhoto(FileUpload, DeliveryAccess):
    """Photo of the recipient."""

    media_type: Literal["image/png", "image/jpeg", "image/webp"]  # type: ignore[assignment]
    """Media type. The image must match it, be complete and have at most 50 million pixels."""
    client_ref: ClientRef | None = None
    """Sender's reference. A repeat with the same content returns the first message; different content is refused."""


class MarkDeliveryChatRead(DeliveryAccess):
    """Read and delivery marks of the recipient. A mark never goes back."""

    delivered_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """ID of the last delivered message."""
    read_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """ID of the last read message. It also counts as delivered."""


class ReportDeliveryChatMessage(DeliveryAccess):
    """Message to report to staff."""

    message_id: RecordId
    """ID of the message."""
    reason: ReportReason
    """Reason for the report."""
    note: Note | None = None
    """Additional information for staff."""


class OpenDeliveryChatPhoto(DeliveryAccess):
    """Photo of the delivery's chat."""

    message_id: RecordId
    """ID of the photo's message."""


class DeliveryChat(Answer):
    """Chat of a delivery."""

    result: bool = True
    chat: OrderChat
    page: ChatMessageList


class DeliveryChatMark(Answer):
    """Chat after updating a mark."""

    result: bool = True
    chat: OrderChat
