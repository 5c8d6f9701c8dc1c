"""Checks and encodings of imports."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0112"
down_revision: str | Sequence[str] | None = "0111"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""

    with op.batch_alter_table("dataset_import", schema=None) as batch_op:
        batch_op.add_column(sa.Column("encoding", sa.String(length=30), nullable=True))

    with op.batch_alter_table("place_import", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("check_only", sa.Boolean(), server_default=sa.text("false"), nullable=False))
        batch_op.add_column(sa.Column("encoding", sa.String(length=30), nullable=True))

    with op.batch_alter_table(
        "sms_contact_import", schema=None, table_kwargs={"sqlite_autoincrement": True}
    ) as batch_op:
        batch_op.add_column(sa.Column("check_only", sa.Boolean(), server_default=sa.text("false"), nullable=False))
        batch_op.add_column(sa.Column("encoding", sa.String(length=30), nullable=True))

    with op.batch_alter_table("stock_import", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("check_only", sa.Boolean(), server_default=sa.text("false"), nullable=False))
        batch_op.add_column(sa.Column("encoding", sa.String(length=30), nullable=True))


def downgrade() -> None:
    """Take it back."""

    with op.batch_alter_table("stock_import", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("encoding")
        batch_op.drop_column("check_only")

    with op.batch_alter_table(
        "sms_contact_import", schema=None, table_kwargs={"sqlite_autoincrement": True}
    ) as batch_op:
        batch_op.drop_column("encoding")
        batch_op.drop_column("check_only")

    with op.batch_alter_table("place_import", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("encoding")
        batch_op.drop_column("check_only")

    with op.batch_alter_table("dataset_import", schema=None) as batch_op:
        batch_op.drop_column("encoding")
