"""Orders of any client, as their recipients find them."""

from sqlalchemy import select

from haulier.contexts.orders.delivery_orders.store.orders import OrderRow, orders, packages
from haulier.kernel.data.unit_of_work import UnitOfWork


class OwnedOrderRow(OrderRow):
    """An order of any client."""

    client_id: int


async def find_order_row_of_any_client(work: UnitOfWork, number: str) -> OwnedOrderRow | None:
    """The order with a tracking number, of its own or of a package, whoever's it is; or None."""
    wide = work.without_tenant_filter("a recipient knows the number alone")
    by_package = select(packages.c.order_id).where(packages.c.tracking_number == number)
    of_number = (orders.c.tracking_number == number) | orders.c.id.in_(by_package)
    return await wide.first(select(orders).where(of_number), OwnedOrderRow)
