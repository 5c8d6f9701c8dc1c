"""Tasks of map regions."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0134"
down_revision: str | Sequence[str] | None = "0133"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "map_region_task",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("action", sa.String(length=10), nullable=False),
        sa.Column("region", sa.String(length=63), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=True),
        sa.Column("source", sa.String(length=1000), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("step", sa.String(length=20), nullable=True),
        sa.Column("percent", sa.Integer(), nullable=True),
        sa.Column("objects", sa.Integer(), nullable=True),
        sa.Column("fault", tables.Json(), nullable=True),
        sa.Column("remarks", tables.Json(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("finished_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_map_region_task")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("map_region_task", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_map_region_task_client_id"), ["client_id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("map_region_task", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_map_region_task_client_id"))

    op.drop_table("map_region_task")
