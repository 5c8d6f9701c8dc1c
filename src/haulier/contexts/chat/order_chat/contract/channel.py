"""Models for following a chat through the broker."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Struct

from haulier.contexts.chat.order_chat.rules.parties import ChatRole
from haulier.kernel.operations.answers import Answer, doc


class ChannelTicket(Answer):
    """Short-lived broker access to listen to one chat."""

    addresses: Annotated[list[str], doc("Addresses of the broker (MQTT 3.1.1).", ["mqtts://chat.example:8883"])]
    client_id: Annotated[str, doc("Client ID to use at the broker. A second connection ends the first.")]
    username: str
    password: Annotated[str, doc("Password for the broker, shown once. It is never the caller's own token.")]
    expires_at: Annotated[datetime, doc("Time at which the broker ends the connection. Request another ticket before.")]


class ChatChannel(Answer):
    """Ways to follow the changes of a chat."""

    result: bool = True
    topic: Annotated[str, doc("Topic of this chat at the broker.", "haulier/order-chat/1/62")]
    ticket: Annotated[ChannelTicket | None, doc("Broker ticket. Null without a broker; poll instead.")]
    poll_s: Annotated[int, doc("Polling interval in seconds. Poll occasionally with a ticket, too.")]


class PushedMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """Message pushed to a topic.

    A listener that misses the preceding message (`previous_id`) reads the list again.
    """

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
    """Read and delivery marks of a role."""

    role: ChatRole
    delivered_up_to: int
    read_up_to: int


class PushedMarks(Struct, frozen=True, kw_only=True, tag_field="type", tag="marks"):
    """Read and delivery marks of all roles."""

    order_id: int
    members: list[PushedMark]
