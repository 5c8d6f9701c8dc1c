"""Who answers for grants and keys."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0110"
down_revision: str | Sequence[str] | None = "0109"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""

    with op.batch_alter_table("provider_key", schema=None) as batch_op:
        batch_op.add_column(sa.Column("set_up_by", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("suspended_at", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("suspended_reason", sa.String(length=20), nullable=True))

    with op.batch_alter_table("tracking_grant", schema=None) as batch_op:
        batch_op.add_column(sa.Column("suspended_reason", sa.String(length=20), nullable=True))
        batch_op.add_column(sa.Column("set_up_by", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))

    with op.batch_alter_table("tracking_grant_number", schema=None) as batch_op:
        batch_op.add_column(sa.Column("set_up_by", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))


def downgrade() -> None:
    """Take it back."""

    with op.batch_alter_table("tracking_grant_number", schema=None) as batch_op:
        batch_op.drop_column("set_up_with")
        batch_op.drop_column("set_up_by")

    with op.batch_alter_table("tracking_grant", schema=None) as batch_op:
        batch_op.drop_column("set_up_with")
        batch_op.drop_column("set_up_by")
        batch_op.drop_column("suspended_reason")

    with op.batch_alter_table("provider_key", schema=None) as batch_op:
        batch_op.drop_column("suspended_reason")
        batch_op.drop_column("suspended_at")
        batch_op.drop_column("set_up_with")
        batch_op.drop_column("set_up_by")
