"""Orders charged at their creation."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0121"
down_revision: str | Sequence[str] | None = "0120"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("order_charge", schema=None) as batch_op:
        batch_op.add_column(sa.Column("at_creation", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("order_charge", schema=None) as batch_op:
        batch_op.drop_column("at_creation")
