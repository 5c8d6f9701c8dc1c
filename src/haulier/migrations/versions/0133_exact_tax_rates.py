"""Exact tax rates, and net prices."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0133"
down_revision: str | Sequence[str] | None = "0132"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "contract"


_rate = sa.table("tax_rate", sa.column("rate_ppm", sa.Integer()))


def _scale(value: sa.ColumnElement[int]) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    op.execute(sa.update(_rate).values(rate_ppm=value))


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("tax_rate", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("rate_bp", new_column_name="rate_ppm", existing_type=sa.Integer())
    _scale(_rate.c.rate_ppm * 100)
    with op.batch_alter_table("tax_setting", schema=None) as batch_op:
        batch_op.add_column(sa.Column("prices_include_tax", sa.Boolean(), nullable=True))
        batch_op.add_column(sa.Column("seeded_countries", tables.Json(), nullable=True))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("tax_setting", schema=None) as batch_op:
        batch_op.drop_column("seeded_countries")
        batch_op.drop_column("prices_include_tax")
    _scale(_rate.c.rate_ppm // 100)
    with op.batch_alter_table("tax_rate", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("rate_ppm", new_column_name="rate_bp", existing_type=sa.Integer())
