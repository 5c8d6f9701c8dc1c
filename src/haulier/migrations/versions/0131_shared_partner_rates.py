"""Shared rates of partners."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0131"
down_revision: str | Sequence[str] | None = "0130"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("delivery_partnership", schema=None) as batch_op:
        batch_op.add_column(sa.Column("shares_rates", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("delivery_partnership", schema=None) as batch_op:
        batch_op.drop_column("shares_rates")
