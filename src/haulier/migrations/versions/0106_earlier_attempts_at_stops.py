"""Earlier attempts at stops."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0106"
down_revision: str | Sequence[str] | None = "0105"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("route_stop", schema=None) as batch_op:
        batch_op.add_column(sa.Column("earlier_attempts", tables.Json(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("route_stop", schema=None) as batch_op:
        batch_op.drop_column("earlier_attempts")
