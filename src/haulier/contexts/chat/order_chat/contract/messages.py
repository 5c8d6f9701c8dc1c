"""Messages of a chat: requests and answers."""

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
    """What a message is."""

    TEXT = "text"
    PHOTO = "photo"
    LOCATION = "location"
    QUICK_REPLY = "quick_reply"


class ChatPoint(Request):
    """Where the sender is, or means."""

    lat: Latitude
    """Degrees north, WGS 84."""
    lng: Longitude
    """Degrees east, WGS 84."""
    accuracy_m: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """How far off it may be, in metres."""


class MessageContent(Request):
    """One of text, quick reply and location."""

    text: MessageText | None = Field(default=None, examples=["I am at the back door."])
    """What is said."""
    quick_reply: QuickReplyCode | None = None
    """The code of a quick reply; everybody reads it in their own language."""
    location: ChatPoint | None = None
    """A place."""
    client_ref: ClientRef | None = None
    """Reference that the sender gives to the message. Sent again with the same content it returns the first message; other
    content is refused."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if sum(value is not None for value in (self.text, self.quick_reply, self.location)) != 1:
            raise PydanticCustomError("chat_one_content", "give exactly one of text, quick_reply and location")
        return self


class OrderChatRef(Request):
    """Which order's chat."""

    order_id: RecordId
    """The order."""


class ListChatMessages(OrderChatRef):
    """Which messages."""

    order: Literal["newest", "oldest"] = "newest"
    """`newest` goes back in time page by page; `oldest` goes forward, and can be continued for ever."""
    limit: int = Field(default=50, ge=1, le=200)
    """At most so many."""
    cursor: Annotated[str | None, Field(max_length=MAX_CURSOR_LENGTH)] = None
    """`next_cursor` of the answer before, or its `live_cursor` with the order `oldest`."""


class SendChatMessage(MessageContent):
    """A message."""

    order_id: RecordId
    """The order."""


class SendChatPhoto(FileUpload):
    """A photo."""

    media_type: Literal["image/png", "image/jpeg", "image/webp"]  # type: ignore[assignment]
    """The media type. The picture must begin as this type does, be whole and have at most 50 million pixels."""
    order_id: RecordId
    """The order."""
    client_ref: ClientRef | None = None
    """Reference that the sender gives to the message. Sent again with the same content it returns the first message; other
    content is refused."""


class ChatSender(Answer):
    """Who wrote a message. Telephone numbers and addresses are never shown."""

    role: ChatRole
    name: Annotated[str | None, doc("Colleagues see the whole name; outside, a driver's first name alone", "Dana")]
    mine: Annotated[bool, doc("True for the caller's own")]


class ChatLocation(Answer):
    """A place."""

    lat: float
    lng: float
    accuracy_m: int | None


class ChatMessage(Answer):
    """A message. Of `text`, `photo` and `location` it has what its kind says."""

    id: int
    order_id: int
    kind: MessageKind
    sender: ChatSender
    text: Annotated[str | None, doc("What is said; a quick reply in the reader's language")]
    quick_reply: Annotated[str | None, doc("The code of a quick reply", "on_my_way")]
    photo: Annotated[int | None, doc("The id of the picture's file")]
    location: ChatLocation | None
    hidden: Annotated[bool, doc("True when the office took it out; then it says nothing")]
    sent_at: datetime
    client_ref: Annotated[str | None, doc("The sender's own name for it, shown to the sender alone")]
    delivered_to: Annotated[list[ChatRole], doc("The other roles that have received it")]
    read_by: Annotated[list[ChatRole], doc("The other roles that have read it")]


class ChatMessageList(Answer):
    """Messages of one chat."""

    result: bool = True
    messages: list[ChatMessage]
    next_cursor: Annotated[str | None, doc("Continues in the order that was asked for; null where nothing follows")]
    live_cursor: Annotated[str, doc("With the order `oldest`: whatever is written from now on")]
    more: Annotated[bool, doc("True when further messages are there already")]


class ChatMessageAnswer(Answer):
    """One message."""

    result: bool = True
    message: ChatMessage
    duplicate: Annotated[bool, doc("True when it was sent before under the same `client_ref`")]
