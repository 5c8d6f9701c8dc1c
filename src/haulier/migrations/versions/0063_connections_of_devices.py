"""Connections of devices: what begins and ends them, and codes that came twice."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0063"
down_revision: str | Sequence[str] | None = "0062"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("session_sequence", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("gone_at", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("sampled_at", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("firmware", sa.String(length=60), nullable=True))
        batch_op.add_column(sa.Column("desired_settings", tables.Json(), nullable=True))
        batch_op.add_column(sa.Column("reported_settings", tables.Json(), nullable=True))
        batch_op.add_column(sa.Column("code_sequence", sa.BigInteger(), server_default="0", nullable=False))
        batch_op.create_index("ix_device_firmware", ["client_id", "firmware"], unique=False)
    op.create_table(
        "device_reading",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("device_id", tables.Id, nullable=False),
        sa.Column("at", tables.UTCDateTime(), nullable=False),
        sa.Column("telemetry", tables.Json(), nullable=False),
        sa.Column("clock_offset_s", sa.Integer(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_device_reading")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("device_reading", schema=None) as batch_op:
        batch_op.create_index("ix_device_reading_device", ["client_id", "device_id", "at"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("device_reading", schema=None) as batch_op:
        batch_op.drop_index("ix_device_reading_device")
    op.drop_table("device_reading")
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.drop_index("ix_device_firmware")
        batch_op.drop_column("code_sequence")
        batch_op.drop_column("reported_settings")
        batch_op.drop_column("desired_settings")
        batch_op.drop_column("firmware")
        batch_op.drop_column("sampled_at")
        batch_op.drop_column("gone_at")
        batch_op.drop_column("session_sequence")
