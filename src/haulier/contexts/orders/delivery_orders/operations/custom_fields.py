"""Values of custom fields of orders that exist."""

from haulier.contexts.orders.delivery_orders.actions import custom_fields as actions
from haulier.contexts.orders.delivery_orders.contract.custom_fields import UpdateOrderCustomFields
from haulier.contexts.orders.delivery_orders.contract.orders import OrderAnswer
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order_detail
from haulier.contexts.orders.delivery_orders.serializers.orders import order_detail
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import SIGNED_IN, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "update_order_custom_fields",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("PATCH", "/v1/orders/{order_id}/custom-fields"),
        GraphQL("updateOrderCustomFields"),
        Mcp("update_order_custom_fields", title="Fill in an order's own fields"),
    ),
    errors=(NOT_FOUND,),
)
async def update_order_custom_fields(call: Call, request: UpdateOrderCustomFields) -> OrderAnswer:
    """Update custom fields of an order.

    Sets values of the order and its packages in any order status. Every user who can see the order can write the fields
    that are open to their account type.
    """
    order_id = await actions.update_order_custom_fields(call, request)
    return OrderAnswer(order=await order_detail(call, await get_visible_order_detail(call, order_id)))
