"""Jobs name whose share of the workers they take."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0019"
down_revision: str | Sequence[str] | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

READY = {"sqlite_where": sa.text("state = 'ready'"), "postgresql_where": sa.text("state = 'ready'")}


def upgrade() -> None:
    """Take the step. Only jobs that wait or run get their share: for those that ended, nobody asks any more."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("share", tables.Id, server_default="0", nullable=False))
        batch_op.drop_index(batch_op.f("ix_job_due"), **READY)
        batch_op.create_index("ix_job_share", ["lane", "share", "run_at"], unique=False, **READY)
    op.execute("UPDATE job SET share = client_id WHERE client_id IS NOT NULL AND state IN ('ready', 'running')")


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index("ix_job_share", **READY)
        batch_op.create_index(batch_op.f("ix_job_due"), ["run_at"], unique=False, **READY)
        batch_op.drop_column("share")
