"""Tables of chats.

A chat is found by its order; its messages are numbered in order.
"""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, Index, LargeBinary, String, Text, UniqueConstraint

from haulier.contexts.chat.order_chat.contract.devices import NAME_MAX
from haulier.contexts.chat.order_chat.contract.messages import CODE_MAX, REF_MAX
from haulier.contexts.documents.public import declare_personal_files
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, partial_unique_index
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.fields import NOTE_MAX

PHOTO_SUBJECT = "order_chat"
"""Subject of photos: `order_chat:<chat>`."""


class ChatThreadRow(
    Record,
    table="chat_thread",
    items=[
        UniqueConstraint("client_id", "order_id"),
        Index("ix_chat_thread_newest", "client_id", "last_message_at", "id"),
    ],
):
    """Chat."""

    order_id: Reference
    message_count: int
    last_message_id: Annotated[int | None, Column("last_message_id", Id, info=VOLATILE)]
    last_message_at: datetime | None
    pushed_up_to: Annotated[int, Column("pushed_up_to", Id, nullable=False, info=VOLATILE)]
    created_at: datetime


threads = ChatThreadRow.table


class ChatMessageRow(
    Record,
    table="chat_message",
    items=[
        Index("ix_chat_message_thread", "client_id", "thread_id", "id"),
        Index("ix_chat_message_sender", "client_id", "sender_user_id"),
    ],
):
    """Chat message.

    `sender_user_id` is 0 for a recipient, who has no account.
    """

    thread_id: Reference
    order_id: Reference
    sender_role: Annotated[str, String(12)]
    sender_user_id: Reference
    kind: Annotated[str, String(12)]
    text: Annotated[str, Text] | None
    quick_reply: Annotated[str, String(CODE_MAX)] | None
    texts: dict[str, str] | None
    file_id: Reference | None
    lat: float | None
    lng: float | None
    accuracy_m: int | None
    client_ref: Annotated[str, String(REF_MAX)] | None
    hidden_at: datetime | None
    created_at: datetime


messages = ChatMessageRow.table
partial_unique_index(
    "uq_chat_message_ref",
    "client_ref IS NOT NULL",
    messages.c.thread_id,
    messages.c.sender_role,
    messages.c.sender_user_id,
    messages.c.client_ref,
)


class ChatParticipantRow(
    Record,
    table="chat_participant",
    items=[
        UniqueConstraint("client_id", "thread_id", "role", "user_id"),
        Index("ix_chat_participant_user", "client_id", "user_id", "thread_id"),
    ],
):
    """Position of a participant in a chat.

    Participant's position in a chat: read marks, mute period and block.
    """

    thread_id: Reference
    order_id: Reference
    role: Annotated[str, String(12)]
    user_id: Reference
    delivered_up_to: Annotated[int, Column("delivered_up_to", Id, nullable=False, info=VOLATILE)]
    read_up_to: Annotated[int, Column("read_up_to", Id, nullable=False, info=VOLATILE)]
    muted_until: datetime | None
    blocked_at: datetime | None
    created_at: datetime


participants = ChatParticipantRow.table


class ChatReportRow(
    Record,
    table="chat_report",
    items=[
        UniqueConstraint("client_id", "message_id", "reporter_role", "reporter_user_id"),
        Index("ix_chat_report_status", "client_id", "status", "id"),
        Index("ix_chat_report_thread", "client_id", "thread_id"),
    ],
):
    """Reported message."""

    thread_id: Reference
    order_id: Reference
    message_id: Reference
    reporter_role: Annotated[str, String(12)]
    reporter_user_id: Reference
    reason: Annotated[str, String(12)]
    note: Annotated[str, String(NOTE_MAX)] | None
    status: Annotated[str, String(12)]
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: Reference | None


reports = ChatReportRow.table


class ChatSettingsRow(Record, table="chat_settings", items=[UniqueConstraint("client_id")]):
    """Chat settings of a business."""

    grace_hours: int
    quick_replies: list[dict[str, Any]]
    updated_at: datetime


settings = ChatSettingsRow.table


class PushDeviceRow(
    Record,
    table="chat_push_device",
    items=[
        UniqueConstraint("client_id", "address_sha256", "order_id"),
        Index("ix_chat_push_device_owner", "client_id", "user_id", "order_id"),
    ],
):
    """Push device.

    `user_id` is 0 for a recipient, whose device is for one order; otherwise `order_id` is 0.

    `user_id` is 0 for a recipient, whose device is for one order; otherwise `order_id` is 0. `set_up_with` is the API
    token that registered it, if any.
    """

    user_id: Reference
    set_up_with: Reference | None
    order_id: Reference
    kind: Annotated[str, String(8)]
    address: Annotated[str, Text]
    address_sha256: Annotated[bytes, LargeBinary(32)]
    p256dh: Annotated[str, String(88)] | None
    auth: Annotated[str, String(24)] | None
    name: Annotated[str, String(NAME_MAX)] | None
    language: Annotated[str, String(10)]
    created_at: datetime
    seen_at: Annotated[datetime, Column("seen_at", UTCDateTime, nullable=False, index=True)]


devices = PushDeviceRow.table

for _table in (threads, messages, participants, reports, settings, devices):
    _table.info["feature"] = Feature.ORDER_CHAT.value

_ERASED_MESSAGE = {
    "text": lambda row, keys: None if row.text is None else ERASED,
    "lat": None,
    "lng": None,
    "accuracy_m": None,
    "file_id": None,
}
personal_data(
    threads,
    RecordKind.ORDER_CHATS,
    by={"id": PersonKey.ORDER_CHAT, "order_id": PersonKey.ORDER},
    gives={"id": PersonKey.ORDER_CHAT},
    erased={},
)
retained(RecordKind.ORDER_CHATS, threads.c.last_message_at, default_days=365, minimum_days=7, root=PersonKey.ORDER_CHAT)
personal_data(
    messages,
    RecordKind.ORDER_CHATS,
    by={"thread_id": PersonKey.ORDER_CHAT, "sender_user_id": PersonKey.USER},
    erased=_ERASED_MESSAGE,
    plain=("sender_role", "kind", "quick_reply", "texts", "client_ref"),
)
personal_data(
    reports,
    RecordKind.ORDER_CHATS,
    by={"thread_id": PersonKey.ORDER_CHAT, "reporter_user_id": PersonKey.USER},
    erased={"note": None},
    plain=("reporter_role", "reason", "status"),
)
personal_data(
    devices,
    RecordKind.ORDER_CHATS,
    by={"user_id": PersonKey.USER, "order_id": PersonKey.ORDER},
    secret=frozenset({"address", "p256dh", "auth"}),
)
retained(RecordKind.ORDER_CHATS, devices.c.seen_at, default_days=365, minimum_days=7)
plain_columns(participants, "role")
plain_columns(settings, "quick_replies")
declare_personal_files(PHOTO_SUBJECT, PersonKey.ORDER_CHAT, RecordKind.ORDER_CHATS)
