"""Orders of devices are found by the moment they were paid."""

from collections.abc import Sequence

from alembic import op

revision: str = "0076"
down_revision: str | Sequence[str] | None = "0075"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_index("ix_device_order_paid_at", "device_order", ["client_id", "paid_at"])


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_device_order_paid_at", table_name="device_order")
