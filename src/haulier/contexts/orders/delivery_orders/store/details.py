"""An order in full, with all that belongs to it: one statement."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, select

from haulier.contexts.orders.delivery_orders.store.orders import OrderRow
from haulier.contexts.orders.delivery_orders.store.tables import changes, orders, packages
from haulier.kernel.data.aggregates import json_agg
from haulier.kernel.data.unit_of_work import UnitOfWork

PACKAGE_COLUMNS = tuple(column.name for column in packages.c if column.name not in {"id", "client_id", "order_id"})
STEP_COLUMNS = ("step", "status", "at", "recorded_at", "by_user_id", "reason")
PlacesColumn = Callable[[ColumnElement[int]], ColumnElement[Any]]
"""Makes the column `places` for the orders whose ids a column holds: `OrderRoutes.places_column`."""


class OrderDetailRow(OrderRow):
    """An order with its packages and steps, and its visits on its route, as plain documents, in no order."""

    packages: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    places: list[dict[str, Any]]


async def get_order_row_with_related(work: UnitOfWork, id: int, places: PlacesColumn) -> OrderDetailRow | None:
    """An order with its `packages`, `steps` and `places`, plain and in no order."""
    return await work.first(_order_with_related(places), OrderDetailRow, order=id)


@lru_cache
def _order_with_related(places: PlacesColumn) -> Select[Any]:
    return select(
        orders,
        json_agg(packages, "id", *PACKAGE_COLUMNS, of=packages.c.order_id == orders.c.id, label="packages"),
        json_agg(changes, "id", *STEP_COLUMNS, of=changes.c.order_id == orders.c.id, label="steps"),
        places(orders.c.id),
    ).where(orders.c.id == bindparam("order"))
