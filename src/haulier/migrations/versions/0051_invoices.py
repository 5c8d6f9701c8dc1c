"""Invoices, and labels of ship-outs."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0051"
down_revision: str | Sequence[str] | None = "0050"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "billing_terms",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=False),
        sa.Column("period", sa.String(length=10), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("payment_terms_days", sa.Integer(), nullable=True),
        sa.Column("tax_rate_bp", sa.Integer(), nullable=True),
        sa.Column("billing_name", sa.String(length=120), nullable=False),
        sa.Column("address_lines", tables.Json(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("dunning", sa.Boolean(), nullable=False),
        sa.Column("next_invoice_on", sa.Date(), nullable=True),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", "customer_id", name=op.f("uq_billing_terms_client_id_customer_id")),
        tables.TenantKey("id", name=op.f("pk_billing_terms")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("billing_terms", schema=None) as batch_op:
        batch_op.create_index("ix_billing_terms_next", ["client_id", "next_invoice_on"], unique=False)

    op.create_table(
        "dunning_letter",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("invoice_id", tables.Id, nullable=False),
        sa.Column("level", sa.SmallInteger(), nullable=False),
        sa.Column("days_overdue", sa.Integer(), nullable=False),
        sa.Column("fee_minor", sa.BigInteger(), nullable=False),
        sa.Column("written_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id", "invoice_id", "level", name=op.f("uq_dunning_letter_client_id_invoice_id_level")
        ),
        tables.TenantKey("id", name=op.f("pk_dunning_letter")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "invoice",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("number", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("customer_id", tables.Id, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("issued_on", sa.Date(), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=True),
        sa.Column("total_minor", sa.BigInteger(), nullable=False),
        sa.Column("tax_minor", sa.BigInteger(), nullable=False),
        sa.Column("covered_minor", sa.BigInteger(), nullable=False),
        sa.Column("paid_minor", sa.BigInteger(), nullable=False),
        sa.Column("credited_minor", sa.BigInteger(), nullable=False),
        sa.Column("tax_name", sa.String(length=40), nullable=False),
        sa.Column("tax_rate_bp", sa.Integer(), nullable=False),
        sa.Column("price_families", tables.Json(), nullable=False),
        sa.Column("billing_name", sa.String(length=120), nullable=False),
        sa.Column("address_lines", tables.Json(), nullable=False),
        sa.Column("issuer_lines", tables.Json(), nullable=False),
        sa.Column("payment_instructions", sa.String(length=500), nullable=False),
        sa.Column("refers_to", tables.Id, nullable=True),
        sa.Column("reason", sa.String(length=255), nullable=True),
        sa.Column("dunning", sa.Boolean(), nullable=False),
        sa.Column("dunning_level", sa.SmallInteger(), nullable=False),
        sa.Column("document_id", tables.Id, nullable=True),
        sa.Column("sent_at", tables.UTCDateTime(), nullable=True),
        sa.Column("paid_at", tables.UTCDateTime(), nullable=True),
        sa.Column("voided_at", tables.UTCDateTime(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.CheckConstraint(
            "total_minor > 0 AND credited_minor BETWEEN 0 AND total_minor", name=op.f("ck_invoice_amount")
        ),
        sa.UniqueConstraint("client_id", "kind", "number", name=op.f("uq_invoice_client_id_kind_number")),
        tables.TenantKey("id", name=op.f("pk_invoice")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("invoice", schema=None) as batch_op:
        batch_op.create_index("ix_invoice_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_invoice_status", ["client_id", "status", "dunning_level", "due_on"], unique=False)

    op.create_table(
        "invoice_line",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("invoice_id", tables.Id, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("transfer_id", tables.Id, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("at", tables.UTCDateTime(), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("subject_kind", sa.String(length=30), nullable=True),
        sa.Column("subject_id", tables.Id, nullable=True),
        sa.Column("price_family", sa.String(length=20), nullable=True),
        sa.Column("reason", sa.String(length=255), nullable=True),
        sa.UniqueConstraint(
            "client_id", "invoice_id", "position", name=op.f("uq_invoice_line_client_id_invoice_id_position")
        ),
        tables.TenantKey("id", name=op.f("pk_invoice_line")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "invoicing_setting",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("invoice_prefix", sa.String(length=12), nullable=False),
        sa.Column("credit_note_prefix", sa.String(length=12), nullable=False),
        sa.Column("issuer_lines", tables.Json(), nullable=False),
        sa.Column("tax_name", sa.String(length=40), nullable=False),
        sa.Column("tax_rate_bp", sa.Integer(), nullable=False),
        sa.Column("payment_terms_days", sa.Integer(), nullable=False),
        sa.Column("payment_instructions", sa.String(length=500), nullable=False),
        sa.Column("dunning", tables.Json(), nullable=False),
        sa.Column("invoices", sa.Integer(), nullable=False),
        sa.Column("credit_notes", sa.Integer(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_invoicing_setting_client_id")),
        tables.TenantKey("id", name=op.f("pk_invoicing_setting")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("issued_document", schema=None) as batch_op:
        batch_op.add_column(sa.Column("invoice_id", tables.Id, nullable=True))
    with op.batch_alter_table("shipout", schema=None) as batch_op:
        batch_op.add_column(sa.Column("shipment_id", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("label_fault", sa.String(length=500), nullable=True))
        batch_op.create_index("ix_shipout_shipment", ["client_id", "shipment_id"], unique=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("shipout", schema=None) as batch_op:
        batch_op.drop_index("ix_shipout_shipment")
        batch_op.drop_column("label_fault")
        batch_op.drop_column("shipment_id")
    with op.batch_alter_table("issued_document", schema=None) as batch_op:
        batch_op.drop_column("invoice_id")

    op.drop_table("invoicing_setting")
    op.drop_table("invoice_line")
    with op.batch_alter_table("invoice", schema=None) as batch_op:
        batch_op.drop_index("ix_invoice_status")
        batch_op.drop_index("ix_invoice_customer")

    op.drop_table("invoice")
    op.drop_table("dunning_letter")
    with op.batch_alter_table("billing_terms", schema=None) as batch_op:
        batch_op.drop_index("ix_billing_terms_next")

    op.drop_table("billing_terms")
