"""Normalized postal prefixes."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from haulier.kernel.values.postal_codes import normalize_postal_prefixes

revision: str = "0101"
down_revision: str | Sequence[str] | None = "0100"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_JSON = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Write prefixes in capitals and without separators."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    _rewrite("booking_zone", "postal_prefixes", normalize_postal_prefixes)
    _rewrite("contractor_rule", "postal_prefixes", normalize_postal_prefixes)
    _rewrite("driver_working_profile", "zones", _normalize_zones)


def downgrade() -> None:
    """Leave prefixes normalized: the earlier version reads them the same way."""


def _normalize_zones(zones: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**zone, "postal_prefixes": normalize_postal_prefixes(zone["postal_prefixes"])} for zone in zones]


def _rewrite(name: str, column: str, normalize: Any) -> None:
    table = sa.table(name, sa.column("client_id"), sa.column("id"), sa.column(column, _JSON))
    bind = op.get_bind()
    for client_id, id, stored in bind.execute(sa.select(table.c.client_id, table.c.id, table.c[column])).all():
        if (normalized := normalize(stored or [])) != stored:
            row = sa.and_(table.c.client_id == client_id, table.c.id == id)
            bind.execute(sa.update(table).where(row).values({column: normalized}))
