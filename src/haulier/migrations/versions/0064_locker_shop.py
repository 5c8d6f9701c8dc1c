"""The locker shop: products, pieces in boxes, purchases and their links."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0064"
down_revision: str | Sequence[str] | None = "0063"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "shop_item",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("product_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=False),
        sa.Column("parcel_id", tables.Id, nullable=False),
        sa.Column("task_id", tables.Id, nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("expires_on", sa.Date(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("available_at", tables.UTCDateTime(), nullable=True),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        sa.UniqueConstraint("client_id", "parcel_id", name=op.f("uq_shop_item_client_id_parcel_id")),
        tables.TenantKey("id", name=op.f("pk_shop_item")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("shop_item", schema=None) as batch_op:
        batch_op.create_index("ix_shop_item_expiry", ["client_id", "status", "expires_on"], unique=False)
        batch_op.create_index(
            "ix_shop_item_offer", ["client_id", "site_id", "product_id", "status", "expires_on"], unique=False
        )

    op.create_table(
        "shop_link",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("purchase_id", tables.Id, nullable=False),
        sa.Column("token_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("expires_at", tables.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shop_link")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_shop_link_token_sha256")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("shop_link", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_shop_link_client_id"), ["client_id"], unique=False)

    op.create_table(
        "shop_product",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=500), nullable=True),
        sa.Column("shelf_price_minor", sa.BigInteger(), nullable=False),
        sa.Column("shelf_currency", sa.String(length=3), nullable=False),
        sa.Column("tax_name", sa.String(length=30), nullable=False),
        sa.Column("tax_basis_points", sa.Integer(), nullable=False),
        sa.Column("size", sa.String(length=2), nullable=False),
        sa.Column("shelf_days", sa.Integer(), nullable=True),
        sa.Column("picture_id", tables.Id, nullable=True),
        sa.Column("retired", sa.Boolean(), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.CheckConstraint("shelf_price_minor > 0", name=op.f("ck_shop_product_price")),
        sa.UniqueConstraint("client_id", "code", name=op.f("uq_shop_product_client_id_code")),
        tables.TenantKey("id", name=op.f("pk_shop_product")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("shop_product", schema=None) as batch_op:
        batch_op.create_index("ix_shop_product_name", ["client_id", "retired", "name"], unique=False)

    op.create_table(
        "shop_purchase",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("product_id", tables.Id, nullable=False),
        sa.Column("product_name", sa.String(length=120), nullable=False),
        sa.Column("item_id", tables.Id, nullable=False),
        sa.Column("parcel_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("customer_id", tables.Id, nullable=False),
        sa.Column("buyer_email", sa.String(length=254), nullable=True),
        sa.Column("language", sa.String(length=10), nullable=True),
        sa.Column("device_id", tables.Id, nullable=True),
        sa.Column("frame_sequence", sa.BigInteger(), nullable=True),
        sa.Column("shelf_price_minor", sa.BigInteger(), nullable=False),
        sa.Column("tax_minor", sa.BigInteger(), nullable=False),
        sa.Column("tax_name", sa.String(length=30), nullable=False),
        sa.Column("tax_basis_points", sa.Integer(), nullable=False),
        sa.Column("shelf_currency", sa.String(length=3), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("paid_by", sa.String(length=20), nullable=True),
        sa.Column("transfer_id", tables.Id, nullable=True),
        sa.Column("end_reason", sa.String(length=20), nullable=True),
        sa.Column("note", sa.String(length=255), nullable=True),
        sa.Column("taken_after_refund", sa.Boolean(), nullable=False),
        sa.Column("reserved_until", tables.UTCDateTime(), nullable=False),
        sa.Column("pickup_until", tables.UTCDateTime(), nullable=True),
        sa.Column("sold_on", sa.Date(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("paid_at", tables.UTCDateTime(), nullable=True),
        sa.Column("ready_at", tables.UTCDateTime(), nullable=True),
        sa.Column("collected_at", tables.UTCDateTime(), nullable=True),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        sa.UniqueConstraint(
            "client_id", "device_id", "frame_sequence", name=op.f("uq_shop_purchase_client_id_device_id_frame_sequence")
        ),
        tables.TenantKey("id", name=op.f("pk_shop_purchase")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("shop_purchase", schema=None) as batch_op:
        batch_op.create_index("ix_shop_purchase_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_shop_purchase_parcel", ["client_id", "parcel_id"], unique=False)
        batch_op.create_index("ix_shop_purchase_sold", ["client_id", "sold_on"], unique=False)
        batch_op.create_index("ix_shop_purchase_status", ["client_id", "status", "id"], unique=False)
        batch_op.create_index(
            "uq_shop_purchase_item",
            ["client_id", "item_id"],
            unique=True,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "shop_restock_task",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("site_id", tables.Id, nullable=False),
        sa.Column("product_id", tables.Id, nullable=False),
        sa.Column("quantity", sa.Integer(), nullable=False),
        sa.Column("filled", sa.Integer(), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("note", sa.String(length=500), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("closed_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_shop_restock_task")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("shop_restock_task", schema=None) as batch_op:
        batch_op.create_index("ix_shop_restock_task_status", ["client_id", "status", "site_id"], unique=False)

    op.create_table(
        "shop_settings",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("walk_in_customer_id", tables.Id, nullable=True),
        sa.Column("reserve_min", sa.Integer(), nullable=False),
        sa.Column("pickup_hours", sa.Integer(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_shop_settings_client_id")),
        tables.TenantKey("id", name=op.f("pk_shop_settings")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("online_payment", schema=None) as batch_op:
        batch_op.create_index("ix_online_payment_subject", ["client_id", "purpose", "subject_id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("online_payment", schema=None) as batch_op:
        batch_op.drop_index("ix_online_payment_subject")

    op.drop_table("shop_settings")
    with op.batch_alter_table("shop_restock_task", schema=None) as batch_op:
        batch_op.drop_index("ix_shop_restock_task_status")

    op.drop_table("shop_restock_task")
    with op.batch_alter_table("shop_purchase", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_shop_purchase_item",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.drop_index("ix_shop_purchase_status")
        batch_op.drop_index("ix_shop_purchase_sold")
        batch_op.drop_index("ix_shop_purchase_parcel")
        batch_op.drop_index("ix_shop_purchase_customer")

    op.drop_table("shop_purchase")
    with op.batch_alter_table("shop_product", schema=None) as batch_op:
        batch_op.drop_index("ix_shop_product_name")

    op.drop_table("shop_product")
    with op.batch_alter_table("shop_link", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_shop_link_client_id"))

    op.drop_table("shop_link")
    with op.batch_alter_table("shop_item", schema=None) as batch_op:
        batch_op.drop_index("ix_shop_item_offer")
        batch_op.drop_index("ix_shop_item_expiry")

    op.drop_table("shop_item")
