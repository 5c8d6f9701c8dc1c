"""Travel modes of vehicles."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0139"
down_revision: str | Sequence[str] | None = "0138"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.add_column("vehicle", sa.Column("travel_mode", sa.String(length=20), server_default="van", nullable=False))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("vehicle", schema=None) as batch_op:
        batch_op.drop_column("travel_mode")
