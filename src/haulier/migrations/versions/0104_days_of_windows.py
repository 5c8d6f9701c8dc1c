"""Days of orders that have a time window only."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data.tables import UTCDateTime

revision: str = "0104"
down_revision: str | Sequence[str] | None = "0103"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

ROWS_AT_ONCE = 1_000
_clients = sa.table("client", sa.column("id", sa.BigInteger), sa.column("time_zone", sa.String))
_orders = sa.table(
    "delivery_order",
    sa.column("id", sa.BigInteger),
    sa.column("client_id", sa.BigInteger),
    sa.column("scheduled_date", sa.Date),
    sa.column("window_start", UTCDateTime()),
    sa.column("window_end", UTCDateTime()),
)


def upgrade() -> None:
    """Fill the day from the window, in the time zone of each client."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    zones = {row.id: ZoneInfo(row.time_zone) for row in connection.execute(sa.select(_clients))}
    last = 0
    while rows := connection.execute(_undated.where(_orders.c.id > last).limit(ROWS_AT_ONCE)).all():
        last = rows[-1].id
        days: dict[date, list[int]] = {}
        for row in rows:
            zone = zones[row.client_id]
            days.setdefault(_day_of(row.window_start, row.window_end, zone), []).append(row.id)
        for day, ids in days.items():
            connection.execute(sa.update(_orders).where(_orders.c.id.in_(ids)).values(scheduled_date=day))


def downgrade() -> None:
    """Leave the days: nothing tells them from those that were given."""


def _day_of(start: datetime | None, end: datetime | None, zone: ZoneInfo) -> date:
    moment = start or (end and end - timedelta(microseconds=1))
    assert moment is not None
    return moment.astimezone(zone).date()


_undated = (
    sa.select(_orders.c.id, _orders.c.client_id, _orders.c.window_start, _orders.c.window_end)
    .where(
        _orders.c.scheduled_date.is_(None),
        _orders.c.window_start.is_not(None) | _orders.c.window_end.is_not(None),
    )
    .order_by(_orders.c.id)
)
