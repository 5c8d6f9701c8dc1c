"""Links with which drivers sign in."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0054"
down_revision: str | Sequence[str] | None = "0053"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "sign_in_link",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("token_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("made_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("expires_at", tables.UTCDateTime(), nullable=False),
        sa.Column("used_at", tables.UTCDateTime(), nullable=True),
        sa.Column("revoked_at", tables.UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_link")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_sign_in_link_token_sha256")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sign_in_link", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_in_link_client_id"), ["client_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_sign_in_link_user_id"), ["user_id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    op.drop_table("sign_in_link")
