"""Freight shipments, their tariff and claims."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0145"
down_revision: str | Sequence[str] | None = "0144"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "freight_claim",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("freight_shipment_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("concealed", sa.Boolean(), nullable=False),
        sa.Column("note", sa.String(length=500), nullable=False),
        sa.Column("document_id", tables.Id, nullable=True),
        sa.Column("claimed_minor", sa.BigInteger(), nullable=False),
        sa.Column("approved_minor", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("transfer_id", tables.Id, nullable=True),
        sa.Column("file_until", sa.Date(), nullable=False),
        sa.Column("decide_until", sa.Date(), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=True),
        sa.Column("created_by", tables.Id, nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("decided_by", tables.Id, nullable=True),
        sa.Column("decided_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_freight_claim")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("freight_claim", schema=None) as batch_op:
        batch_op.create_index("ix_freight_claim_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_freight_claim_shipment", ["client_id", "freight_shipment_id", "id"], unique=False)
        batch_op.create_index("ix_freight_claim_state", ["client_id", "state", "id"], unique=False)
        batch_op.create_index(
            "uq_freight_claim_open",
            ["client_id", "freight_shipment_id", "kind"],
            unique=True,
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
        )

    op.create_table(
        "freight_shipment",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("customer_id", tables.Id, nullable=True),
        sa.Column("order_id", tables.Id, nullable=True),
        sa.Column("status", sa.String(length=30), nullable=False),
        sa.Column("claim_key", sa.String(length=130), nullable=True),
        sa.Column("shipment_ref", sa.String(length=100), nullable=True),
        sa.Column("created_as", tables.Json(), nullable=False),
        sa.Column("tracking_number", sa.String(length=40), nullable=False),
        sa.Column("carrier", sa.String(length=120), nullable=True),
        sa.Column("pro_number", sa.String(length=40), nullable=True),
        sa.Column("freight_terms", sa.String(length=20), nullable=False),
        sa.Column("parties", tables.Json(), nullable=False),
        sa.Column("shipper_city", sa.String(length=200), nullable=False),
        sa.Column("consignee_name", sa.String(length=200), nullable=False),
        sa.Column("consignee_city", sa.String(length=200), nullable=False),
        sa.Column("consignee_email", sa.String(length=254), nullable=True),
        sa.Column("consignee_phone", sa.String(length=50), nullable=True),
        sa.Column("handling_units", tables.Json(), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("weight_g", sa.BigInteger(), nullable=False),
        sa.Column("accessorials", tables.Json(), nullable=False),
        sa.Column("declared_value_minor", sa.BigInteger(), nullable=True),
        sa.Column("purchase_order", sa.String(length=200), nullable=True),
        sa.Column("instructions", sa.String(length=2000), nullable=True),
        sa.Column("emergency_phone", sa.String(length=50), nullable=True),
        sa.Column("appointments", tables.Json(), nullable=False),
        sa.Column("receipt", tables.Json(), nullable=True),
        sa.Column("price", tables.Json(), nullable=True),
        sa.Column("price_minor", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("transfer_id", tables.Id, nullable=True),
        sa.Column("charged_minor", sa.BigInteger(), nullable=True),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.Column("tendered_at", tables.UTCDateTime(), nullable=True),
        sa.Column("accepted_at", tables.UTCDateTime(), nullable=True),
        sa.Column("picked_up_at", tables.UTCDateTime(), nullable=True),
        sa.Column("delivered_at", tables.UTCDateTime(), nullable=True),
        sa.Column("cancelled_at", tables.UTCDateTime(), nullable=True),
        sa.Column("cancel_reason", sa.String(length=255), nullable=True),
        sa.UniqueConstraint("client_id", "claim_key", name=op.f("uq_freight_shipment_client_id_claim_key")),
        sa.UniqueConstraint("client_id", "tracking_number", name=op.f("uq_freight_shipment_client_id_tracking_number")),
        tables.TenantKey("id", name=op.f("pk_freight_shipment")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("freight_shipment", schema=None) as batch_op:
        batch_op.create_index("ix_freight_shipment_customer", ["client_id", "customer_id", "id"], unique=False)
        batch_op.create_index("ix_freight_shipment_order", ["client_id", "order_id", "id"], unique=False)
        batch_op.create_index("ix_freight_shipment_pro", ["client_id", "pro_number"], unique=False)
        batch_op.create_index("ix_freight_shipment_status", ["client_id", "status", "id"], unique=False)

    op.create_table(
        "freight_tariff",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("terms", tables.Json(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_freight_tariff_client_id")),
        tables.TenantKey("id", name=op.f("pk_freight_tariff")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("freight_tariff")
    op.drop_table("freight_shipment")
    op.drop_table("freight_claim")
