"""Customer pickups of orders at depots."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0151"
down_revision: str | Sequence[str] | None = "0150"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    given = sa.text("pickup_depot_id IS NOT NULL")
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pickup_depot_id", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("pickup_ready_at", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("pickup_until", sa.Date(), nullable=True))
        batch_op.create_index(
            "ix_delivery_order_pickup",
            ["client_id", "pickup_depot_id", "id"],
            unique=False,
            sqlite_where=given,
            postgresql_where=given,
        )


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.drop_index("ix_delivery_order_pickup")
        batch_op.drop_column("pickup_until")
        batch_op.drop_column("pickup_ready_at")
        batch_op.drop_column("pickup_depot_id")
