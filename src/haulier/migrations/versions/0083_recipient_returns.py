"""What businesses let recipients send back, and the returns that these begin."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0083"
down_revision: str | Sequence[str] | None = "0082"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "recipient_return",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("return_order_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=True),
        sa.Column("way", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("note", sa.String(length=300), nullable=True),
        sa.Column("site_id", tables.Id, nullable=True),
        sa.Column("hand_in_until", tables.UTCDateTime(), nullable=True),
        sa.Column("handed_in_at", tables.UTCDateTime(), nullable=True),
        sa.Column("outcome", sa.String(length=10), nullable=True),
        sa.Column("begun_at", tables.UTCDateTime(), nullable=False),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        sa.UniqueConstraint("client_id", "return_order_id", name=op.f("uq_recipient_return_client_id_return_order_id")),
        tables.TenantKey("id", name=op.f("pk_recipient_return")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("recipient_return", schema=None) as batch_op:
        batch_op.create_index("ix_recipient_return_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_recipient_return_order", ["client_id", "order_id", "id"], unique=False)
        batch_op.create_index(
            "uq_recipient_return_live",
            ["client_id", "order_id"],
            unique=True,
            sqlite_where=sa.text("outcome IS NULL"),
            postgresql_where=sa.text("outcome IS NULL"),
        )

    op.create_table(
        "recipient_return_settings",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("ways", tables.Json(), nullable=False),
        sa.Column("reasons", tables.Json(), nullable=False),
        sa.Column("hold_hours", sa.Integer(), nullable=False),
        sa.Column("service", sa.String(length=30), nullable=False),
        sa.Column("changed_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_recipient_return_settings_client_id")),
        tables.TenantKey("id", name=op.f("pk_recipient_return_settings")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("recipient_return_settings")
    with op.batch_alter_table("recipient_return", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_recipient_return_live",
            sqlite_where=sa.text("outcome IS NULL"),
            postgresql_where=sa.text("outcome IS NULL"),
        )
        batch_op.drop_index("ix_recipient_return_order")
        batch_op.drop_index("ix_recipient_return_customer")

    op.drop_table("recipient_return")
