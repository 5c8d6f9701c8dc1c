"""Request and response models for chats, marks, reports and settings."""

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

    delivered_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """ID of the last delivered message."""
    read_up_to: Annotated[int, Field(ge=1, le=ID_MAX)] | None = None
    """ID of the last read message. It also counts as delivered."""


class MuteOrderChat(OrderChatRef):
    """Mute period of a chat."""

    until: Moment | None
    """End of the mute period; null unmutes the chat. Messages still arrive and count as unread."""


class ReportChatMessage(OrderChatRef):
    """Message to report to staff."""

    message_id: RecordId
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
    delivered_up_to: Annotated[int, doc("ID of the last delivered message; 0 for none.")]
    read_up_to: Annotated[int, doc("ID of the last read message; 0 for none.")]


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
