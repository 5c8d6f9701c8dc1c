"""What of an order can be corrected, and until when."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from haulier.contexts.orders.delivery_orders.rules.lifecycle import NOT_PICKED_UP_STATUSES, OrderStatus

if TYPE_CHECKING:  # Why: rules import no request types at run time.
    from haulier.contexts.orders.delivery_orders.contract.corrections import CorrectOrder
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder

CORRECTABLE_STATUSES = NOT_PICKED_UP_STATUSES | {OrderStatus.FAILED}
"""An order can be corrected before it leaves, also before it leaves again."""
PRICED_FIELDS = frozenset({"packages", "cod_minor", "service", "signature_required"})
"""What the price depends on. Goods that were picked up once stay what they are."""
ENDS = ("consignee", "shipper")


def apply_corrections(order: "CreateOrder", request: "CorrectOrder") -> "CreateOrder":
    """The order as it would be created with the corrections. A contact that the order does not have cannot be corrected."""
    values = order.model_dump()
    for name in request.given_fields:
        given = getattr(request, name)
        if name in ENDS:
            contact = given.model_dump(exclude_unset=True) if given else {}
            values[name] = values[name] and {**values[name], **contact}
        elif name == "packages":
            values[name] = [package.model_dump() for package in given]
        else:
            values[name] = given
    return type(order).model_validate(values)


def may_undo_delivery(fulfilment: str, statuses: Sequence[OrderStatus]) -> bool:
    """Whether the last of an order's steps was the client's own delivery at a door, which can be taken back."""
    return fulfilment == "self_delivery" and list(statuses[-2:]) == [
        OrderStatus.OUT_FOR_DELIVERY,
        OrderStatus.DELIVERED,
    ]
