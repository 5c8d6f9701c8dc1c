"""Index of stock shortages by order."""

from collections.abc import Sequence

from alembic import op

revision: str = "0146"
down_revision: str | Sequence[str] | None = "0145"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_index("ix_stock_shortage_order", "stock_shortage", ["client_id", "order_id", "id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_stock_shortage_order", table_name="stock_shortage")
