"""Request and response models for chat messages."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.chat.order_chat.rules.parties import ChatRole
from haulier.contexts.documents.files.contract import FileUpload
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, RecordId
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH

TEXT_MAX = 2000
REF_MAX = 64
CODE_MAX = 40

MessageText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TEXT_MAX, pattern=NO_NUL)
]
ClientRef = Annotated[
    str, Field(min_length=1, max_length=REF_MAX, pattern="^[A-Za-z0-9._-]+$", examples=["3f2a6c1e-77"]), ClientKey()
]
QuickReplyCode = Annotated[
    str, Field(min_length=1, max_length=CODE_MAX, pattern="^[a-z0-9_]+$", examples=["on_my_way"])
]


class MessageKind(StrEnum):
    """Kind of message."""

    TEXT = "text"
    PHOTO = "photo"
    LOCATION = "location"
    QUICK_REPLY = "quick_reply"


class ChatPoint(Request):
    """Location sent in a chat."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    accuracy_m: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Accuracy radius in metres."""


class MessageContent(Request):
    """Message content: exactly one of text, quick reply and location."""

    text: MessageText | None = Field(default=None, examples=["I am at the back door."])
    """Text of the message."""
    quick_reply: QuickReplyCode | None = None
    """Code of a quick reply, shown to each reader in their own language."""
    location: ChatPoint | None = None
    """Location to send."""
    client_ref: ClientRef | None = None
    """Sender's reference. A repeat with the same content returns the first message; different content is refused."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if sum(value is not None for value in (self.text, self.quick_reply, self.location)) != 1:
            raise PydanticCustomError("chat_one_content", "give exactly one of text, quick_reply and location")
        return self


class OrderChatRef(Request):
    """Reference to an order's chat."""

    order_id: RecordId
    """ID of the order."""


class ListChatMessages(OrderChatRef):
    """Page of messages to list."""

    order: Literal["newest", "oldest"] = "newest"
    """Order of messages. `newest` pages back in time; `oldest` pages forward and can be continued indefinitely."""
    limit: int = Field(default=50, ge=1, le=200)
    """Maximum number of messages."""
    cursor: Annotated[str | None, Field(max_length=MAX_CURSOR_LENGTH)] = None
    """`next_cursor` of the previous answer, or its `live_cursor` with the order `oldest`."""


class SendChatMessage(MessageContent):
    """Message to send."""

    order_id: RecordId
    """ID of the order."""


class SendChatPhoto(FileUpload):
    """Photo to send."""

    media_type: Literal["image/png", "image/jpeg", "image/webp"]  # type: ignore[assignment]
    """Media type. The image must match it, be complete and have at most 50 million pixels."""
    order_id: RecordId
    """ID of the order."""
    client_ref: ClientRef | None = None
    """Sender's reference. A repeat with the same content returns the first message; different content is refused."""


class ChatSender(Answer):
    """Sender of a message. Phone numbers and addresses are never shown."""

    role: ChatRole
    name: Annotated[
        str | None, doc("Name. Colleagues see the full name; others see a driver's first name only.", "Dana")
    ]
    mine: Annotated[bool, doc("If true, the caller sent the message.")]


class ChatLocation(Answer):
    """Location."""

    lat: float
    lng: float
    accuracy_m: int | None


class ChatMessage(Answer):
    """Chat message. `kind` determines which of `text`, `photo` and `location` are set."""

    id: int
    order_id: int
    kind: MessageKind
    sender: ChatSender
    text: Annotated[str | None, doc("Text; for a quick reply, in the reader's language.")]
    quick_reply: Annotated[str | None, doc("Code of the quick reply.", "on_my_way")]
    photo: Annotated[int | None, doc("ID of the photo's file.")]
    location: ChatLocation | None
    hidden: Annotated[bool, doc("If true, staff hid the message and it has no content.")]
    sent_at: datetime
    client_ref: Annotated[str | None, doc("Sender's own reference, shown to the sender only.")]
    delivered_to: Annotated[list[ChatRole], doc("Other roles that have received the message.")]
    read_by: Annotated[list[ChatRole], doc("Other roles that have read the message.")]


class ChatMessageList(Answer):
    """Messages of one chat."""

    result: bool = True
    messages: list[ChatMessage]
    next_cursor: Annotated[str | None, doc("Cursor of the next page in the requested order. Null at the end.")]
    live_cursor: Annotated[str, doc("Cursor for future messages, with the order `oldest`.")]
    more: Annotated[bool, doc("If true, further messages already exist.")]


class ChatMessageAnswer(Answer):
    """Single message."""

    result: bool = True
    message: ChatMessage
    duplicate: Annotated[bool, doc("If true, the message was sent before under the same `client_ref`.")]
