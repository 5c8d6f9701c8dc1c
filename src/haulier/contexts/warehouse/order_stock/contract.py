"""Request and response models for the stock of orders."""

from enum import StrEnum
from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId


class ReserveWhen(StrEnum):
    """When stock is reserved for the items of orders."""

    MANUAL = "manual"
    """Only by `reserve_order_stock`."""
    AT_CREATION = "at_creation"
    """When an order is created."""
    AT_RELEASE = "at_release"
    """When a held order is released."""


class SetOrderStockPolicy(Request):
    """The policy of the business."""

    reserve: ReserveWhen
    """Time at which stock is reserved for items with known SKUs."""


class OrderStockPolicyAnswer(Answer):
    """The policy of the business."""

    result: bool = True
    reserve: Annotated[ReserveWhen, doc("Time at which stock is reserved for items with known SKUs.")]


class OrderStockRef(Request):
    """Reference to an order."""

    order_id: RecordId
    """ID of the order."""


class OrderStockLine(Answer):
    """Stock of a product for an order."""

    product_id: int
    sku: str
    ordered: Annotated[int, doc("Units that the items require.")]
    reserved: Annotated[int, doc("Units reserved now.")]
    shipped: Annotated[int, doc("Units that left a warehouse for this order.")]
    short: Annotated[int, doc("Units that are neither reserved nor shipped.")]


class OrderStockShare(Answer):
    """Stock of an order in a warehouse."""

    warehouse_id: int
    sku: str
    quantity: Annotated[int, doc("Units reserved now.")]


class OrderStock(Answer):
    """Stock of an order."""

    result: bool = True
    order_id: int
    reference: Annotated[str, doc("Reference of its reservations: the tracking number.")]
    lines: Annotated[list[OrderStockLine], doc("Known products of the items.")]
    reserved: Annotated[list[OrderStockShare], doc("Reserved units by warehouse.")]
