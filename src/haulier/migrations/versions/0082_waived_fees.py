"""Fees of missed visits that the office waived, and why."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0082"
down_revision: str | Sequence[str] | None = "0077"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

AUTOINCREMENT = {"sqlite_autoincrement": True}
"""What SQLite forgets of a table that it makes anew."""


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("reservation", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        batch_op.add_column(sa.Column("fee_waived_at", tables.UTCDateTime()))
        batch_op.add_column(sa.Column("fee_waiver_reason", sa.String(255)))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("reservation", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        batch_op.drop_column("fee_waiver_reason")
        batch_op.drop_column("fee_waived_at")
