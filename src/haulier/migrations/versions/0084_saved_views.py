"""Views of lists that are kept under a name, and those that lists open with."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0084"
down_revision: str | Sequence[str] | None = "0083"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "first_view",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("noun", sa.String(length=80), nullable=False),
        sa.Column("view_id", tables.Id, nullable=False),
        sa.UniqueConstraint("client_id", "user_id", "noun", name=op.f("uq_first_view_client_id_user_id_noun")),
        tables.TenantKey("id", name=op.f("pk_first_view")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("first_view", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_first_view_view_id"), ["view_id"], unique=False)

    op.create_table(
        "saved_view",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("noun", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("filters", tables.Json(), nullable=False),
        sa.Column("columns", tables.Json(), nullable=False),
        sa.Column("kept_for", tables.Id, nullable=False),
        sa.Column("made_by", tables.Id, nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id", "kept_for", "noun", "name", name=op.f("uq_saved_view_client_id_kept_for_noun_name")
        ),
        tables.TenantKey("id", name=op.f("pk_saved_view")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("saved_view")
    with op.batch_alter_table("first_view", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_first_view_view_id"))

    op.drop_table("first_view")
