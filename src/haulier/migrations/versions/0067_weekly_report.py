"""Who gets the letter of Monday with the figures of the week before."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0067"
down_revision: str | Sequence[str] | None = "0066"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "weekly_report_subscription",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("since", tables.UTCDateTime(), nullable=False),
        sa.Column("not_before", sa.Date(), nullable=False),
        sa.Column("last_week", sa.Date(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_weekly_report_subscription")),
        sa.UniqueConstraint("client_id", "user_id", name=op.f("uq_weekly_report_subscription_client_id_user_id")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("weekly_report_subscription")
