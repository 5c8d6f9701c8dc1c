"""Partners and contractors: a partner's own order of one that they took, a contractor's answer and daily capacity."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0015"
down_revision: str | Sequence[str] | None = "0014"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.add_column(sa.Column("partner_offer_id", sa.BigInteger(), nullable=True))

    with op.batch_alter_table("partner_offer", schema=None) as batch_op:
        batch_op.add_column(sa.Column("partner_order_id", tables.Id, nullable=True))
        batch_op.add_column(sa.Column("reported_step_id", tables.Id, nullable=True))

    with op.batch_alter_table("broker_order_assignment", schema=None) as batch_op:
        batch_op.add_column(sa.Column("respond_by", tables.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column("accepted_at", tables.UTCDateTime(), nullable=True))

    op.create_table(
        "contractor_capacity",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("contractor_id", tables.Id, nullable=False),
        sa.Column("orders_per_day", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contractor_capacity")),
        sa.UniqueConstraint("client_id", "contractor_id", name=op.f("uq_contractor_capacity_client_id_contractor_id")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("contractor_capacity")
    with op.batch_alter_table("broker_order_assignment", schema=None) as batch_op:
        batch_op.drop_column("accepted_at")
        batch_op.drop_column("respond_by")

    with op.batch_alter_table("partner_offer", schema=None) as batch_op:
        batch_op.drop_column("reported_step_id")
        batch_op.drop_column("partner_order_id")

    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.drop_column("partner_offer_id")
