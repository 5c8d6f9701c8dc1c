"""Which process hears the message centre of an account, and which variant of a campaign won."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0061"
down_revision: str | Sequence[str] | None = "0060"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("sms_account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("keeper", sa.String(length=32), nullable=True))
        batch_op.add_column(sa.Column("kept_until", tables.UTCDateTime(), nullable=True))
    with op.batch_alter_table("sms_campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("test", tables.Json(), nullable=True))
        batch_op.add_column(sa.Column("test_until", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("winner", sa.String(length=1), nullable=True))
        batch_op.add_column(sa.Column("winner_by", sa.String(length=10), nullable=True))
        batch_op.add_column(sa.Column("winner_at", tables.UTCDateTime(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("sms_campaign", schema=None) as batch_op:
        for name in ("winner_at", "winner_by", "winner", "test_until", "test"):
            batch_op.drop_column(name)
    with op.batch_alter_table("sms_account", schema=None) as batch_op:
        batch_op.drop_column("kept_until")
        batch_op.drop_column("keeper")
