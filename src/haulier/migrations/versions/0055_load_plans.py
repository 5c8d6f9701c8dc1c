"""Load spaces and load plans."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0055"
down_revision: str | Sequence[str] | None = "0054"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "load_space",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("length_mm", sa.Integer(), nullable=False),
        sa.Column("width_mm", sa.Integer(), nullable=False),
        sa.Column("height_mm", sa.Integer(), nullable=False),
        sa.Column("payload_g", sa.Integer(), nullable=False),
        sa.Column("tare_g", sa.Integer(), nullable=False),
        sa.Column("cost_minor", sa.Integer(), nullable=False),
        sa.Column("stock", sa.Integer(), nullable=False),
        sa.Column("target_utilization_percent", sa.Integer(), nullable=False),
        sa.Column("layout", tables.Json(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "code", name=op.f("uq_load_space_client_id_code")),
        tables.TenantKey("id", name=op.f("pk_load_space")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "load_plan",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("route_id", tables.Id, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.Column("problem", tables.Json(), nullable=False),
        sa.Column("plan", tables.Json(), nullable=False),
        sa.Column("pieces", sa.Integer(), nullable=False),
        sa.Column("left_over", sa.Integer(), nullable=False),
        sa.Column("spaces_used", sa.Integer(), nullable=False),
        sa.Column("cost_minor", sa.BigInteger(), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("replaced_at", tables.UTCDateTime(), nullable=True),
        sa.UniqueConstraint("client_id", "route_id", "digest", name=op.f("uq_load_plan_client_id_route_id_digest")),
        tables.TenantKey("id", name=op.f("pk_load_plan")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("load_plan", schema=None) as batch_op:
        batch_op.create_index("ix_load_plan_route", ["client_id", "route_id", "id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("load_plan", schema=None) as batch_op:
        batch_op.drop_index("ix_load_plan_route")

    op.drop_table("load_plan")
    op.drop_table("load_space")
