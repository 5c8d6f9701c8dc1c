"""Orders that are delivered into lockers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0057"
down_revision: str | Sequence[str] | None = "0056"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "locker_delivery",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("order_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=False),
        sa.Column("parcel_id", tables.Id, nullable=True),
        sa.Column("size", sa.String(length=2), nullable=False),
        sa.Column("low", sa.Boolean(), nullable=False),
        sa.Column("if_full", sa.String(length=16), nullable=False),
        sa.Column("hold_hours", sa.Integer(), nullable=False),
        sa.Column("keep_days", sa.Integer(), nullable=False),
        sa.Column("home", tables.Json(), nullable=True),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("fell_back_because", sa.String(length=20), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_locker_delivery")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("locker_delivery", schema=None) as batch_op:
        batch_op.create_index("ix_locker_delivery_site", ["client_id", "site_id", "status"], unique=False)
        batch_op.create_index("uq_locker_delivery_order", ["client_id", "order_id"], unique=True)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("locker_delivery", schema=None) as batch_op:
        batch_op.drop_index("uq_locker_delivery_order")
        batch_op.drop_index("ix_locker_delivery_site")
    op.drop_table("locker_delivery")
