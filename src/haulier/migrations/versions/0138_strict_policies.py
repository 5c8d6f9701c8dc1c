"""Row-level security that raises an error if no client is set."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0138"
down_revision: str | Sequence[str] | None = "0137"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

PROTECTED = "SELECT tablename FROM pg_policies WHERE schemaname = current_schema() AND policyname = 'tenant'"
STRICT = "current_setting('haulier.client')"
LENIENT = "current_setting('haulier.client', true)"


def upgrade() -> None:
    """Raise an error for connections without a client, instead of hiding every row."""
    _alter(f"CASE WHEN {STRICT} = '*' THEN true ELSE client_id = nullif({STRICT}, '*')::bigint END")


def downgrade() -> None:
    """Hide every row from connections without a client."""
    _alter(f"CASE WHEN {LENIENT} = '*' THEN true ELSE client_id = nullif({LENIENT}, '')::bigint END")


def _alter(condition: str) -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for name in [*connection.scalars(sa.text(PROTECTED))]:
        op.execute(sa.DDL(f'ALTER POLICY tenant ON "{name}" USING ({condition})'))
