"""Orders as documents for spreadsheets."""

from typing import Literal

from haulier.contexts.orders.delivery_orders.contract.orders import OrderFilters
from haulier.kernel.values.table_exports import TableRequest


class ExportOrders(OrderFilters, TableRequest):
    """Which orders, and in which form."""

    rows: Literal["orders", "packages"] = "orders"
    """A row for each order, or one for each of their pieces."""
