"""The code of the first start, with which the first business of a server is made in the browser."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0074"
down_revision: str | Sequence[str] | None = "0073"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "setup_code",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("code_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("used_at", tables.UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setup_code")),
        sa.UniqueConstraint("slot", name=op.f("uq_setup_code_slot")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("setup_code")
