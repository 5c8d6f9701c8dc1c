"""What of an order can be corrected, and until when."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from haulier.contexts.orders.delivery_orders.rules.lifecycle import NOT_PICKED_UP_STATUSES, OrderStatus
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error

if TYPE_CHECKING:  # Why: rules import no request types at run time.
    from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddress
    from haulier.contexts.orders.delivery_orders.contract.corrections import (
        CorrectAddress,
        CorrectedPlace,
        CorrectOrder,
    )
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder

ADDRESS_ELSEWHERE = declare_error("address_elsewhere", 409)
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


def find_address_faults(order: "CreateOrder", request: "CorrectAddress", *, anywhere: bool) -> OperationError | None:
    """Why the place of an end cannot be corrected, or None. With `anywhere` the parcel may go to another town."""
    end = corrected_end(order, request)
    if end is None:
        return INVALID_REQUEST.for_fields(FieldError("end", "field.order_has_no_end"))
    if not anywhere and (_town(end) != _town(request.place)):
        return ADDRESS_ELSEWHERE(city=end.city)
    return None


def corrected_end(order: "CreateOrder", request: "CorrectAddress") -> "OrderAddress | None":
    """The end of an order whose place is corrected; None where the order has no such end."""
    return {"shipper": order.shipper, "consignee": order.consignee, None: order.stop}[request.end]


def with_place(order: "CreateOrder", request: "CorrectAddress") -> "CreateOrder":
    """The order with the corrected place. Nothing of the old place stays, also not where it was on the map."""
    name = request.end or ("shipper" if order.type == "P" else "consignee")
    end: OrderAddress | None = getattr(order, name)
    assert end is not None  # `find_address_faults` refuses an end that is not there
    return order.model_copy(update={name: end.model_copy(update=request.place.model_dump())})


def _town(place: "OrderAddress | CorrectedPlace") -> tuple[str, str]:
    return place.city.strip().casefold(), place.country


def may_undo_delivery(fulfilment: str, statuses: Sequence[OrderStatus]) -> bool:
    """Whether the last of an order's steps was the client's own delivery at a door, which can be taken back."""
    return fulfilment == "self_delivery" and list(statuses[-2:]) == [
        OrderStatus.OUT_FOR_DELIVERY,
        OrderStatus.DELIVERED,
    ]
