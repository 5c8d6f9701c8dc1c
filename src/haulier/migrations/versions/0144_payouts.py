"""Payouts to contractors and drivers, with their lines and numbers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0144"
down_revision: str | Sequence[str] | None = "0143"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "payout_counter",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("payouts", sa.Integer(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_payout_counter_client_id")),
        tables.TenantKey("id", name=op.f("pk_payout_counter")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "payout",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("number", sa.String(length=24), nullable=False),
        sa.Column("payee_kind", sa.String(length=10), nullable=False),
        sa.Column("payee_id", tables.Id, nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("open_disputes", sa.Integer(), nullable=False),
        sa.Column("date_from", sa.Date(), nullable=False),
        sa.Column("date_to", sa.Date(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("total_minor", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("paid_on", sa.Date(), nullable=True),
        sa.Column("payment_reference", sa.String(length=80), nullable=True),
        sa.Column("reason", sa.String(length=255), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "number", name=op.f("uq_payout_client_id_number")),
        tables.TenantKey("id", name=op.f("pk_payout")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("payout", schema=None) as batch_op:
        batch_op.create_index("ix_payout_payee", ["client_id", "payee_kind", "payee_id", "id"], unique=False)
        batch_op.create_index("ix_payout_status", ["client_id", "status", "id"], unique=False)
    op.create_table(
        "payout_line",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("payout_id", tables.Id, nullable=False),
        sa.Column("earning_id", tables.Id, nullable=False),
        sa.Column("dispute", sa.String(length=10), nullable=True),
        sa.Column("dispute_reason", sa.String(length=255), nullable=True),
        sa.Column("disputed_at", tables.UTCDateTime(), nullable=True),
        sa.Column("disputed_by", tables.Id, nullable=True),
        sa.Column("dispute_answer", sa.String(length=255), nullable=True),
        sa.Column("resolved_at", tables.UTCDateTime(), nullable=True),
        sa.Column("resolved_by", tables.Id, nullable=True),
        sa.UniqueConstraint("client_id", "earning_id", name=op.f("uq_payout_line_client_id_earning_id")),
        tables.TenantKey("id", name=op.f("pk_payout_line")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("payout_line", schema=None) as batch_op:
        batch_op.create_index("ix_payout_line_payout", ["client_id", "payout_id", "id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    op.drop_table("payout_line")
    op.drop_table("payout")
    op.drop_table("payout_counter")
