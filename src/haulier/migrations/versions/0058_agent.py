"""Conversations with the operations agent, and what they cost."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0058"
down_revision: str | Sequence[str] | None = "0057"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "agent_event",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("agent_session_id", tables.Id, nullable=False),
        sa.Column("agent_turn_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("data", tables.Json(), nullable=True),
        sa.Column("at", tables.UTCDateTime(), nullable=False),
        tables.TenantKey("id", name=op.f("pk_agent_event")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("agent_event", schema=None) as batch_op:
        batch_op.create_index("ix_agent_event_session", ["client_id", "agent_session_id", "id"], unique=False)

    op.create_table(
        "agent_policy",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("daily_turns", sa.Integer(), nullable=False),
        sa.Column("max_steps", sa.Integer(), nullable=False),
        sa.Column("max_tokens", sa.Integer(), nullable=False),
        sa.Column("max_seconds", sa.Integer(), nullable=False),
        sa.Column("max_cost_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("shows_prices", sa.Boolean(), nullable=False),
        sa.UniqueConstraint("client_id", name=op.f("uq_agent_policy_client_id")),
        tables.TenantKey("id", name=op.f("pk_agent_policy")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "agent_session",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("title", sa.String(length=120), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("created_at", tables.UTCDateTime(), nullable=False),
        sa.Column("updated_at", tables.UTCDateTime(), nullable=False),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        tables.TenantKey("id", name=op.f("pk_agent_session")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("agent_session", schema=None) as batch_op:
        batch_op.create_index("ix_agent_session_user", ["client_id", "user_id", "updated_at"], unique=False)

    op.create_table(
        "agent_turn",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("agent_session_id", tables.Id, nullable=False),
        sa.Column("user_id", tables.Id, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("ended_by", sa.String(length=20), nullable=True),
        sa.Column("model", sa.String(length=100), nullable=True),
        sa.Column("language", sa.String(length=10), nullable=False),
        sa.Column("token_id", tables.Id, nullable=True),
        sa.Column("scopes", tables.Json(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("asked_at", tables.UTCDateTime(), nullable=False),
        sa.Column("started_at", tables.UTCDateTime(), nullable=True),
        sa.Column("ended_at", tables.UTCDateTime(), nullable=True),
        sa.UniqueConstraint(
            "client_id", "agent_session_id", "number", name=op.f("uq_agent_turn_client_id_agent_session_id_number")
        ),
        tables.TenantKey("id", name=op.f("pk_agent_turn")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("agent_turn", schema=None) as batch_op:
        batch_op.create_index(
            "ux_agent_turn_active",
            ["client_id", "agent_session_id"],
            unique=True,
            sqlite_where=sa.text("status IN ('queued', 'running')"),
            postgresql_where=sa.text("status IN ('queued', 'running')"),
        )

    op.create_table(
        "agent_usage",
        sa.Column("id", tables.Id, sa.Identity(always=False), nullable=False),
        sa.Column("client_id", tables.Id, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_micro_usd", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("client_id", "day", name=op.f("uq_agent_usage_client_id_day")),
        tables.TenantKey("id", name=op.f("pk_agent_usage")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("agent_usage")
    with op.batch_alter_table("agent_turn", schema=None) as batch_op:
        batch_op.drop_index(
            "ux_agent_turn_active",
            sqlite_where=sa.text("status IN ('queued', 'running')"),
            postgresql_where=sa.text("status IN ('queued', 'running')"),
        )

    op.drop_table("agent_turn")
    with op.batch_alter_table("agent_session", schema=None) as batch_op:
        batch_op.drop_index("ix_agent_session_user")

    op.drop_table("agent_session")
    op.drop_table("agent_policy")
    with op.batch_alter_table("agent_event", schema=None) as batch_op:
        batch_op.drop_index("ix_agent_event_session")

    op.drop_table("agent_event")
