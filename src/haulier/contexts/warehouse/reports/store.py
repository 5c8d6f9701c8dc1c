"""Statements of stock reports: one each, whatever the amount of data."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, case, func, or_, select

from haulier.contexts.warehouse.products.store import products
from haulier.contexts.warehouse.reports.rules import AGE_LIMITS_DAYS
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.store.tables import levels, movements
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork


class LeftRow(Row):
    """A product and what left of it."""

    id: int
    sku: str
    name: str
    unit_value_minor: int | None
    movements: int
    pieces: int


class HeldRow(Row):
    """A product that is there."""

    id: int
    sku: str
    name: str
    unit_value_minor: int | None
    on_hand: int


_warehouse = bindparam("warehouse", type_=BigInteger)
_LEAVING = (MovementKind.PICK.value, MovementKind.SHIP.value)
_left = and_(
    movements.c.client_id == products.c.client_id,
    movements.c.product_id == products.c.id,
    movements.c.occurred_at >= bindparam("since", type_=UTCDateTime),
    movements.c.occurred_at < bindparam("until", type_=UTCDateTime),
    movements.c.to_warehouse_id.is_(None),
    movements.c.kind.in_(_LEAVING),
    or_(_warehouse.is_(None), movements.c.from_warehouse_id == _warehouse),
)
_leaving = (
    select(
        products.c.id,
        products.c.sku,
        products.c.name,
        products.c.unit_value_minor,
        func.count(movements.c.quantity).label("movements"),
        func.coalesce(func.sum(movements.c.quantity), 0).label("pieces"),
    )
    .select_from(products.outerjoin(movements, _left))
    .where(or_(products.c.archived.is_(False), movements.c.quantity.is_not(None)))
    .group_by(products.c.id, products.c.sku, products.c.name, products.c.unit_value_minor)
)
_held = (
    select(
        products.c.id,
        products.c.sku,
        products.c.name,
        products.c.unit_value_minor,
        func.sum(levels.c.on_hand).label("on_hand"),
    )
    .select_from(
        products.join(levels, (levels.c.client_id == products.c.client_id) & (levels.c.product_id == products.c.id))
    )
    .where(or_(_warehouse.is_(None), levels.c.warehouse_id == _warehouse))
    .group_by(products.c.id, products.c.sku, products.c.name, products.c.unit_value_minor)
    .having(func.sum(levels.c.on_hand) > 0)
    .order_by(products.c.sku)
)


def _in_period(at: int) -> ColumnElement[int]:
    """Return the items that came in a period, the youngest being the first."""
    conditions = [movements.c.occurred_at >= bindparam(f"since_{at}", type_=UTCDateTime)]
    if at:
        conditions.append(movements.c.occurred_at < bindparam(f"since_{at - 1}", type_=UTCDateTime))
    return func.coalesce(func.sum(case((and_(*conditions), movements.c.quantity), else_=0)), 0).label(f"period_{at}")


_came = (
    select(movements.c.product_id, *(_in_period(at) for at in range(len(AGE_LIMITS_DAYS))))
    .where(
        in_param(movements.c.product_id, "products"),
        movements.c.occurred_at >= bindparam(f"since_{len(AGE_LIMITS_DAYS) - 1}", type_=UTCDateTime),
        movements.c.to_warehouse_id.is_not(None),
        or_(
            and_(_warehouse.is_(None), movements.c.from_warehouse_id.is_(None)),
            and_(
                movements.c.to_warehouse_id == _warehouse,
                or_(movements.c.from_warehouse_id.is_(None), movements.c.from_warehouse_id != _warehouse),
            ),
        ),
    )
    .group_by(movements.c.product_id)
)


async def list_left(
    work: UnitOfWork, *, since: datetime, until: datetime, warehouse_id: int | None
) -> Sequence[LeftRow]:
    """Return products and their outflow in a period.

    Archived products are included only if something left.
    """
    return await work.all(_leaving, LeftRow, since=since, until=until, warehouse=warehouse_id)


async def list_held(work: UnitOfWork, warehouse_id: int | None) -> Sequence[HeldRow]:
    """Return products that are there, by SKU."""
    return await work.all(_held, HeldRow, warehouse=warehouse_id)


async def sum_came(
    work: UnitOfWork, product_ids: Sequence[int], limits: Sequence[datetime], warehouse_id: int | None
) -> dict[int, tuple[int, ...]]:
    """Return received items of each product by period, youngest first.

    `limits` are the starts of the periods. Earlier receipts are not read.
    """
    since = {f"since_{at}": limit for at, limit in enumerate(limits)}
    rows = await work.all(_came, products=list(product_ids), warehouse=warehouse_id, **since) if product_ids else ()
    return {row[0]: tuple(int(pieces) for pieces in row[1:]) for row in rows}
