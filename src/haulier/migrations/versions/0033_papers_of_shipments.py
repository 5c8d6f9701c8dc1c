"""Documents about shipments and about what is handed over to carriers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0033"
down_revision: str | Sequence[str] | None = "0032"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "issued_document_shipment",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("document_id", tables.Id, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("shipment_id", tables.Id, nullable=False),
        sa.UniqueConstraint(
            "client_id",
            "document_id",
            "position",
            name=op.f("uq_issued_document_shipment_client_id_document_id_position"),
        ),
        tables.TenantKey("id", name=op.f("pk_issued_document_shipment")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("issued_document_shipment", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_issued_document_shipment_client_id_shipment_id_document_id"),
            ["client_id", "shipment_id", "document_id"],
            unique=False,
        )
    with op.batch_alter_table("issued_document", schema=None) as batch_op:
        batch_op.add_column(sa.Column("subject", sa.String(length=20), nullable=True))
        batch_op.add_column(sa.Column("manifest_id", tables.Id, nullable=True))
    # Why: until now a document was about a route, or about orders.
    op.execute("UPDATE issued_document SET subject = CASE WHEN route_id IS NULL THEN 'orders' ELSE 'route' END")
    with op.batch_alter_table("issued_document", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("subject", existing_type=sa.String(length=20), nullable=False)


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("issued_document", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("manifest_id")
        batch_op.drop_column("subject")
    with op.batch_alter_table("issued_document_shipment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_issued_document_shipment_client_id_shipment_id_document_id"))
    op.drop_table("issued_document_shipment")
