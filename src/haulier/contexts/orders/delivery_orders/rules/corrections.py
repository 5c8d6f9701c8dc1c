"""Rules of corrections: fields and addresses of an order that can change."""

from typing import TYPE_CHECKING

from haulier.contexts.orders.delivery_orders.rules.items import has_weight_of_items
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error

if TYPE_CHECKING:  # rules import no request types at run time
    from haulier.contexts.orders.delivery_orders.contract.corrections import (
        CorrectAddress,
        CorrectedPlace,
        CorrectOrder,
    )
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress

ADDRESS_ELSEWHERE = declare_error("address_elsewhere", 409)
PRICED_FIELDS = frozenset({"packages", "cod_minor", "service", "signature_required"})
"""Fields that the price depends on."""
FIXED_ONCE_COLLECTED = PRICED_FIELDS | {"items"}
"""Fields that cannot be corrected once the goods were picked up."""
ENDS = ("consignee", "shipper")


def apply_corrections(order: "CreateOrder", request: "CorrectOrder") -> "CreateOrder":
    """Return the order with the corrections applied.

    Raises an error for a contact that the order does not have.
    """
    values = order.model_dump()
    for name in request.given_fields:
        given = getattr(request, name)
        if name in ENDS:
            contact = given.model_dump(exclude_unset=True) if given else {}
            values[name] = values[name] and {**values[name], **contact}
        elif name in ("packages", "items"):
            values[name] = [each.model_dump(exclude_unset=name == "packages") for each in given]
        else:
            values[name] = given
    if "items" in request.given_fields:
        values |= {"goods_value_minor": None, "goods_currency": None}
        if "packages" not in request.given_fields and has_weight_of_items(order):
            values["packages"][0].pop("weight_g")
    return type(order).model_validate(values)


def find_address_faults(order: "CreateOrder", request: "CorrectAddress", *, anywhere: bool) -> OperationError | None:
    """Return the error that prevents correcting an address, or None.

    With `anywhere`, the parcel may go to another town.
    """
    end = corrected_end(order, request)
    if end is None:
        return INVALID_REQUEST.for_fields(FieldError("end", "field.order_has_no_end"))
    if not anywhere and (_town(end) != _town(request.place)):
        return ADDRESS_ELSEWHERE(city=end.city)
    return None


def corrected_end(order: "CreateOrder", request: "CorrectAddress") -> "OrderAddress | None":
    """Return the end of an order whose address is corrected, or None if it has none."""
    return {"shipper": order.shipper, "consignee": order.consignee, None: order.stop}[request.end]


def with_place(order: "CreateOrder", request: "CorrectAddress") -> "CreateOrder":
    """Return the order with the corrected address.

    Nothing of the old address remains, including its coordinates.
    """
    name = request.end or ("shipper" if order.type == "P" else "consignee")
    end: OrderAddress | None = getattr(order, name)
    assert end is not None  # `find_address_faults` refuses an end that is not there
    return order.model_copy(update={name: end.model_copy(update=request.place.model_dump())})


def _town(place: "OrderAddress | CorrectedPlace") -> tuple[str, str]:
    return place.city.strip().casefold(), place.country
