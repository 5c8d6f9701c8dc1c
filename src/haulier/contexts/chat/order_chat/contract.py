"""Request and response models of order chats."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from msgspec import Struct
from pydantic import Field, SecretStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.chat.order_chat.rules import GRACE_HOURS, GRACE_HOURS_MAX, ChatRole
from haulier.contexts.chat.ports import PushKind
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, EachOnce, Latitude, Longitude, Note, OneLine, RecordId
from haulier.kernel.operations.ids import ChatMessageId, PushDeviceId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PagedAnswer, PageRequest


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
    delivered_up_to: ChatMessageId
    read_up_to: ChatMessageId


class PushedMarks(Struct, frozen=True, kw_only=True, tag_field="type", tag="marks"):
    """Read and delivery marks of all roles."""

    order_id: int
    members: list[PushedMark]


ADDRESS_MAX, NAME_MAX = 2000, 80
DEVICE_TOKEN = re.compile(r"([0-9A-Fa-f]{2}){8,200}")
"""Format of an Apple device token. Apple does not guarantee its length."""
WEB_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"


class PushDeviceRequest(Request):
    """Push address of a device."""

    kind: PushKind
    """Push service: `web` for browsers, `fcm` for apps with Firebase Cloud Messaging, `apns` for apps on Apple devices."""
    address: Annotated[
        SecretStr, Field(min_length=8, max_length=ADDRESS_MAX, examples=["https://push.example/send/kq3Nw0tyVHo"])
    ]
    """`endpoint` of a browser subscription, registration token of an app, or hexadecimal device token for `apns`."""
    p256dh: Annotated[str, Field(pattern=r"^B[A-Za-z0-9_-]{86}=?$", examples=[WEB_KEY])] | None = None
    """Public key of a browser subscription in base64url."""
    auth: Annotated[SecretStr, Field(min_length=22, max_length=24, examples=["BTBZMqHH6r4Tts7J_aSIgg"])] | None = None
    """Secret of a browser subscription in base64url."""
    name: (
        Annotated[
            str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine
        ]
        | None
    ) = None
    """Display name of the device."""

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        web = self.kind is PushKind.WEB
        url = self.address.get_secret_value().startswith(("https://", "http://"))
        if web and not (url and self.p256dh and self.auth):
            raise PydanticCustomError("push_web_incomplete", "a browser has a URL, p256dh and auth")
        if self.kind is PushKind.APNS and not DEVICE_TOKEN.fullmatch(self.address.get_secret_value()):
            raise PydanticCustomError("push_token_format", "a device token of Apple's is hexadecimal")
        return self


class RegisterPushDevice(PushDeviceRequest):
    """Device of the caller."""


class ListPushDevices(Request):
    """List of the caller's devices."""


class RemovePushDevice(Request):
    """Device of the caller to remove."""

    device_id: PushDeviceId
    """ID of the device."""


class RegisterDeliveryPushDevice(PushDeviceRequest, DeliveryAccess):
    """Device of the recipient for this delivery only."""


class ListDeliveryPushDevices(DeliveryAccess):
    """List of the recipient's devices."""


class RemoveDeliveryPushDevice(DeliveryAccess):
    """Device of the recipient to remove."""

    device_id: PushDeviceId
    """ID of the device."""


class PushDevice(Answer):
    """Push device. Its address is not shown."""

    id: int
    kind: PushKind
    name: str | None
    language: Annotated[str, doc("Language of notifications, taken from the call that registered the device.", "en")]
    created_at: datetime
    seen_at: Annotated[datetime, doc("Time of the last registration.")]


class PushDeviceAnswer(Answer):
    """Single device."""

    result: bool = True
    device: PushDevice


class PushDeviceList(Answer):
    """Devices, latest registration first."""

    result: bool = True
    kinds: Annotated[list[PushKind], doc("Available push services. Empty if there are none.", ["web"])]
    web_push_key: Annotated[str | None, doc("Value of the browser's `applicationServerKey`.", WEB_KEY)]
    devices: list[PushDevice]


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


OWN_REPLIES_MAX = 30
REPLY_MAX = 200


class ReportReason(StrEnum):
    """Reason for reporting a message."""

    ABUSE = "abuse"
    SPAM = "spam"
    PRIVACY = "privacy"
    OTHER = "other"


class ReportStatus(StrEnum):
    """Status of a report."""

    OPEN = "open"
    DISMISSED = "dismissed"
    HIDDEN = "hidden"


class ListOrderChats(PageRequest):
    """Filters of chats."""

    unread: bool | None = None
    """If true, only chats with unread messages; if false, only those without."""
    order_ids: Annotated[list[RecordId], Field(max_length=200)] = Field(default_factory=list[int])
    """Filter by orders."""


class MarkChatRead(OrderChatRef):
    """Read and delivery marks of the caller. A mark never goes back."""

    delivered_up_to: ChatMessageId | None = None
    """ID of the last delivered message."""
    read_up_to: ChatMessageId | None = None
    """ID of the last read message. It also counts as delivered."""


class MuteOrderChat(OrderChatRef):
    """Mute period of a chat."""

    until: Moment | None
    """End of the mute period; null unmutes the chat. Messages still arrive and count as unread."""


class ReportChatMessage(OrderChatRef):
    """Message to report to staff."""

    message_id: ChatMessageId
    """ID of the message."""
    reason: ReportReason
    """Reason for the report."""
    note: Note | None = None
    """Additional information for staff."""


class ListChatReports(PageRequest):
    """Filters of reports."""

    status: ReportStatus | None = None
    """Filter by status."""


class ResolveChatReport(Request):
    """Resolution of a report."""

    report_id: RecordId
    """ID of the report."""
    hide: bool
    """If true, hide the message and its photo; if false, dismiss the report."""
    block: bool = False
    """If true, block the sender in this chat."""


class BlockChatRole(OrderChatRef):
    """Role to block or unblock."""

    role: ChatRole
    """Role to block or unblock. Dispatchers cannot be blocked."""
    blocked: bool
    """If true, block the role; if false, unblock it."""


class OwnReply(Request):
    """Quick reply of the business."""

    code: QuickReplyCode
    """Unique code of the quick reply. It must differ from the platform's codes."""
    texts: Annotated[
        dict[
            Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"],
            Annotated[
                str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REPLY_MAX, pattern=NO_NUL)
            ],
        ],
        Field(min_length=1, max_length=6, examples=[{"en": "The dock is behind the building."}]),
    ]
    """Text by language. Readers without a matching language get the business's language."""
    roles: Annotated[list[ChatRole], EachOnce, Field(min_length=1, max_length=len(ChatRole))]
    """Roles that can use the quick reply."""


class SetChatSettings(Request):
    """Chat settings. They replace the existing settings."""

    grace_hours: int = Field(default=GRACE_HOURS, ge=0, le=GRACE_HOURS_MAX)
    """Number of hours after the end of an order in which messages can still be sent."""
    quick_replies: Annotated[list[OwnReply], Field(max_length=OWN_REPLIES_MAX)] = Field(default_factory=list[OwnReply])
    """Quick replies of the business, in display order."""


class QuickReply(Answer):
    """Quick reply that can be sent with one tap."""

    code: str
    text: Annotated[str, doc("Text in the caller's language.", "I am on my way.")]


class ChatMember(Answer):
    """Role in a chat with its read and delivery marks."""

    role: ChatRole
    delivered_up_to: Annotated[ChatMessageId, doc("ID of the last delivered message; 0 for none.")]
    read_up_to: Annotated[ChatMessageId, doc("ID of the last read message; 0 for none.")]


class OrderChat(Answer):
    """Chat of an order as its caller sees it."""

    order_id: int
    can_write: bool
    open: Annotated[bool, doc("False after the chat has closed.")]
    closes_at: Annotated[datetime | None, doc("Closing time. Null while the order is active.")]
    blocked: Annotated[bool, doc("If true, staff blocked the caller from writing.")]
    muted_until: datetime | None
    unread: Annotated[int, doc("Number of messages that the caller has not read.")]
    message_count: int
    last_message_at: datetime | None
    last_message_id: int | None
    members: Annotated[list[ChatMember], doc("Current participants.")]
    quick_replies: Annotated[list[QuickReply], doc("Quick replies available to the caller.")]


class OrderChatAnswer(Answer):
    """Single chat."""

    result: bool = True
    chat: OrderChat


class OrderChatSummary(Answer):
    """Chat in a list."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    unread: int
    message_count: int
    last_message_at: datetime | None
    last_message_id: int | None


class OrderChatList(PagedAnswer):
    """Chats, newest message first."""

    unread_total: Annotated[int, doc("Number of unread messages in the chats of this page.")]
    chats: list[OrderChatSummary]


class ChatReport(Answer):
    """Reported message."""

    id: int
    order_id: int
    message: ChatMessage
    reason: ReportReason
    note: str | None
    reporter: ChatRole
    status: ReportStatus
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: int | None


class ChatReportAnswer(Answer):
    """Single report."""

    result: bool = True
    report: ChatReport


class ChatReportList(PagedAnswer):
    """Reports, newest first."""

    reports: list[ChatReport]


class OwnReplyRecord(Answer):
    """Quick reply of the business."""

    code: str
    texts: dict[str, str]
    roles: list[ChatRole]


class ChatSettings(Answer):
    """Chat settings of the business."""

    result: bool = True
    grace_hours: int
    quick_replies: list[OwnReplyRecord]
    built_in: Annotated[list[QuickReply], doc("Quick replies of the platform.")]


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

    delivered_up_to: ChatMessageId | None = None
    """ID of the last delivered message."""
    read_up_to: ChatMessageId | None = None
    """ID of the last read message. It also counts as delivered."""


class ReportDeliveryChatMessage(DeliveryAccess):
    """Message to report to staff."""

    message_id: ChatMessageId
    """ID of the message."""
    reason: ReportReason
    """Reason for the report."""
    note: Note | None = None
    """Additional information for staff."""


class OpenDeliveryChatPhoto(DeliveryAccess):
    """Photo of the delivery's chat."""

    message_id: ChatMessageId
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
