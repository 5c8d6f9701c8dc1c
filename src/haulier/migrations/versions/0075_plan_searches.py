"""Long searches for packing and load plans, and the steps by which their plans get better."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0075"
down_revision: str | Sequence[str] | None = "0074"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "plan_search",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("request", tables.Json(), nullable=False),
        sa.Column("problem", tables.Json(), nullable=False),
        sa.Column("codes", tables.Json(), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.Column("pieces", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("plan", tables.Json(), nullable=True),
        sa.Column("score", tables.Json(), nullable=True),
        sa.Column("steps_done", sa.BigInteger(), nullable=False),
        sa.Column("improvements", sa.Integer(), nullable=False),
        sa.Column("cut_short", sa.Boolean(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("job_id", tables.Id, nullable=True),
        sa.Column("fault", sa.String(length=40), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("started_at", tables.UTCDateTime(), nullable=True),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.Column("finished_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_plan_search")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("plan_search", schema=None) as batch_op:
        batch_op.create_index("ix_plan_search_kind", ["client_id", "kind", "id"], unique=False)
        batch_op.create_index("ix_plan_search_state", ["client_id", "state", "id"], unique=False)

    op.create_table(
        "plan_search_step",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("plan_search_id", tables.Id, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", tables.UTCDateTime(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("score", tables.Json(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_plan_search_step")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("plan_search_step", schema=None) as batch_op:
        batch_op.create_index("ix_plan_search_step_search", ["client_id", "plan_search_id", "number"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("plan_search_step", schema=None) as batch_op:
        batch_op.drop_index("ix_plan_search_step_search")

    op.drop_table("plan_search_step")
    with op.batch_alter_table("plan_search", schema=None) as batch_op:
        batch_op.drop_index("ix_plan_search_state")
        batch_op.drop_index("ix_plan_search_kind")

    op.drop_table("plan_search")
