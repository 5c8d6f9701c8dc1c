"""Tables of chats.

A chat is found by its order; its messages are numbered in order.
"""

from sqlalchemy import Column, Float, Index, Integer, LargeBinary, String, Text, UniqueConstraint

from haulier.contexts.chat.order_chat.contract.devices import NAME_MAX
from haulier.contexts.chat.order_chat.contract.messages import CODE_MAX, REF_MAX
from haulier.contexts.documents.public import declare_personal_files
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.fields import NOTE_MAX

PHOTO_SUBJECT = "order_chat"
"""Subject of photos: `order_chat:<chat>`."""

threads = tenant_table(
    "chat_thread",
    Column("order_id", Id, nullable=False),
    Column("message_count", Integer, nullable=False),
    Column("last_message_id", Id, info=VOLATILE),
    Column("last_message_at", UTCDateTime),
    Column("pushed_up_to", Id, nullable=False, info=VOLATILE),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "order_id"),
    Index("ix_chat_thread_newest", "client_id", "last_message_at", "id"),
)

messages = tenant_table(
    "chat_message",
    Column("thread_id", Id, nullable=False),
    Column("order_id", Id, nullable=False),
    Column("sender_role", String(12), nullable=False),
    Column("sender_user_id", Id, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("text", Text),
    Column("quick_reply", String(CODE_MAX)),
    Column("texts", Json),
    Column("file_id", Id),
    Column("lat", Float),
    Column("lng", Float),
    Column("accuracy_m", Integer),
    Column("client_ref", String(REF_MAX)),
    Column("hidden_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_chat_message_thread", "client_id", "thread_id", "id"),
    Index("ix_chat_message_sender", "client_id", "sender_user_id"),
)
"""`sender_user_id` is 0 for a recipient, who has no account."""
partial_unique_index(
    "uq_chat_message_ref",
    "client_ref IS NOT NULL",
    messages.c.thread_id,
    messages.c.sender_role,
    messages.c.sender_user_id,
    messages.c.client_ref,
)

participants = tenant_table(
    "chat_participant",
    Column("thread_id", Id, nullable=False),
    Column("order_id", Id, nullable=False),
    Column("role", String(12), nullable=False),
    Column("user_id", Id, nullable=False),
    Column("delivered_up_to", Id, nullable=False, info=VOLATILE),
    Column("read_up_to", Id, nullable=False, info=VOLATILE),
    Column("muted_until", UTCDateTime),
    Column("blocked_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "thread_id", "role", "user_id"),
    Index("ix_chat_participant_user", "client_id", "user_id", "thread_id"),
)
"""Participant's position in a chat: read marks, mute period and block."""

reports = tenant_table(
    "chat_report",
    Column("thread_id", Id, nullable=False),
    Column("order_id", Id, nullable=False),
    Column("message_id", Id, nullable=False),
    Column("reporter_role", String(12), nullable=False),
    Column("reporter_user_id", Id, nullable=False),
    Column("reason", String(12), nullable=False),
    Column("note", String(NOTE_MAX)),
    Column("status", String(12), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("resolved_at", UTCDateTime),
    Column("resolved_by", Id),
    UniqueConstraint("client_id", "message_id", "reporter_role", "reporter_user_id"),
    Index("ix_chat_report_status", "client_id", "status", "id"),
    Index("ix_chat_report_thread", "client_id", "thread_id"),
)

settings = tenant_table(
    "chat_settings",
    Column("grace_hours", Integer, nullable=False),
    Column("quick_replies", Json, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)

devices = tenant_table(
    "chat_push_device",
    Column("user_id", Id, nullable=False),
    Column("set_up_with", Id),
    Column("order_id", Id, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("address", Text, nullable=False),
    Column("address_sha256", LargeBinary(32), nullable=False),
    Column("p256dh", String(88)),
    Column("auth", String(24)),
    Column("name", String(NAME_MAX)),
    Column("language", String(10), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("seen_at", UTCDateTime, nullable=False, index=True),
    UniqueConstraint("client_id", "address_sha256", "order_id"),
    Index("ix_chat_push_device_owner", "client_id", "user_id", "order_id"),
)
"""`user_id` is 0 for a recipient, whose device is for one order; otherwise `order_id` is 0. `set_up_with` is the API
token that registered it, if any."""

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
