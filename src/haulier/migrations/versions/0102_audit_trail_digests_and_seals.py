"""Audit trail digests and seals."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.adapters.audit_guard import drop_audit_guard_ddl
from haulier.kernel.data import tables

revision: str = "0102"
down_revision: str | Sequence[str] | None = "0101"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "audit_seal",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("owner_client_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sealed_at", tables.UTCDateTime(), nullable=False),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.Column("entries", tables.Json(), nullable=False),
        sa.Column("previous", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_seal")),
        sa.UniqueConstraint("owner_client_id", "number", name=op.f("uq_audit_seal_owner_client_id_number")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("audit_seal", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_seal_sealed_at"), ["sealed_at"], unique=False)

    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.add_column(sa.Column("salt", sa.String(length=32), nullable=True))
        batch_op.add_column(sa.Column("digest", sa.String(length=32), nullable=True))


def downgrade() -> None:
    """Take it back."""
    # Why: SQLite copies the table, which triggers that name the column refuse.
    for statement in drop_audit_guard_ddl(op.get_bind().dialect):
        op.execute(statement)
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.drop_column("digest")
        batch_op.drop_column("salt")

    with op.batch_alter_table("audit_seal", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_seal_sealed_at"))

    op.drop_table("audit_seal")
