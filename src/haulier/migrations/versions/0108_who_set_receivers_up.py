"""Who set receivers up."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0108"
down_revision: str | Sequence[str] | None = "0107"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("channel_ticket", schema=None) as batch_op:
        batch_op.add_column(sa.Column("set_up_by", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))

    with op.batch_alter_table("chat_push_device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))

    with op.batch_alter_table("weekly_report_subscription", schema=None) as batch_op:
        batch_op.add_column(sa.Column("set_up_with", tables.Id, nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("weekly_report_subscription", schema=None) as batch_op:
        batch_op.drop_column("set_up_with")

    with op.batch_alter_table("chat_push_device", schema=None) as batch_op:
        batch_op.drop_column("set_up_with")

    with op.batch_alter_table("channel_ticket", schema=None) as batch_op:
        batch_op.drop_column("set_up_with")
        batch_op.drop_column("set_up_by")
