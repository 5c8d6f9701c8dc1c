"""Charges without stated taxes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0117"
down_revision: str | Sequence[str] | None = "0116"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Allow charge lines that leave their taxes to the invoice."""
    with op.batch_alter_table("charge_line", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("taxes", existing_type=tables.Json(), nullable=True)


def downgrade() -> None:
    """Take it back. Charges without stated taxes become untaxed."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    line = sa.table("charge_line", sa.column("taxes", tables.Json()))
    op.execute(sa.update(line).where(line.c.taxes.is_(None)).values(taxes=[]))
    with op.batch_alter_table("charge_line", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("taxes", existing_type=tables.Json(), nullable=False)
