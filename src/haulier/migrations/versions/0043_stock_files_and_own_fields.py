"""Files of stock, own fields of products, counts by scanners."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0043"
down_revision: str | Sequence[str] | None = "0041"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "stock_import",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("cancelled_at", tables.UTCDateTime(), nullable=True),
        sa.Column("finished_at", tables.UTCDateTime(), nullable=True),
        sa.Column("account", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=True),
        tables.TenantKey("id", name=op.f("pk_stock_import")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("stock_import", schema=None) as batch_op:
        batch_op.create_index("ix_stock_import_finished", ["client_id", "finished_at"], unique=False)

    op.create_table(
        "stock_import_row",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("document", tables.Json(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("record", sa.String(length=100), nullable=True),
        sa.Column("fault", tables.Json(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_stock_import_row")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("stock_import_row", schema=None) as batch_op:
        batch_op.create_index("ix_stock_import_row_state", ["client_id", "import_id", "state", "number"], unique=False)

    with op.batch_alter_table("product", schema=None) as batch_op:
        batch_op.add_column(sa.Column("unit_value_minor", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("custom_fields", tables.Json(), nullable=True))

    with op.batch_alter_table("stock_count_line", schema=None) as batch_op:
        batch_op.add_column(sa.Column("counted_at", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("scan_id", tables.Id, nullable=True))

    with op.batch_alter_table("expected_arrival", schema=None) as batch_op:
        batch_op.add_column(sa.Column("missed_at", tables.UTCDateTime(), nullable=True))

    with op.batch_alter_table("stock_movement", schema=None) as batch_op:
        batch_op.create_index("ix_stock_movement_occurred", ["client_id", "product_id", "occurred_at"], unique=False)


def downgrade() -> None:
    """Take it back. Fields of products are forgotten: an earlier version knows no such kind of record."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    op.execute("DELETE FROM custom_field_key WHERE kind = 'product'")
    op.execute("DELETE FROM custom_field WHERE kind = 'product'")
    with op.batch_alter_table("stock_movement", schema=None) as batch_op:
        batch_op.drop_index("ix_stock_movement_occurred")

    with op.batch_alter_table("expected_arrival", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("missed_at")

    with op.batch_alter_table("stock_count_line", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("scan_id")
        batch_op.drop_column("counted_at")

    with op.batch_alter_table("product", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("custom_fields")
        batch_op.drop_column("unit_value_minor")

    with op.batch_alter_table("stock_import_row", schema=None) as batch_op:
        batch_op.drop_index("ix_stock_import_row_state")

    op.drop_table("stock_import_row")
    with op.batch_alter_table("stock_import", schema=None) as batch_op:
        batch_op.drop_index("ix_stock_import_finished")

    op.drop_table("stock_import")
