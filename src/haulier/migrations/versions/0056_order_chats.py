"""Order chats: threads, messages, participants, reports and settings; and tickets for the broker."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0056"
down_revision: str | Sequence[str] | None = "0055"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "channel_ticket",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("password_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("about", sa.String(length=20), nullable=False),
        sa.Column("about_id", tables.Id, nullable=False),
        sa.Column("holder", sa.String(length=40), nullable=False),
        sa.Column("subscribe", tables.Json(), nullable=False),
        sa.Column("publish", tables.Json(), nullable=False),
        sa.Column("connection", sa.String(length=200), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("expires_at", tables.UTCDateTime(), nullable=False),
        sa.Column("revoked_at", tables.UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_channel_ticket")),
        sa.UniqueConstraint("username", name=op.f("uq_channel_ticket_username")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("channel_ticket", schema=None) as batch_op:
        batch_op.create_index("ix_channel_ticket_about", ["client_id", "about", "about_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_channel_ticket_expires_at"), ["expires_at"], unique=False)

    op.create_table(
        "chat_message",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("thread_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("sender_role", sa.String(length=12), nullable=False),
        sa.Column("sender_user_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("quick_reply", sa.String(length=40), nullable=True),
        sa.Column("texts", tables.Json(), nullable=True),
        sa.Column("file_id", tables.Id, nullable=True),
        sa.Column("lat", sa.Float(), nullable=True),
        sa.Column("lng", sa.Float(), nullable=True),
        sa.Column("accuracy_m", sa.Integer(), nullable=True),
        sa.Column("client_ref", sa.String(length=64), nullable=True),
        sa.Column("hidden_at", tables.UTCDateTime(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_chat_message")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.create_index("ix_chat_message_sender", ["client_id", "sender_user_id"], unique=False)
        batch_op.create_index("ix_chat_message_thread", ["client_id", "thread_id", "id"], unique=False)
        batch_op.create_index(
            "uq_chat_message_ref",
            ["client_id", "thread_id", "sender_role", "sender_user_id", "client_ref"],
            unique=True,
            sqlite_where=sa.text("client_ref IS NOT NULL"),
            postgresql_where=sa.text("client_ref IS NOT NULL"),
        )

    op.create_table(
        "chat_report",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("thread_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("message_id", tables.Id, nullable=False),
        sa.Column("reporter_role", sa.String(length=12), nullable=False),
        sa.Column("reporter_user_id", tables.Id, nullable=False),
        sa.Column("reason", sa.String(length=12), nullable=False),
        sa.Column("note", sa.String(length=500), nullable=True),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("resolved_at", tables.UTCDateTime(), nullable=True),
        sa.Column("resolved_by", tables.Id, nullable=True),
        sa.UniqueConstraint(
            "client_id",
            "message_id",
            "reporter_role",
            "reporter_user_id",
            name=op.f("uq_chat_report_client_id_message_id_reporter_role_reporter_user_id"),
        ),
        tables.TenantKey("id", name=op.f("pk_chat_report")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("chat_report", schema=None) as batch_op:
        batch_op.create_index("ix_chat_report_status", ["client_id", "status", "id"], unique=False)
        batch_op.create_index("ix_chat_report_thread", ["client_id", "thread_id"], unique=False)

    op.create_table(
        "chat_participant",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("thread_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("delivered_up_to", tables.Id, nullable=False),
        sa.Column("read_up_to", tables.Id, nullable=False),
        sa.Column("muted_until", tables.UTCDateTime(), nullable=True),
        sa.Column("blocked_at", tables.UTCDateTime(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id",
            "thread_id",
            "role",
            "user_id",
            name=op.f("uq_chat_participant_client_id_thread_id_role_user_id"),
        ),
        tables.TenantKey("id", name=op.f("pk_chat_participant")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("chat_participant", schema=None) as batch_op:
        batch_op.create_index("ix_chat_participant_user", ["client_id", "user_id", "thread_id"], unique=False)

    op.create_table(
        "chat_settings",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("grace_hours", sa.Integer(), nullable=False),
        sa.Column("quick_replies", tables.Json(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_chat_settings_client_id")),
        tables.TenantKey("id", name=op.f("pk_chat_settings")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "chat_thread",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("last_message_id", tables.Id, nullable=True),
        sa.Column("last_message_at", tables.UTCDateTime(), nullable=True),
        sa.Column("pushed_up_to", tables.Id, nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "order_id", name=op.f("uq_chat_thread_client_id_order_id")),
        tables.TenantKey("id", name=op.f("pk_chat_thread")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("chat_thread", schema=None) as batch_op:
        batch_op.create_index("ix_chat_thread_newest", ["client_id", "last_message_at", "id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("chat_thread", schema=None) as batch_op:
        batch_op.drop_index("ix_chat_thread_newest")

    op.drop_table("chat_thread")
    op.drop_table("chat_settings")
    with op.batch_alter_table("chat_participant", schema=None) as batch_op:
        batch_op.drop_index("ix_chat_participant_user")

    op.drop_table("chat_participant")
    with op.batch_alter_table("chat_report", schema=None) as batch_op:
        batch_op.drop_index("ix_chat_report_thread")
        batch_op.drop_index("ix_chat_report_status")

    op.drop_table("chat_report")
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_chat_message_ref",
            sqlite_where=sa.text("client_ref IS NOT NULL"),
            postgresql_where=sa.text("client_ref IS NOT NULL"),
        )
        batch_op.drop_index("ix_chat_message_thread")
        batch_op.drop_index("ix_chat_message_sender")

    op.drop_table("chat_message")
    with op.batch_alter_table("channel_ticket", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_channel_ticket_expires_at"))
        batch_op.drop_index("ix_channel_ticket_about")

    op.drop_table("channel_ticket")
