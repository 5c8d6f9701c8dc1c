"""Jobs of uniorders by their maker."""

from collections.abc import Sequence

from alembic import op

revision: str = "0090"
down_revision: str | Sequence[str] | None = "0089"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("uniorder_job", schema=None) as batch_op:
        batch_op.drop_index("ix_uniorder_job_client_id")
        batch_op.create_index("ix_uniorder_job_made", ["client_id", "created_by", "id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("uniorder_job", schema=None) as batch_op:
        batch_op.drop_index("ix_uniorder_job_made")
        batch_op.create_index("ix_uniorder_job_client_id", ["client_id"], unique=False)
