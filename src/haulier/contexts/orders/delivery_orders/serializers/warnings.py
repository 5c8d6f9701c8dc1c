"""What is odd about new orders, in the caller's language."""

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderWarning
from haulier.contexts.orders.delivery_orders.rules.warnings import find_oddities
from haulier.kernel.call import Call


def order_warnings(call: Call, request: CreateOrder) -> list[OrderWarning]:
    """The warnings beside an order that was created."""
    return [
        OrderWarning(
            field=oddity.field,
            code=oddity.code.value.upper(),
            message=call.translate(f"order_warning_{oddity.code.value}"),
        )
        for oddity in find_oddities(request, call.local_time(call.now))
    ]
