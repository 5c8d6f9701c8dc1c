"""Names of filters in saved views: `search`, `date_from` and `date_to`."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0152"
down_revision: str | Sequence[str] | None = "0151"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

RENAMED: dict[str, str] = {"text": "search", "query": "search", "first_day": "date_from", "last_day": "date_to"}
_view = sa.table("saved_view", sa.column("id"), sa.column("client_id"), sa.column("filters", sa.JSON()))


def upgrade() -> None:
    """Rename the filters of all views."""
    bind = op.get_bind()
    if bind.dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    for row in bind.execute(sa.select(_view)).fetchall():
        earlier: dict[str, Any] = row.filters
        filters = {RENAMED.get(name, name): values for name, values in earlier.items()}
        if filters != earlier:
            same = sa.and_(_view.c.client_id == row.client_id, _view.c.id == row.id)
            op.execute(sa.update(_view).where(same).values(filters=filters))


def downgrade() -> None:
    """Keep the new names, because the old ones differ by list."""
