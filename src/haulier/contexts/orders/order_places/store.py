"""Orders that could not be placed."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Float, String, UniqueConstraint, bindparam, delete, func, select

from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

unplaced_orders = tenant_table(
    "unplaced_order",
    Column("order_id", BigInteger, nullable=False),
    Column("order_end", String(10), nullable=False),
    Column("reason", String(20), nullable=False),
    Column("lat", Float),
    Column("lng", Float),
    Column("quality", String(20)),
    Column("tried_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "order_id", "order_end"),
)
# Not encrypted: these are the centres of towns and postal codes.
plain_columns(unplaced_orders, "order_end", "reason", "lat", "lng", "quality")


class UnplacedOrderRow(Row):
    """An order in the queue."""

    order_id: int
    order_end: str
    reason: str
    lat: float | None
    lng: float | None
    quality: str | None
    tried_at: datetime
    tracking_number: str
    order_ref: str | None
    shipper: dict[str, Any] | None
    consignee: dict[str, Any] | None


_waiting = (
    select(unplaced_orders, orders.c.tracking_number, orders.c.order_ref, orders.c.shipper, orders.c.consignee)
    .join(orders, orders.c.id == unplaced_orders.c.order_id)
    .where(orders.c.status.not_in(sorted(status.value for status in TERMINAL_STATUSES)))
)
_page = (
    _waiting.order_by(unplaced_orders.c.order_id, unplaced_orders.c.order_end)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(
    _waiting.with_only_columns(unplaced_orders.c.id).limit(MAX_COUNT + 1).subquery()
)
_settle_end = delete(unplaced_orders).where(
    unplaced_orders.c.order_id == bindparam("order"), unplaced_orders.c.order_end == bindparam("which")
)


async def list_unplaced_orders(work: UnitOfWork, *, limit: int, offset: int) -> tuple[list[UnplacedOrderRow], int]:
    """Return a page of the queue, oldest order first, and its length.

    Finished orders are left out.
    """
    rows = await work.all(_page, UnplacedOrderRow, page_size=limit, skipped=offset)
    return rows, await work.value(_count)


async def write_unplaced_orders(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put ends of orders into the queue, or update their reasons."""
    await work.upsert_many(unplaced_orders, {"order_id", "order_end"}, rows)


async def update_end_places(work: UnitOfWork, ends: Collection[tuple[int, str]]) -> None:
    """Take ends of orders out of the queue."""
    await work.run_many(_settle_end, [{"order": order_id, "which": end} for order_id, end in ends])
