"""Orders as their recipients find them."""

from sqlalchemy import select

from haulier.contexts.orders.delivery_orders.store.orders import OrderRow, orders, packages
from haulier.kernel.data.unit_of_work import UnitOfWork


class OwnedOrderRow(OrderRow):
    """An order, and whose it is."""

    client_id: int


async def find_order_row_by_number(work: UnitOfWork, number: str) -> OwnedOrderRow | None:
    """The order of this client with a tracking number, of its own or of a package; or None."""
    by_package = select(packages.c.order_id).where(packages.c.tracking_number == number)
    of_number = (orders.c.tracking_number == number) | orders.c.id.in_(by_package)
    return await work.first(select(orders).where(of_number), OwnedOrderRow)
