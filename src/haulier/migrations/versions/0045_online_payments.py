"""Online payments; ship-outs are found by their delivery."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0045"
down_revision: str | Sequence[str] | None = "0044"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "online_dispute",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("payment_id", tables.Id, nullable=False),
        sa.Column("dispute_ref", sa.String(length=255), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(length=60), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "dispute_ref", name=op.f("uq_online_dispute_client_id_dispute_ref")),
        tables.TenantKey("id", name=op.f("pk_online_dispute")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("online_dispute", schema=None) as batch_op:
        batch_op.create_index("ix_online_dispute_payment", ["client_id", "payment_id"], unique=False)

    op.create_table(
        "online_payment",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("subject_id", tables.Id, nullable=True),
        sa.Column("price_family", sa.String(length=20), nullable=True),
        sa.Column("status", sa.String(length=30), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=True),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("refunded_minor", sa.BigInteger(), nullable=False),
        sa.Column("disputed_minor", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("intent_ref", sa.String(length=255), nullable=True),
        sa.Column("seen_at", tables.UTCDateTime(), nullable=True),
        sa.Column("cancel_asked_at", tables.UTCDateTime(), nullable=True),
        sa.Column("order_paid", sa.Boolean(), nullable=True),
        sa.Column("failure_code", sa.String(length=60), nullable=True),
        sa.Column("failure_text", sa.String(length=300), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("settled_at", tables.UTCDateTime(), nullable=True),
        sa.CheckConstraint("amount_minor > 0", name=op.f("ck_online_payment_amount")),
        sa.UniqueConstraint("client_id", "intent_ref", name=op.f("uq_online_payment_client_id_intent_ref")),
        sa.UniqueConstraint("client_id", "key", name=op.f("uq_online_payment_client_id_key")),
        tables.TenantKey("id", name=op.f("pk_online_payment")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("online_payment", schema=None) as batch_op:
        batch_op.create_index("ix_online_payment_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index(
            "uq_online_payment_open",
            ["client_id", "purpose", "subject_id"],
            unique=True,
            sqlite_where=sa.text("open AND subject_id IS NOT NULL"),
            postgresql_where=sa.text("open AND subject_id IS NOT NULL"),
        )

    op.create_table(
        "online_refund",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("payment_id", tables.Id, nullable=False),
        sa.Column("key", sa.String(length=320), nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=True),
        sa.Column("refund_ref", sa.String(length=255), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("taken_from", sa.String(length=20), nullable=False),
        sa.Column("asked_at", tables.UTCDateTime(), nullable=True),
        sa.Column("reason", sa.String(length=255), nullable=True),
        sa.Column("by_user_id", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "key", name=op.f("uq_online_refund_client_id_key")),
        sa.UniqueConstraint("client_id", "refund_ref", name=op.f("uq_online_refund_client_id_refund_ref")),
        tables.TenantKey("id", name=op.f("pk_online_refund")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("online_refund", schema=None) as batch_op:
        batch_op.create_index("ix_online_refund_payment", ["client_id", "payment_id"], unique=False)

    op.create_table(
        "payment_account",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("provider", sa.String(length=30), nullable=False),
        sa.Column("endpoint_key", sa.String(length=60), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("test_mode", sa.Boolean(), nullable=False),
        sa.Column("sealed_credentials", sa.Text(), nullable=True),
        sa.Column("credential_names", tables.Json(), nullable=False),
        sa.Column("tested_at", tables.UTCDateTime(), nullable=True),
        sa.Column("test_fault", sa.String(length=300), nullable=True),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_account")),
        sa.UniqueConstraint("client_id", name=op.f("uq_payment_account_client_id")),
        sa.UniqueConstraint("endpoint_key", name=op.f("uq_payment_account_endpoint_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "payment_notice",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("notice_ref", sa.String(length=255), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("received_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "notice_ref", name=op.f("uq_payment_notice_client_id_notice_ref")),
        tables.TenantKey("id", name=op.f("pk_payment_notice")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("payment_notice", schema=None) as batch_op:
        batch_op.create_index("ix_payment_notice_received", ["client_id", "received_at"], unique=False)
    with op.batch_alter_table("shipout", schema=None) as batch_op:
        batch_op.create_index("ix_shipout_order", ["client_id", "order_id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("shipout", schema=None) as batch_op:
        batch_op.drop_index("ix_shipout_order")
    with op.batch_alter_table("payment_notice", schema=None) as batch_op:
        batch_op.drop_index("ix_payment_notice_received")

    op.drop_table("payment_notice")
    op.drop_table("payment_account")
    with op.batch_alter_table("online_refund", schema=None) as batch_op:
        batch_op.drop_index("ix_online_refund_payment")

    op.drop_table("online_refund")
    with op.batch_alter_table("online_payment", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_online_payment_open",
            sqlite_where=sa.text("open AND subject_id IS NOT NULL"),
            postgresql_where=sa.text("open AND subject_id IS NOT NULL"),
        )
        batch_op.drop_index("ix_online_payment_customer")

    op.drop_table("online_payment")
    with op.batch_alter_table("online_dispute", schema=None) as batch_op:
        batch_op.drop_index("ix_online_dispute_payment")

    op.drop_table("online_dispute")
