"""Devices that are woken when somebody writes in the chat of an order."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0060"
down_revision: str | Sequence[str] | None = "0059"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "chat_push_device",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("address_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("p256dh", sa.String(length=88), nullable=True),
        sa.Column("auth", sa.String(length=24), nullable=True),
        sa.Column("name", sa.String(length=80), nullable=True),
        sa.Column("language", sa.String(length=10), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("seen_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id",
            "address_sha256",
            "order_id",
            name=op.f("uq_chat_push_device_client_id_address_sha256_order_id"),
        ),
        tables.TenantKey("id", name=op.f("pk_chat_push_device")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("chat_push_device", schema=None) as batch_op:
        batch_op.create_index("ix_chat_push_device_owner", ["client_id", "user_id", "order_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_chat_push_device_seen_at"), ["seen_at"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("chat_push_device", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chat_push_device_seen_at"))
        batch_op.drop_index("ix_chat_push_device_owner")

    op.drop_table("chat_push_device")
