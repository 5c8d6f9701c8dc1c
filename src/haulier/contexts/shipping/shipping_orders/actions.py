"""Shipping orders are priced and created."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.billing.public import (
    Service,
    ServicePrice,
    check_service_values,
    find_offered_service,
    mark_service_used,
    price_service,
    take_service_quote,
)
from haulier.contexts.shipping.events import ShippingOrderPlaced
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.contract.orders import CreateShippingOrder
from haulier.contexts.shipping.shipping_orders.contract.services import EstimateShippingOrder
from haulier.contexts.shipping.shipping_orders.rules.facts import measures_of, missing_facts, sender_is_needed
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import (
    ORDERABLE_KINDS,
    SHIPPING_ORDER_QUOTE_MISMATCH,
    SHIPPING_ORDER_REF_TAKEN,
    ShippingOrderState,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError, OperationError

MEASURES = "measures"
"""Under this name a quote keeps what was priced besides the values of the form."""
TERMS = ("consignee", "shipper", "packages", "values", "scheduled_date", "note")


class PricedOrder(Struct, frozen=True):
    """What was filled in, what else decides the price, and the price."""

    values: dict[str, Any]
    measures: dict[str, Any]
    price: ServicePrice


def price_order(service: Service, request: EstimateShippingOrder | CreateShippingOrder) -> PricedOrder:
    """What an order costs now. Raises `INVALID_REQUEST` with each fault, and as `price_service` does."""
    if faults := [*missing_facts(service.pricing, request.packages, request.consignee, request.shipper)]:
        raise INVALID_REQUEST.for_fields(*faults)
    values = check_service_values(service, request.values)
    measures = measures_of(request.packages, request.consignee, request.shipper)
    return PricedOrder(values, measures.model_dump(mode="json"), price_service(service, values, measures))


async def order_service(call: Call, customer_id: int, request: CreateShippingOrder) -> tuple[int, bool]:
    """Create an order; returns its id, and whether it was there. A repeat with the same reference creates nothing.

    Raises `SHIPPING_ORDER_REF_TAKEN` where the reference is another order's, `SHIPPING_ORDER_QUOTE_MISMATCH`, what taking a
    quote raises, and what a price raises.
    """
    if before := await _find_repeated(call, customer_id, request):
        return before, True
    service = await find_offered_service(
        call, request.service_code, ORDERABLE_KINDS, quoted=request.quote_id is not None
    )
    if sender_is_needed(service.pricing, service.fulfilment) and request.shipper is None:
        raise INVALID_REQUEST.for_fields(FieldError("shipper", "field.missing"))
    try:
        priced = await _quoted_order(call, customer_id, service, request) or price_order(service, request)
    except OperationError:
        # Why again: a call at the same moment may have ordered with the same reference and taken the quote.
        if before := await _find_repeated(call, customer_id, request):
            return before, True
        raise
    await mark_service_used(call, service.id)
    order_id = await store.insert_shipping_order(call.work, _new_row(call, customer_id, service, request, priced))
    if order_id is None:
        before = await _find_repeated(call, customer_id, request)
        if before is None:
            raise CONFLICT()
        return before, True
    call.add_audit_subjects("shipping_order", order_id)
    placed = ShippingOrderPlaced(shipping_order_id=order_id, service_code=service.code, kind=service.kind.value)
    await call.publish(placed)
    return order_id, False


async def _find_repeated(call: Call, customer_id: int, request: CreateShippingOrder) -> int | None:
    if request.order_ref is None:
        return None
    row = await store.find_shipping_order_row(call.work, customer_id, request.order_ref)
    if row is None:
        return None
    terms = order_terms(request)
    differing = [name for name in TERMS if terms[name] != row.terms.get(name)]
    differing += ["service_code"] if request.service_code != row.service_code else []
    if differing:
        faults = (FieldError(name, "field.differs_from_order") for name in differing)
        raise SHIPPING_ORDER_REF_TAKEN.for_fields(*faults, order_ref=request.order_ref)
    return row.id


async def _quoted_order(
    call: Call, customer_id: int, service: Service, request: CreateShippingOrder
) -> PricedOrder | None:
    """The order at the price of its quote; None without one."""
    if request.quote_id is None:
        return None
    quote = await take_service_quote(call, request.quote_id, service_id=service.id, customer_id=customer_id)
    values = {name: value for name, value in request.values.items() if value is not None}
    measures = measures_of(request.packages, request.consignee, request.shipper).model_dump(mode="json")
    differing = [name for name, given in _priced_parts(values, measures).items() if given != _part(quote, name)]
    if differing:
        faults = (FieldError(name, "field.differs_from_quote") for name in differing)
        raise SHIPPING_ORDER_QUOTE_MISMATCH.for_fields(*faults)
    return PricedOrder(values, measures, quote.price)


_PLACE = ("country", "postal_code", "distance_m")


def _priced_parts(values: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    """What decides a price, by the fields of a request that say it."""
    place = {name: measures[name] for name in _PLACE}
    goods = {name: value for name, value in measures.items() if name not in _PLACE}
    return {"consignee": place, "packages": goods, "values": dict(values)}


def _part(quote: Any, name: str) -> Any:
    return _priced_parts(quote.values, quote.details[MEASURES])[name]


def order_terms(request: CreateShippingOrder) -> dict[str, Any]:
    """What a customer asked for, as it is kept and as a repeat is told by."""
    document = request.model_dump(mode="json", include=set(TERMS))
    return msgspec.json.decode(msgspec.json.encode(document))


def _new_row(
    call: Call, customer_id: int, service: Service, request: CreateShippingOrder, priced: PricedOrder
) -> dict[str, Any]:
    return {
        "customer_id": customer_id,
        "state": ShippingOrderState.PENDING.value,
        "service_id": service.id,
        "service_code": service.code,
        "service_name": service.name,
        "kind": service.kind.value,
        "price_family": service.family.value,
        "fulfilment": sorted(each.value for each in service.fulfilment),
        "carrier_account_id": service.carrier_account_id,
        "carrier_service": service.carrier_service,
        "order_ref": request.order_ref,
        "terms": order_terms(request),
        "consignee_name": request.consignee.name,
        "consignee_city": request.consignee.city,
        "consignee_email": request.consignee.email,
        "consignee_phone": request.consignee.phone,
        "scheduled_date": request.scheduled_date,
        "note": request.note,
        "quote_id": request.quote_id,
        "price": msgspec.to_builtins(priced.price),
        "currency": priced.price.currency,
        "total_minor": priced.price.total_minor,
        "paid_minor": 0,
        "created_by": call.actor,
        "created_at": call.now,
        "updated_at": call.now,
    }
