"""The token that asked for an export, and the reason why one was cancelled."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0111"
down_revision: str | Sequence[str] | None = "0110"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns."""
    with op.batch_alter_table("personal_data_request", schema=None) as batch_op:
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("cancelled_reason", sa.String(length=20), nullable=True))


def downgrade() -> None:
    """Drop the columns."""
    with op.batch_alter_table("personal_data_request", schema=None) as batch_op:
        batch_op.drop_column("cancelled_reason")
        batch_op.drop_column("set_up_with")
