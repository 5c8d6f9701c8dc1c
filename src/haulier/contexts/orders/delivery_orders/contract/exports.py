"""Orders as documents for spreadsheets."""

from typing import Literal

from haulier.contexts.orders.delivery_orders.contract.orders import OrderFilters
from haulier.kernel.values.table_exports import TableRequest


class ExportOrders(OrderFilters, TableRequest):
    """Filters, page and format of an order export."""

    rows: Literal["orders", "packages"] = "orders"
    """Rows of the table: one per order, or one per package."""
