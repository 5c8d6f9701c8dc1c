"""References of each customer: unique for the customer, and among orders of no customer; and what made an order."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0012"
down_revision: str | Sequence[str] | None = "0011"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.add_column(sa.Column("request_digest", sa.LargeBinary(length=32), nullable=True))
        batch_op.drop_constraint(batch_op.f("uq_delivery_order_client_id_order_ref"), type_="unique")
        batch_op.create_unique_constraint(
            batch_op.f("uq_delivery_order_client_id_customer_id_order_ref"), ["client_id", "customer_id", "order_ref"]
        )
        batch_op.create_index(
            "uq_delivery_order_own_ref",
            ["client_id", "order_ref"],
            unique=True,
            sqlite_where=sa.text("customer_id IS NULL"),
            postgresql_where=sa.text("customer_id IS NULL"),
        )


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_delivery_order_own_ref",
            sqlite_where=sa.text("customer_id IS NULL"),
            postgresql_where=sa.text("customer_id IS NULL"),
        )
        batch_op.drop_constraint(batch_op.f("uq_delivery_order_client_id_customer_id_order_ref"), type_="unique")
        batch_op.create_unique_constraint(
            batch_op.f("uq_delivery_order_client_id_order_ref"), ["client_id", "order_ref"]
        )
        batch_op.drop_column("request_digest")
