"""Indexes of orders: a reference is found whoever's it is, and what an order does not have costs it no entry.

Rows of a batch are found by their numbers alone, so that their state is written in its place.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0022"
down_revision: str | Sequence[str] | None = "0021"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

OF_GIVEN = {
    "ix_delivery_order_scheduled": "scheduled_date",
    "ix_delivery_order_customer": "customer_id",
    "ix_delivery_order_contractor": "contractor_id",
    "ix_delivery_order_driver": "driver_id",
}
"""The indexes of the orders that have a value, and its column."""

AUTOINCREMENT = {"sqlite_autoincrement": True}
LAST_NUMBER = sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'delivery_order'")
GO_ON = sa.text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = 'delivery_order'")


def upgrade() -> None:
    """Take the step. On SQLite the table is copied; numbers of orders that were deleted are not given again."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    last = op.get_bind().scalar(LAST_NUMBER) if is_sqlite else None
    with op.batch_alter_table("delivery_order", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_delivery_order_client_id_customer_id_order_ref"), type_="unique")
        batch_op.create_unique_constraint(
            batch_op.f("uq_delivery_order_client_id_order_ref_customer_id"), ["client_id", "order_ref", "customer_id"]
        )
        for name, column in OF_GIVEN.items():
            given = sa.text(f"{column} IS NOT NULL")
            batch_op.drop_index(name)
            batch_op.create_index(name, ["client_id", column, "id"], sqlite_where=given, postgresql_where=given)
    if last is not None:
        op.execute(GO_ON.bindparams(last=last))
    with op.batch_alter_table("order_batch_row", schema=None) as batch_op:
        batch_op.drop_index("ix_order_batch_row_state")


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("order_batch_row", schema=None) as batch_op:
        batch_op.create_index("ix_order_batch_row_state", ["batch_id", "state"])
    with op.batch_alter_table("delivery_order", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        for name, column in OF_GIVEN.items():
            given = sa.text(f"{column} IS NOT NULL")
            batch_op.drop_index(name, sqlite_where=given, postgresql_where=given)
            batch_op.create_index(name, ["client_id", column, "id"])
        batch_op.drop_constraint(batch_op.f("uq_delivery_order_client_id_order_ref_customer_id"), type_="unique")
        batch_op.create_unique_constraint(
            batch_op.f("uq_delivery_order_client_id_customer_id_order_ref"), ["client_id", "customer_id", "order_ref"]
        )
