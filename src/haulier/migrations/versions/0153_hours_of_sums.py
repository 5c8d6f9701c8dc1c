"""Hours of the day in the sums of reports."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0153"
down_revision: str | Sequence[str] | None = "0152"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

KEPT = (
    "client_id",
    "day",
    "subject_id",
    "measure",
    "status",
    "reason",
    "currency",
    "count",
    "judged",
    "on_time",
    "minor",
)
_sum = sa.table("daily_sum", sa.column("dimension"), *(sa.column(name) for name in KEPT))


def upgrade() -> None:
    """Add the columns, and the sums of all orders as sums without an hour.

    `haulier analytics rebuild` sets the hours of earlier orders.
    """
    op.add_column("delivery_order", sa.Column("counted_hour", sa.SmallInteger(), nullable=True))
    op.add_column("order_change", sa.Column("failed_hour", sa.SmallInteger(), nullable=True))
    op.add_column("sum_entry", sa.Column("hour_id", sa.Integer(), server_default="0", nullable=False))
    _see_all_clients()
    alike = sa.select(sa.literal("hour"), *(_sum.c[name] for name in KEPT)).where(_sum.c.dimension == "all")
    op.execute(sa.insert(_sum).from_select(["dimension", *KEPT], alike))


def downgrade() -> None:
    """Take it back."""
    _see_all_clients()
    op.execute(sa.delete(_sum).where(_sum.c.dimension == "hour"))
    for table, column in (
        ("sum_entry", "hour_id"),
        ("order_change", "failed_hour"),
        ("delivery_order", "counted_hour"),
    ):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column)


def _see_all_clients() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
