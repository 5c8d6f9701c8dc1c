"""Device clocks."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0092"
down_revision: str | Sequence[str] | None = "0091"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("rider_event", schema=None) as batch_op:
        batch_op.add_column(sa.Column("device_at", tables.UTCDateTime(), nullable=True))

    with op.batch_alter_table("route", schema=None) as batch_op:
        batch_op.add_column(sa.Column("clock_ahead_s", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("clock_off_since", tables.UTCDateTime(), nullable=True))

    with op.batch_alter_table("warehouse_scan", schema=None) as batch_op:
        batch_op.add_column(sa.Column("device_at", tables.UTCDateTime(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("warehouse_scan", schema=None) as batch_op:
        batch_op.drop_column("device_at")

    with op.batch_alter_table("route", schema=None) as batch_op:
        batch_op.drop_column("clock_off_since")
        batch_op.drop_column("clock_ahead_s")

    with op.batch_alter_table("rider_event", schema=None) as batch_op:
        batch_op.drop_column("device_at")
