"""Documents, log and next service of vehicles."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0142"
down_revision: str | Sequence[str] | None = "0141"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

ADDED = (
    ("odometer_m", sa.BigInteger()),
    ("odometer_on", sa.Date()),
    ("next_service_on", sa.Date()),
    ("next_service_at_m", sa.BigInteger()),
)


def upgrade() -> None:
    """Take the step."""
    for name, kind in ADDED:
        op.add_column("vehicle", sa.Column(name, kind, nullable=True))
    op.create_table(
        "vehicle_document",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("vehicle_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=120), nullable=True),
        sa.Column("number", sa.String(length=60), nullable=True),
        sa.Column("issued_on", sa.Date(), nullable=True),
        sa.Column("expires_on", sa.Date(), nullable=True),
        sa.Column("file_id", tables.Id, nullable=True),
        sa.Column("uploaded_by", tables.Id, nullable=True),
        sa.Column("uploaded_at", tables.UTCDateTime(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_vehicle_document")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("vehicle_document", schema=None) as batch_op:
        batch_op.create_index("ix_vehicle_document_client_id_vehicle_id", ["client_id", "vehicle_id"], unique=False)
        batch_op.create_index("ix_vehicle_document_client_id_expires_on", ["client_id", "expires_on"], unique=False)
    op.create_table(
        "vehicle_log_entry",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("vehicle_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("done_on", sa.Date(), nullable=False),
        sa.Column("odometer_m", sa.BigInteger(), nullable=True),
        sa.Column("cost_minor", sa.BigInteger(), nullable=True),
        sa.Column("note", sa.String(length=500), nullable=True),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_vehicle_log_entry")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("vehicle_log_entry", schema=None) as batch_op:
        batch_op.create_index(
            "ix_vehicle_log_entry_client_id_vehicle_id_done_on", ["client_id", "vehicle_id", "done_on"], unique=False
        )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("vehicle_log_entry")
    op.drop_table("vehicle_document")
    with op.batch_alter_table("vehicle", schema=None) as batch_op:
        for name, _ in reversed(ADDED):
            batch_op.drop_column(name)
