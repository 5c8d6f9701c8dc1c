"""Ship-outs take inbound parcels."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0050"
down_revision: str | Sequence[str] | None = "0049"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("shipout", schema=None) as batch_op:
        batch_op.add_column(sa.Column("inbound_parcels", tables.Json(), nullable=True))


def downgrade() -> None:
    """Take the step back."""
    with op.batch_alter_table("shipout", schema=None) as batch_op:
        batch_op.drop_column("inbound_parcels")
