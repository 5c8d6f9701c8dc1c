"""The status of device events, and jobs that send mail, under plain names."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | Sequence[str] | None = "0006"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

RENAMED_JOBS = {
    "password.reset_letter": "password.reset_mail",
    "notice.letter": "notice.mail",
    "invitation.letter": "invitation.mail",
    "driver_document.letter": "driver_document.mail",
}


def upgrade() -> None:
    """Take the step; mail that waits to be sent is sent."""
    with op.batch_alter_table("rider_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rider_event_client_id_driver_id_fate"))
        batch_op.alter_column("fate", new_column_name="status")
    with op.batch_alter_table("rider_event", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_rider_event_client_id_driver_id_status"), ["client_id", "driver_id", "status"], unique=False
        )
    _rename_jobs(RENAMED_JOBS)


def downgrade() -> None:
    """Take it back."""
    _rename_jobs({new: old for old, new in RENAMED_JOBS.items()})
    with op.batch_alter_table("rider_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rider_event_client_id_driver_id_status"))
        batch_op.alter_column("status", new_column_name="fate")
    with op.batch_alter_table("rider_event", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_rider_event_client_id_driver_id_fate"), ["client_id", "driver_id", "fate"], unique=False
        )


def _rename_jobs(names: dict[str, str]) -> None:
    job = sa.table("job", sa.column("kind"))
    for old, new in names.items():
        op.execute(sa.update(job).where(job.c.kind == old).values(kind=new))
