"""Chats, marks, reports and settings: requests and answers."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from haulier.contexts.chat.order_chat.contract.messages import ChatMessage, OrderChatRef, QuickReplyCode
from haulier.contexts.chat.order_chat.rules.parties import ChatRole
from haulier.contexts.chat.order_chat.rules.threads import GRACE_HOURS, GRACE_HOURS_MAX
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import ID_MAX, NO_NUL, EachOnce, Note, RecordId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

OWN_REPLIES_MAX = 30
REPLY_MAX = 200


class ReportReason(StrEnum):
    """Why a message is reported."""

    ABUSE = "abuse"
    SPAM = "spam"
    PRIVACY = "privacy"
    OTHER = "other"


class ReportStatus(StrEnum):
    """What became of a report."""

    OPEN = "open"
    DISMISSED = "dismissed"
    HIDDEN = "hidden"


class ListOrderChats(PageRequest):
    """Which chats."""

    unread: bool | None = None
    """Only chats with messages that the caller has not read, or only those without."""
    order_ids: Annotated[list[RecordId], Field(max_length=200)] = Field(default_factory=list[int])
    """Only the chats of these orders."""


class MarkChatRead(OrderChatRef):
    """How far the caller is. A mark never goes back."""

    delivered_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """The id of the last message that arrived."""
    read_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """The id of the last message that was read; it counts as arrived, too."""


class MuteOrderChat(OrderChatRef):
    """Until when the chat is silent."""

    until: Moment | None
    """Until then no push is sent to the caller; null ends the silence. Messages still arrive and count as unread."""


class ReportChatMessage(OrderChatRef):
    """A message that the office should look at."""

    message_id: RecordId
    """The message."""
    reason: ReportReason
    """Why."""
    note: Note | None = None
    """What else the office should know."""


class ListChatReports(PageRequest):
    """Which reports."""

    status: ReportStatus | None = None
    """Only with this status."""


class ResolveChatReport(Request):
    """What becomes of a report."""

    report_id: RecordId
    """The report."""
    hide: bool
    """Whether the message is taken out, with its photo; else the report is dismissed."""
    block: bool = False
    """Whether its sender can write no more in this chat."""


class BlockChatRole(OrderChatRef):
    """Who can write no more, or again."""

    role: ChatRole
    """The role, of those who do not work in the office."""
    blocked: bool
    """Whether they are stopped."""


class OwnReply(Request):
    """A quick reply of the business."""

    code: QuickReplyCode
    """Its name, unlike those of the platform's own."""
    texts: Annotated[
        dict[
            Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"],
            Annotated[
                str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REPLY_MAX, pattern=NO_NUL)
            ],
        ],
        Field(min_length=1, max_length=6, examples=[{"en": "The dock is behind the building."}]),
    ]
    """The sentence by language; a reader whose language is missing gets the business's."""
    roles: Annotated[list[ChatRole], EachOnce, Field(min_length=1, max_length=len(ChatRole))]
    """Who is offered it."""


class SetChatSettings(Request):
    """How the business chats. It replaces what was set."""

    grace_hours: int = Field(default=GRACE_HOURS, ge=0, le=GRACE_HOURS_MAX)
    """For so many hours after an order has ended people can still write."""
    quick_replies: Annotated[list[OwnReply], Field(max_length=OWN_REPLIES_MAX)] = Field(default_factory=list[OwnReply])
    """The business's own quick replies, in the order in which they are offered."""


class QuickReply(Answer):
    """A sentence that can be sent with one tap."""

    code: str
    text: Annotated[str, doc("In the caller's language", "I am on my way.")]


class ChatMember(Answer):
    """A role in a chat, and how far it is."""

    role: ChatRole
    delivered_up_to: Annotated[int, doc("The last message that arrived; 0 for none")]
    read_up_to: Annotated[int, doc("The last message that was read; 0 for none")]


class OrderChat(Answer):
    """The chat of an order, for its caller."""

    order_id: int
    can_write: bool
    open: Annotated[bool, doc("False once it has closed after the end of the order")]
    closes_at: Annotated[datetime | None, doc("When it closes; null while the order goes on")]
    blocked: Annotated[bool, doc("True when the office lets the caller write no more")]
    muted_until: datetime | None
    unread: Annotated[int, doc("Messages that the caller has not read")]
    message_count: int
    last_message_at: datetime | None
    last_message_id: int | None
    members: Annotated[list[ChatMember], doc("Who takes part so far")]
    quick_replies: Annotated[list[QuickReply], doc("What the caller is offered")]


class OrderChatAnswer(Answer):
    """One chat."""

    result: bool = True
    chat: OrderChat


class OrderChatSummary(Answer):
    """A chat in a list."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    unread: int
    message_count: int
    last_message_at: datetime | None
    last_message_id: int | None


class OrderChatList(PagedAnswer):
    """Chats, the one with the newest message first."""

    unread_total: Annotated[int, doc("Messages that the caller has not read in the chats of this page")]
    chats: list[OrderChatSummary]


class ChatReport(Answer):
    """A message that somebody reported."""

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
    """One report."""

    result: bool = True
    report: ChatReport


class ChatReportList(PagedAnswer):
    """Reports, newest first."""

    reports: list[ChatReport]


class OwnReplyRecord(Answer):
    """A quick reply of the business."""

    code: str
    texts: dict[str, str]
    roles: list[ChatRole]


class ChatSettings(Answer):
    """How the business chats."""

    result: bool = True
    grace_hours: int
    quick_replies: list[OwnReplyRecord]
    built_in: Annotated[list[QuickReply], doc("The platform's own quick replies")]
