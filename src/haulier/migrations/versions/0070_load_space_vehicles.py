"""Which vehicle looks like which load space inside."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0070"
down_revision: str | Sequence[str] | None = "0069"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "load_space_vehicle",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("vehicle_id", tables.Id, nullable=False),
        sa.Column("load_space_id", tables.Id, nullable=False),
        sa.UniqueConstraint("client_id", "vehicle_id", name=op.f("uq_load_space_vehicle_client_id_vehicle_id")),
        tables.TenantKey("id", name=op.f("pk_load_space_vehicle")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("load_space_vehicle", schema=None) as batch_op:
        batch_op.create_index("ix_load_space_vehicle_space", ["client_id", "load_space_id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("load_space_vehicle", schema=None) as batch_op:
        batch_op.drop_index("ix_load_space_vehicle_space")

    op.drop_table("load_space_vehicle")
