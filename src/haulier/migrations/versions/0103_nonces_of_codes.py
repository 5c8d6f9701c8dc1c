"""Nonces of codes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0103"
down_revision: str | Sequence[str] | None = "0102"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("locker_parcel", schema=None) as batch_op:
        batch_op.add_column(sa.Column("code_nonce", sa.LargeBinary(length=16), nullable=True))

    with op.batch_alter_table("luggage_booking", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pin_nonce", sa.LargeBinary(length=16), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("luggage_booking", schema=None) as batch_op:
        batch_op.drop_column("pin_nonce")

    with op.batch_alter_table("locker_parcel", schema=None) as batch_op:
        batch_op.drop_column("code_nonce")
