"""Parcels that senders hand in at lockers, what storage there costs, screens of sites, and codes of couriers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0066"
down_revision: str | Sequence[str] | None = "0065"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("locker_site", schema=None) as batch_op:
        batch_op.add_column(sa.Column("storage_free_days", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("storage_day_minor", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("locker_parcel", schema=None) as batch_op:
        batch_op.add_column(sa.Column("kind", sa.String(length=10), server_default="delivery", nullable=False))
        batch_op.add_column(sa.Column("home", tables.Json(), nullable=True))
        batch_op.add_column(sa.Column("fee_minor", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("fee_charged", sa.Boolean(), nullable=True))
    op.create_table(
        "locker_screen",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("key_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("wrong_codes", sa.Integer(), nullable=False),
        sa.Column("rests_until", tables.UTCDateTime(), nullable=True),
        sa.Column("last_seen_at", tables.UTCDateTime(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_locker_screen")),
        sa.UniqueConstraint("key_sha256", name=op.f("uq_locker_screen_key_sha256")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("locker_screen", schema=None) as batch_op:
        batch_op.create_index("ix_locker_screen_site", ["client_id", "site_id"], unique=False)
    op.create_table(
        "locker_courier_code",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=False),
        sa.Column("code_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("made_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("expires_at", tables.UTCDateTime(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_locker_courier_code")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("locker_courier_code", schema=None) as batch_op:
        batch_op.create_index("uq_locker_courier_code", ["client_id", "code_sha256"], unique=True)


def downgrade() -> None:
    """Take it back."""
    op.drop_table("locker_courier_code")
    op.drop_table("locker_screen")
    with op.batch_alter_table("locker_parcel", schema=None) as batch_op:
        for column in ("fee_charged", "fee_minor", "home", "kind"):
            batch_op.drop_column(column)
    with op.batch_alter_table("locker_site", schema=None) as batch_op:
        for column in ("storage_day_minor", "storage_free_days"):
            batch_op.drop_column(column)
