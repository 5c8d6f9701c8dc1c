"""How far the broker has the events of a conversation with the agent."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0062"
down_revision: str | Sequence[str] | None = "0061"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("agent_session", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pushed_up_to", tables.Id, nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("agent_session", schema=None) as batch_op:
        batch_op.drop_column("pushed_up_to")
