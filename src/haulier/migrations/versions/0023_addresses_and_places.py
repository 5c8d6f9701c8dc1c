"""The address book, its imports, what is known of places, and orders that nobody could place."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0023"
down_revision: str | Sequence[str] | None = "0022"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

STANDING = {"sqlite_where": sa.text("deleted_at IS NULL"), "postgresql_where": sa.text("deleted_at IS NULL")}


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "address",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("company", sa.String(length=200), nullable=True),
        sa.Column("address", sa.String(length=200), nullable=False),
        sa.Column("unit", sa.String(length=200), nullable=True),
        sa.Column("city", sa.String(length=200), nullable=False),
        sa.Column("region", sa.String(length=200), nullable=True),
        sa.Column("postal_code", sa.String(length=20), nullable=True),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("phone", sa.String(length=50), nullable=True),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("lat", sa.Float(), nullable=True),
        sa.Column("lng", sa.Float(), nullable=True),
        sa.Column("quality", sa.String(length=20), nullable=True),
        sa.Column("access_notes", sa.Text(), nullable=True),
        sa.Column("gate_code", sa.String(length=50), nullable=True),
        sa.Column("reference", sa.String(length=100), nullable=True),
        sa.Column("default_sender", sa.Boolean(), nullable=False),
        sa.Column("place_key", sa.String(length=32), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("merged_into_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.Column("deleted_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_address")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("address", schema=None) as batch_op:
        batch_op.create_index("ix_address_name", ["client_id", "name", "id"], unique=False)
        batch_op.create_index("ix_address_place", ["client_id", "place_key", "name_key"], unique=False, **STANDING)
        batch_op.create_index(
            "uq_address_default_sender",
            ["client_id", "default_sender"],
            unique=True,
            sqlite_where=sa.text("default_sender AND deleted_at IS NULL"),
            postgresql_where=sa.text("default_sender AND deleted_at IS NULL"),
        )
        batch_op.create_index("uq_address_reference", ["client_id", "reference"], unique=True, **STANDING)

    op.create_table(
        "address_import",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("file_name", sa.String(length=200), nullable=True),
        sa.Column("format", sa.String(length=10), nullable=False),
        sa.Column("mapping", tables.Json(), nullable=False),
        sa.Column("check_only", sa.Boolean(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=True),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("cancelled_at", tables.UTCDateTime(), nullable=True),
        sa.Column("finished_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_address_import")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("address_import", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_address_import_client_id"), ["client_id"], unique=False)

    op.create_table(
        "address_import_row",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=100), nullable=True),
        sa.Column("address_id", sa.BigInteger(), nullable=True),
        sa.Column("fault", tables.Json(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_address_import_row")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("address_import_row", schema=None) as batch_op:
        batch_op.create_index("ix_address_import_row_number", ["client_id", "import_id", "number"], unique=False)
        batch_op.create_index("ix_address_import_row_state", ["client_id", "import_id", "state"], unique=False)

    op.create_table(
        "address_words",
        sa.Column("id", tables.Id, autoincrement=False, nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_address_words")),
    )
    op.create_table(
        "known_place",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("place_key", sa.String(length=32), nullable=False),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("lng", sa.Float(), nullable=False),
        sa.Column("quality", sa.String(length=20), nullable=False),
        sa.Column("source", sa.String(length=40), nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=True),
        sa.Column("learned_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "place_key", name=op.f("uq_known_place_client_id_place_key")),
        tables.TenantKey("id", name=op.f("pk_known_place")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "open_address",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("region", sa.String(length=100), nullable=True),
        sa.Column("city", sa.String(length=200), nullable=False),
        sa.Column("postal_code", sa.String(length=20), nullable=True),
        sa.Column("address", sa.String(length=200), nullable=False),
        sa.Column("unit", sa.String(length=100), nullable=True),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("lng", sa.Float(), nullable=False),
        sa.Column("source", sa.String(length=100), nullable=False),
        sa.Column("code_key", sa.String(length=32), nullable=True),
        sa.Column("town_key", sa.String(length=32), nullable=True),
        sa.Column("street_code_key", sa.String(length=32), nullable=True),
        sa.Column("street_town_key", sa.String(length=32), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_open_address")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("open_address", schema=None) as batch_op:
        batch_op.create_index("ix_open_address_code_key", ["code_key"], unique=False)
        batch_op.create_index("ix_open_address_source", ["source"], unique=False)
        batch_op.create_index("ix_open_address_street_code_key", ["street_code_key"], unique=False)
        batch_op.create_index("ix_open_address_street_town_key", ["street_town_key"], unique=False)
        batch_op.create_index("ix_open_address_town_key", ["town_key"], unique=False)

    op.create_table(
        "open_place",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("region", sa.String(length=100), nullable=True),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("lng", sa.Float(), nullable=False),
        sa.Column("population", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_open_place")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("open_place", schema=None) as batch_op:
        batch_op.create_index("ix_open_place_key", ["country", "key"], unique=False)
        batch_op.create_index("ix_open_place_source", ["source"], unique=False)

    op.create_table(
        "unplaced_order",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.Column("order_end", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("lat", sa.Float(), nullable=True),
        sa.Column("lng", sa.Float(), nullable=True),
        sa.Column("quality", sa.String(length=20), nullable=True),
        sa.Column("tried_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id", "order_id", "order_end", name=op.f("uq_unplaced_order_client_id_order_id_order_end")
        ),
        tables.TenantKey("id", name=op.f("pk_unplaced_order")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("unplaced_order")
    with op.batch_alter_table("open_place", schema=None) as batch_op:
        batch_op.drop_index("ix_open_place_source")
        batch_op.drop_index("ix_open_place_key")

    op.drop_table("open_place")
    with op.batch_alter_table("open_address", schema=None) as batch_op:
        batch_op.drop_index("ix_open_address_town_key")
        batch_op.drop_index("ix_open_address_street_town_key")
        batch_op.drop_index("ix_open_address_street_code_key")
        batch_op.drop_index("ix_open_address_source")
        batch_op.drop_index("ix_open_address_code_key")

    op.drop_table("open_address")
    op.drop_table("known_place")
    op.drop_table("address_words")
    with op.batch_alter_table("address_import_row", schema=None) as batch_op:
        batch_op.drop_index("ix_address_import_row_state")
        batch_op.drop_index("ix_address_import_row_number")

    op.drop_table("address_import_row")
    with op.batch_alter_table("address_import", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_address_import_client_id"))

    op.drop_table("address_import")
    with op.batch_alter_table("address", schema=None) as batch_op:
        batch_op.drop_index("uq_address_reference", **STANDING)
        batch_op.drop_index(
            "uq_address_default_sender",
            sqlite_where=sa.text("default_sender AND deleted_at IS NULL"),
            postgresql_where=sa.text("default_sender AND deleted_at IS NULL"),
        )
        batch_op.drop_index("ix_address_place", **STANDING)
        batch_op.drop_index("ix_address_name")

    op.drop_table("address")
