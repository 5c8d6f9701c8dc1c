"""Backorders of orders."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0143"
down_revision: str | Sequence[str] | None = "0142"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "order_backorder",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("backorder_order_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("auto_release", sa.Boolean(), nullable=False),
        sa.Column("owner_id", tables.Id, nullable=True),
        sa.Column("expected_on", sa.Date(), nullable=True),
        sa.Column("note", sa.String(length=255), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_order_backorder")),
        sqlite_autoincrement=True,
    )
    waiting = sa.text("state = 'waiting'")
    with op.batch_alter_table("order_backorder", schema=None) as batch_op:
        batch_op.create_index("ix_order_backorder_order", ["client_id", "order_id", "id"], unique=False)
        batch_op.create_index("ix_order_backorder_part", ["client_id", "backorder_order_id", "id"], unique=False)
        batch_op.create_index(
            "ix_order_backorder_waiting",
            ["client_id", "id"],
            unique=False,
            sqlite_where=waiting,
            postgresql_where=waiting,
        )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("order_backorder")
