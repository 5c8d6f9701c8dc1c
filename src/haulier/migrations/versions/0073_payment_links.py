"""Payment links; and payments know whether a link brought them, so that what is given back goes to the card."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0073"
down_revision: str | Sequence[str] | None = "0072"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    with op.batch_alter_table("online_payment", schema=None) as batch_op:
        batch_op.add_column(sa.Column("by_link", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(
        "UPDATE online_payment SET by_link = true WHERE purpose = 'shop_purchase' AND EXISTS (SELECT 1 FROM shop_purchase"
        " WHERE shop_purchase.client_id = online_payment.client_id AND shop_purchase.id = online_payment.subject_id"
        " AND shop_purchase.channel <> 'customer')"
    )
    with op.batch_alter_table("online_payment", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("by_link", server_default=None)
    op.create_table(
        "payment_link",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("subject_id", tables.Id, nullable=False),
        sa.Column("token_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("expires_at", tables.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_link")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_payment_link_token_sha256")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("payment_link", schema=None) as batch_op:
        batch_op.create_index("ix_payment_link_expires", ["client_id", "expires_at"], unique=False)


def downgrade() -> None:
    """Take it back."""
    op.drop_table("payment_link")
    with op.batch_alter_table("online_payment", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("by_link")
