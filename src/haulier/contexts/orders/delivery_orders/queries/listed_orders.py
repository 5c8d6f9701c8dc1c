"""The filters of lists of orders, as their store takes them."""

from typing import Any

from haulier.contexts.custom_fields.public import ResourceKind, read_custom_field_filters
from haulier.contexts.orders.delivery_orders.contract.orders import OrderFilters
from haulier.contexts.orders.delivery_orders.queries.visible_orders import customer_filter, visibility_filter
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.kernel.call import Call

_AS_THEY_ARE = frozenset(OrderFilters.model_fields) - {"status", "statuses", "late", "customer", "custom_fields"}


async def list_filters(call: Call, request: OrderFilters) -> dict[str, Any]:
    """What a request asks for, and what the caller may see. Raises `NOT_FOUND` for a customer whom nobody is meant by."""
    names = [*request.statuses, *([request.status] if request.status else [])]
    return {
        **request.model_dump(include=set(_AS_THEY_ARE)),
        **await customer_filter(call, request.customer_id, request.customer),
        "status": [OrderStatus[name].value for name in names] or None,
        "late_at": call.now if request.late else None,
        "custom_fields": await read_custom_field_filters(call, ResourceKind.ORDER, request.custom_fields) or None,
        **visibility_filter(call),
    }
