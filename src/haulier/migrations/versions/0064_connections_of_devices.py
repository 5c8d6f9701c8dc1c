"""Connections of devices: what begins and ends them, and codes that came twice."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0064"
down_revision: str | Sequence[str] | None = "0059"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("session_sequence", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("gone_at", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("code_sequence", sa.BigInteger(), server_default="0", nullable=False))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.drop_column("code_sequence")
        batch_op.drop_column("gone_at")
        batch_op.drop_column("session_sequence")
