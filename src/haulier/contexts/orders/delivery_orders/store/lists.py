"""Pages of the list of orders."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Integer, bindparam, func, literal_column, select
from sqlalchemy.sql.base import Executable

from haulier.contexts.orders.delivery_orders.store.orders import (
    ListedOrderRow,
    OrderSummaryRow,
    conditions_of_parameters,
    order_conditions,
)
from haulier.contexts.orders.delivery_orders.store.tables import changes, orders
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_COMMA: Any = literal_column("','")
_SUMMARY_COLUMNS = tuple(orders.c[name] for name in sorted(OrderSummaryRow.column_names()))


async def list_order_rows_page(
    work: UnitOfWork,
    filters: Mapping[str, Any],
    offset: int,
    limit: int,
    known_total: int | None = None,
    *,
    before: int | None = None,
) -> tuple[int, list[ListedOrderRow]]:
    """Return how many orders match the filters, up to one more than `MAX_COUNT`, and one page of them, newest first.

    They are not counted if the total is known. With `before`, the page has orders with smaller ids.
    """
    given = {name: value for name, value in filters.items() if value is not None}
    counted = known_total is None
    first = None if offset else limit
    window = {"page_size": limit, "skipped": offset} if offset else {}
    window |= {"before_id": before} if before else {}
    shape: dict[str, Any] = {"counted": counted, "first": first, "older": before is not None}
    if "text" in given or "custom_fields" in given:  # what is compared depends on the words and on the fields
        (page, count), given = _page_statements(order_conditions(given), **shape), {}
    else:
        page, count = _known_page_statements(tuple(given), **shape)
    rows = await work.all(page, ListedOrderRow, **given, **window)
    if known_total is not None:
        return known_total, rows
    if not rows and (offset or before):
        return await work.value(count, **given), rows
    return rows[0].total if rows else 0, rows


async def list_order_rows_before(
    work: UnitOfWork, filters: Mapping[str, Any], *, before: int, limit: int
) -> Sequence[OrderSummaryRow]:
    """Orders with ids below one that fit the filters, newest first."""
    fitting = select(*_SUMMARY_COLUMNS).where(*order_conditions(filters), orders.c.id < bindparam("before_id"))
    return await work.all(fitting.order_by(orders.c.id.desc()).limit(limit), OrderSummaryRow, before_id=before)


@lru_cache(maxsize=256)
def _known_page_statements(
    names: tuple[str, ...], *, counted: bool, first: int | None, older: bool
) -> tuple[Executable, Executable]:
    """The statements of a list with these filters, whose values are parameters of the same names."""
    return _page_statements(conditions_of_parameters(names), counted=counted, first=first, older=older)


def _page_statements(
    conditions: Sequence[ColumnElement[bool]], *, counted: bool, first: int | None, older: bool
) -> tuple[Executable, Executable]:
    """A page with the total beside each row, and the total alone: one exchange with the database, save beyond the end.

    The `first` page has its length in the text: PostgreSQL then keeps one plan, and does not plan each time anew.
    """
    matching = select(orders.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    count = select(func.count()).select_from(matching)
    total: ColumnElement[int] = count.scalar_subquery() if counted else literal_column("0", Integer())
    after_cursor = [orders.c.id < bindparam("before_id")] if older else []
    newest = select(*_SUMMARY_COLUMNS).where(*conditions, *after_cursor).order_by(orders.c.id.desc())
    # Why apart: PostgreSQL works out every column of the rows that an offset skips, too.
    skipping = newest.offset(bindparam("skipped")).limit(bindparam("page_size"))
    shown = (skipping if first is None else newest.limit(literal_column(str(first)))).subquery("shown")
    steps = select(func.aggregate_strings(changes.c.step, _COMMA)).where(changes.c.order_id == shown.c.id)
    columns = (steps.scalar_subquery().label("steps_taken"), total.label("total"))
    return select(*shown.c, *columns).order_by(shown.c.id.desc()), count
