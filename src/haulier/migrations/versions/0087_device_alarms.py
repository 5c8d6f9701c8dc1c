"""Alarms of devices that are silent or run low, what businesses want to be told, and the battery beside the telemetry."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0087"
down_revision: str | Sequence[str] | None = "0086"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "device_alarm",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("device_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=True),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("last_seen_at", tables.UTCDateTime(), nullable=True),
        sa.Column("battery_pct", sa.Integer(), nullable=True),
        sa.Column("raised_at", tables.UTCDateTime(), nullable=False),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_device_alarm")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("device_alarm", schema=None) as batch_op:
        batch_op.create_index("ix_device_alarm_device", ["client_id", "device_id", "id"], unique=False)
        batch_op.create_index("ix_device_alarm_site", ["client_id", "site_id", "id"], unique=False)
        batch_op.create_index(
            "uq_device_alarm_live",
            ["client_id", "device_id", "kind"],
            unique=True,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "device_alarm_settings",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("silent_min", sa.Integer(), nullable=False),
        sa.Column("silent_kinds", tables.Json(), nullable=False),
        sa.Column("battery_pct", sa.Integer(), nullable=False),
        sa.Column("letters", sa.Boolean(), nullable=False),
        sa.Column("changed_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_device_alarm_settings_client_id")),
        tables.TenantKey("id", name=op.f("pk_device_alarm_settings")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "device_watch",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("watched_at", tables.UTCDateTime(), nullable=False),
        sa.Column("listening_since", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_device_watch_client_id")),
        tables.TenantKey("id", name=op.f("pk_device_watch")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("battery_pct", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("device", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("battery_pct")

    op.drop_table("device_watch")
    op.drop_table("device_alarm_settings")
    with op.batch_alter_table("device_alarm", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_device_alarm_live",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.drop_index("ix_device_alarm_site")
        batch_op.drop_index("ix_device_alarm_device")

    op.drop_table("device_alarm")
