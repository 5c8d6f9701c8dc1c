"""Vehicles of planned routes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0140"
down_revision: str | Sequence[str] | None = "0139"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.add_column("route", sa.Column("vehicle_id", tables.Id, nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("route", schema=None) as batch_op:
        batch_op.drop_column("vehicle_id")
