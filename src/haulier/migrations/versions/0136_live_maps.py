"""Live maps of recipients."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0136"
down_revision: str | Sequence[str] | None = "0135"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.add_column("recipient_brand", sa.Column("live_map", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("recipient_brand", schema=None) as batch_op:
        batch_op.drop_column("live_map")
