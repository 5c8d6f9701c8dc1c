"""Packages of a packing plan's cartons, and an index from which reports on stock are read."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0052"
down_revision: str | Sequence[str] | None = "0051"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

OCCURRED = "ix_stock_movement_occurred"
NARROW = ["client_id", "product_id", "occurred_at"]
WIDE = [*NARROW, "kind", "from_warehouse_id", "to_warehouse_id", "quantity"]


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("pick_package", schema=None) as batch_op:
        batch_op.add_column(sa.Column("packing_plan_id", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("carton", sa.Integer(), nullable=True))
        batch_op.create_index("ix_pick_package_carton", ["client_id", "packing_plan_id", "carton"], unique=True)
    with op.batch_alter_table("stock_movement", schema=None) as batch_op:
        batch_op.drop_index(OCCURRED)
        batch_op.create_index(OCCURRED, WIDE, unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("stock_movement", schema=None) as batch_op:
        batch_op.drop_index(OCCURRED)
        batch_op.create_index(OCCURRED, NARROW, unique=False)
    with op.batch_alter_table("pick_package", schema=None) as batch_op:
        batch_op.drop_index("ix_pick_package_carton")
        batch_op.drop_column("carton")
        batch_op.drop_column("packing_plan_id")
