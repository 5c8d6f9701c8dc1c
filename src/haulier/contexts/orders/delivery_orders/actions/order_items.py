"""Lines of orders: their defaults, and their rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.contract.items import OrderItem
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.rules.items import find_item_error, goods_value, weighed_packages
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED, OrderStatus
from haulier.contexts.orders.delivery_orders.rules.warnings import request_digest
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import delete_order_items, insert_order_items
from haulier.contexts.orders.ports import KnownProduct, PickedStock, ProductCatalogue
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError, OperationError


def with_items(
    request: CreateOrder, products: Mapping[str, KnownProduct], *, currency: str, digest: bytes
) -> CreateOrder | OperationError:
    """Return the request with linked lines, weights and goods value, or its error.

    `currency` is the business's, `digest` that of the request as it was sent.
    """
    lines = [link_item(item, products, currency) for item in request.items]
    if error := find_item_error(request.goods_currency, lines):
        return error
    value = request.goods_value_minor if request.goods_value_minor is not None else goods_value(lines)
    known = next((line["currency"] for line in lines if line["currency"]), currency)
    filled = request.model_copy(
        update={
            "packages": weighed_packages(request.packages, lines),
            "goods_value_minor": value,
            "goods_currency": None if value is None else request.goods_currency or known,
        }
    )
    filled.fill(digest, lines)
    return filled


def link_item(item: OrderItem, products: Mapping[str, KnownProduct], currency: str) -> dict[str, Any]:
    """Return the columns of a line, with its product and what the product says of it."""
    line = {**vars(item), "product_id": None}  # a copy by `model_dump` costs ten times as much
    if product := products.get(item.sku or ""):
        line["product_id"] = product.id
        line["description"] = item.description or product.name
        line["weight_g"] = product.weight_g or None if item.weight_g is None else item.weight_g
    elif item.description is None:
        line["description"] = item.sku
    line["currency"] = item.currency or currency if item.unit_price_minor is not None else None
    return line


async def fill_items(
    call: Call, requests: Sequence[CreateOrder | OperationError]
) -> list[CreateOrder | OperationError]:
    """Return the requests with linked lines, their weights and goods values.

    One statement if any line has a SKU, none without lines. A request whose lines do not fit is replaced by its error.
    """
    new = [each for each in requests if isinstance(each, CreateOrder) and not each.is_filled]
    if not new:
        return list(requests)
    products = await find_known_products(call, [item for each in new for item in each.items])
    return [
        each
        if isinstance(each, OperationError) or each.is_filled
        else with_items(each, products, currency=call.business.currency, digest=request_digest(each))
        for each in requests
    ]


async def find_known_products(call: Call, items: Sequence[OrderItem]) -> Mapping[str, KnownProduct]:
    """Return the products of lines by SKU; none without the warehouse module."""
    skus = {item.sku for item in items if item.sku}
    catalogue = call.app.find_adapter(ProductCatalogue) if skus else None
    return await catalogue.find_products(call, skus) if catalogue else {}


def item_row_values(request: CreateOrder, order_id: int) -> list[dict[str, Any]]:
    """Return the rows of an order's lines. The request is filled."""
    return [{"order_id": order_id, **line} for line in request.filled_items]


async def fill_corrected_items(call: Call, order: CreateOrder) -> CreateOrder:
    """Return a corrected order with linked lines. Raises `INVALID_REQUEST`."""
    (filled,) = await fill_items(call, [order])
    if isinstance(filled, OperationError):
        raise filled
    return filled


async def require_unpicked(call: Call, row: orders_store.OrderRow) -> None:
    """Raise `ORDER_STEP_REFUSED` if the items of an order were picked in a warehouse."""
    stock = call.app.find_adapter(PickedStock)
    if stock and await stock.is_picked(call, row.tracking_number):
        fault = FieldError("items", "field.items_picked")
        raise ORDER_STEP_REFUSED.for_fields(fault, step="correct", status=OrderStatus(row.status).name)


async def replace_order_items(call: Call, order_id: int, order: CreateOrder) -> None:
    """Replace the lines of an order."""
    await delete_order_items(call.work, order_id)
    await insert_order_items(call.work, item_row_values(order, order_id))


async def set_stock_short(call: Call, order_id: int, *, short: bool) -> None:
    """Set or clear the exception that stock is missing for an order."""
    await orders_store.update_orders(call.work, [order_id], stock_short=short, updated_at=call.now)
    call.add_audit_subjects("order", order_id)
