"""How a program hears of a chat without asking: requests, answers, and what comes over the broker."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Struct

from haulier.contexts.chat.order_chat.rules.parties import ChatRole
from haulier.kernel.operations.answers import Answer, doc


class ChannelTicket(Answer):
    """A way in at the broker, for minutes. It opens the topic of one chat, to listen."""

    addresses: Annotated[list[str], doc("Where the broker is; it speaks MQTT 3.1.1", ["mqtts://chat.example:8883"])]
    client_id: Annotated[str, doc("What the program must call itself there; a second connection ends the first")]
    username: str
    password: Annotated[str, doc("Shown this once; never the caller's own token")]
    expires_at: Annotated[datetime, doc("The broker then ends the connection; ask for another before")]


class ChatChannel(Answer):
    """How to hear of what happens in a chat."""

    result: bool = True
    topic: Annotated[str, doc("The topic of this chat at the broker", "haulier/order-chat/1/62")]
    ticket: Annotated[ChannelTicket | None, doc("Null where the service runs without a broker: then ask again")]
    poll_s: Annotated[int, doc("After so many seconds to ask again without one, and once in a while with one")]


class PushedMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """A message, as everybody at the topic may read it. Who misses the one before (`previous_id`) reads the list again."""

    id: int
    previous_id: int | None
    order_id: int
    kind: str
    role: ChatRole
    name: str | None
    text: str | None
    quick_reply: str | None
    texts: dict[str, str] | None
    photo: int | None
    location: dict[str, Any] | None
    sent_at: datetime


class PushedMark(Struct, frozen=True):
    """How far a role is."""

    role: ChatRole
    delivered_up_to: int
    read_up_to: int


class PushedMarks(Struct, frozen=True, kw_only=True, tag_field="type", tag="marks"):
    """How far everybody is."""

    order_id: int
    members: list[PushedMark]
