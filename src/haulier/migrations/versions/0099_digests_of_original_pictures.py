"""Digests of original pictures."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0099"
down_revision: str | Sequence[str] | None = "0098"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("stored_file", schema=None) as batch_op:
        batch_op.add_column(sa.Column("original_sha256", sa.String(length=64), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("stored_file", schema=None) as batch_op:
        batch_op.drop_column("original_sha256")
