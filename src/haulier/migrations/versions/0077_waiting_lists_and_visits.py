"""Places that people come to, who checked in or did not come, and who waits for a place."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0077"
down_revision: str | Sequence[str] | None = "0076"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

AUTOINCREMENT = {"sqlite_autoincrement": True}
"""What SQLite forgets of a table that it makes anew."""
DEFAULTS = {
    "kind": ("delivery", sa.String(20)),
    "check_in_before_min": ("30", sa.Integer()),
    "grace_min": ("15", sa.Integer()),
    "no_show_refund": (sa.false(), sa.Boolean()),
    "offer_min": ("60", sa.Integer()),
}


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("booking_zone", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        for name, (default, kind) in DEFAULTS.items():
            batch_op.add_column(sa.Column(name, kind, nullable=False, server_default=default))
        batch_op.add_column(sa.Column("address", sa.String(300)))
        batch_op.add_column(sa.Column("no_show_fee_minor", sa.BigInteger()))
    with op.batch_alter_table("booking_zone", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        for name in DEFAULTS:
            batch_op.alter_column(name, server_default=None)
    with op.batch_alter_table("reservation", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        batch_op.add_column(sa.Column("code", sa.String(6)))
        batch_op.add_column(sa.Column("checked_in_at", tables.UTCDateTime()))
        batch_op.add_column(sa.Column("checked_in_by", tables.Id))
        batch_op.add_column(sa.Column("charged_minor", sa.BigInteger()))
        batch_op.add_column(sa.Column("charge_transfer_id", tables.Id))
        batch_op.add_column(sa.Column("fee_minor", sa.BigInteger()))
        batch_op.add_column(sa.Column("fee_transfer_id", tables.Id))
        batch_op.create_unique_constraint("uq_reservation_client_id_code", ["client_id", "code"])
    op.create_table(
        "waiting_entry",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("window_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=False),
        sa.Column("postal_code", sa.String(20), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("joined_at", tables.UTCDateTime(), nullable=False),
        sa.Column("reservation_id", tables.Id),
        sa.Column("offered_until", tables.UTCDateTime()),
        sa.Column("ended_at", tables.UTCDateTime()),
        tables.TenantKey("id", name=op.f("pk_waiting_entry")),
        sqlite_autoincrement=True,
    )
    live = sa.text("status IN ('waiting', 'offered')")
    with op.batch_alter_table("waiting_entry", schema=None) as batch_op:
        batch_op.create_index("ix_waiting_entry_window", ["client_id", "window_id", "status", "id"], unique=False)
        batch_op.create_index("ix_waiting_entry_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_waiting_entry_reservation", ["client_id", "reservation_id"], unique=False)
        batch_op.create_index(
            "uq_waiting_entry_live",
            ["client_id", "window_id", "customer_id"],
            unique=True,
            sqlite_where=live,
            postgresql_where=live,
        )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("waiting_entry")
    with op.batch_alter_table("reservation", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        batch_op.drop_constraint("uq_reservation_client_id_code", type_="unique")
        for name in (
            "code",
            "checked_in_at",
            "checked_in_by",
            "charged_minor",
            "charge_transfer_id",
            "fee_minor",
            "fee_transfer_id",
        ):
            batch_op.drop_column(name)
    with op.batch_alter_table("booking_zone", schema=None, table_kwargs=AUTOINCREMENT) as batch_op:
        for name in (*DEFAULTS, "address", "no_show_fee_minor"):
            batch_op.drop_column(name)
