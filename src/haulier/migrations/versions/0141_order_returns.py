"""Returns of orders and their proposed refunds."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0141"
down_revision: str | Sequence[str] | None = "0140"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "order_return",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("return_order_id", tables.Id, nullable=True),
        sa.Column("customer_id", tables.Id, nullable=True),
        sa.Column("method", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("note", sa.String(length=300), nullable=True),
        sa.Column("items", tables.Json(), nullable=False),
        sa.Column("inspection", tables.Json(), nullable=False),
        sa.Column("inspected_at", tables.UTCDateTime(), nullable=True),
        sa.Column("inspected_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "return_order_id", name=op.f("uq_order_return_client_id_return_order_id")),
        tables.TenantKey("id", name=op.f("pk_order_return")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("order_return", schema=None) as batch_op:
        batch_op.create_index("ix_order_return_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_order_return_order", ["client_id", "order_id", "id"], unique=False)
        batch_op.create_index("ix_order_return_state", ["client_id", "state", "id"], unique=False)
    op.create_table(
        "order_return_refund",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("return_id", tables.Id, nullable=False),
        sa.Column("charge_id", tables.Id, nullable=False),
        sa.Column("price_family", sa.String(length=20), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=255), nullable=False),
        sa.Column("refund_id", tables.Id, nullable=True),
        sa.Column("proposed_by", tables.Id, nullable=True),
        sa.Column("proposed_at", tables.UTCDateTime(), nullable=False),
        sa.Column("decided_by", tables.Id, nullable=True),
        sa.Column("decided_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_order_return_refund")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("order_return_refund", schema=None) as batch_op:
        batch_op.create_index("ix_order_return_refund_charge", ["client_id", "charge_id", "id"], unique=False)
        batch_op.create_index("ix_order_return_refund_return", ["client_id", "return_id", "id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    op.drop_table("order_return_refund")
    op.drop_table("order_return")
