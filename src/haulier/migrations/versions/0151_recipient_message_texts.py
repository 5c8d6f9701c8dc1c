"""Wordings of messages to recipients, by language."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0151"
down_revision: str | Sequence[str] | None = "0147"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "recipient_message_text",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("message", sa.String(length=20), nullable=False),
        sa.Column("language", sa.String(length=10), nullable=False),
        sa.Column("subject", sa.String(length=150), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("sms", sa.String(length=480), nullable=True),
        sa.Column("changed_at", tables.UTCDateTime(), nullable=False),
        sa.UniqueConstraint(
            "client_id", "message", "language", name=op.f("uq_recipient_message_text_client_id_message_language")
        ),
        tables.TenantKey("id", name=op.f("pk_recipient_message_text")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("recipient_message_text")
