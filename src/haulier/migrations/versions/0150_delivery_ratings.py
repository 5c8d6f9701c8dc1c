"""Ratings of deliveries, and indexes for lists behind reports."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0150"
down_revision: str | Sequence[str] | None = "0149"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

INDEXES = {
    "ix_delivery_order_counted": ("delivery_order", ["client_id", "counted_day", "id"]),
    "ix_delivery_order_rated": ("delivery_order", ["client_id", "rated_at", "id"]),
    "ix_order_change_failed": ("order_change", ["client_id", "failed_day"]),
}


def upgrade() -> None:
    """Take the step."""
    op.add_column("delivery_order", sa.Column("rating", sa.SmallInteger(), nullable=True))
    op.add_column("delivery_order", sa.Column("rating_comment", sa.String(length=500), nullable=True))
    op.add_column("delivery_order", sa.Column("rated_at", tables.UTCDateTime(), nullable=True))
    for name, (table, columns) in INDEXES.items():
        given = sa.text(f"{columns[1]} IS NOT NULL")
        op.create_index(name, table, columns, unique=False, sqlite_where=given, postgresql_where=given)


def downgrade() -> None:
    """Take it back."""
    for name, (table, _) in INDEXES.items():
        op.drop_index(name, table_name=table)
    with op.batch_alter_table("delivery_order") as batch:
        for column in ("rated_at", "rating_comment", "rating"):
            batch.drop_column(column)
