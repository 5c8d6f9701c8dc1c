"""Writes of shipping orders for other families."""

from collections.abc import Mapping
from typing import Any, TypeGuard

import msgspec
from msgspec import Struct
from pydantic import ValidationError

from haulier.contexts.billing.public import (
    ChargeDetails,
    DueOrder,
    Fulfilment,
    MoneySubject,
    Service,
    ServicePrice,
    charge,
    check_service_values,
    find_offered_service,
    mark_service_used,
    price_service,
    refund_remaining,
    use_service_quote,
)
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.public import cancel_bought_delivery, create_bought_delivery
from haulier.contexts.shipping.events import ShippingOrderChanged, ShippingOrderPlaced
from haulier.contexts.shipping.labels.actions.submissions import (
    LabelRequest,
    Submit,
    account_or_default,
    buy_label_for,
    withdraw_label,
)
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.contract import CreateShippingOrder, EstimateShippingOrder
from haulier.contexts.shipping.shipping_orders.queries import get_visible_shipping_order
from haulier.contexts.shipping.shipping_orders.rules import (
    BUY_ORDER_LABEL_JOB,
    ORDERABLE_KINDS,
    SHIPPING_ORDER_LIFE,
    SHIPPING_ORDER_PAID,
    SHIPPING_ORDER_QUOTE_MISMATCH,
    SHIPPING_ORDER_REF_TAKEN,
    SHIPPING_ORDER_STEP_REFUSED,
    BuyOrderLabel,
    ShippingOrderState,
    ShippingOrderStep,
    measures_of,
    missing_facts,
    sender_is_needed,
)
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import scale_taxes

FAULT_MAX = 500


async def buy_order_label(app: Application, client_id: int, id: int) -> None:
    """Buy the label of a confirmed order without one.

    Safe to repeat: the order's id is the label's reference.
    """
    try:
        wanted = await _label_request(app, client_id, id)
    except ValidationError as fault:
        await _store_fault(app, client_id, id, str(fault))
        return
    if wanted is None:
        return

    async def claim(call: Call, submit: Submit) -> int | None:
        if not _wants_label(await store.get_shipping_order_row(call.work, id, lock=True)):
            return None
        shipment_id = await submit(call)
        changes = {"shipment_id": shipment_id, "label_fault": None, "updated_at": call.now}
        await store.update_shipping_order_row(call.work, id, changes)
        return shipment_id

    if fault := await buy_label_for(app, client_id, wanted, f"shipping-order-{id}", claim):
        await _store_fault(app, client_id, id, fault)


async def _label_request(app: Application, client_id: int, id: int) -> LabelRequest | None:
    async with app.database.read(client_id) as work:
        row = await store.get_shipping_order_row(work, id)
        if not _wants_label(row):
            return None
        account = await account_or_default(work, row.carrier_account_id)
        call = await call_as_system(app, client_id, work)
        return LabelRequest(call.business, label_terms(row), account, row.carrier_service)


def _wants_label(row: store.ShippingOrderRow | None) -> TypeGuard[store.ShippingOrderRow]:
    return row is not None and row.state == ShippingOrderState.CONFIRMED and row.shipment_id is None


def label_terms(row: store.ShippingOrderRow) -> ShipmentTerms:
    """Return the shipment of an order.

    Goods that a driver collects first are sent from the business, by its account's sender.
    """
    sent = {name: row.terms[name] for name in ("consignee", "packages")}
    shipper = None if row.order_id is not None else row.terms["shipper"]
    return ShipmentTerms.model_validate({**sent, "shipper": shipper})


async def _store_fault(app: Application, client_id: int, id: int, text: str) -> None:
    async with app.database.write(client_id) as work:
        changes = {"label_fault": (text or "-")[:FAULT_MAX], "updated_at": app.clock()}
        await store.update_shipping_order_row(work, id, changes)


MEASURES = "measures"
"""Key of the priced measures in a quote, besides the form's values."""
TERMS = ("consignee", "shipper", "packages", "values", "scheduled_date", "note")


class PricedOrder(Struct, frozen=True):
    """Form values, other price factors, and the price."""

    values: dict[str, Any]
    measures: dict[str, Any]
    price: ServicePrice


def price_order(service: Service, request: EstimateShippingOrder | CreateShippingOrder) -> PricedOrder:
    """Price an order. Raises `INVALID_REQUEST`, and the errors of `price_service`."""
    if faults := [*missing_facts(service.pricing, request.packages, request.consignee, request.shipper)]:
        raise INVALID_REQUEST.for_fields(*faults)
    values = check_service_values(service, request.values)
    measures = measures_of(request.packages, request.consignee, request.shipper)
    return PricedOrder(values, measures.model_dump(mode="json"), price_service(service, values, measures))


async def order_service(call: Call, customer_id: int, request: CreateShippingOrder) -> tuple[int, bool]:
    """Create an order. Return its id, and whether it existed.

    A repeat with the same reference creates nothing. Raises `SHIPPING_ORDER_REF_TAKEN` if the reference is another
    order's, `SHIPPING_ORDER_QUOTE_MISMATCH`, and the errors of quotes and prices.
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
        # Check again: a concurrent call may have used the reference and the quote.
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
    """Return the order at the price of its quote; None without one."""
    if request.quote_id is None:
        return None
    quote = await use_service_quote(call, request.quote_id, service_id=service.id, customer_id=customer_id)
    values = {name: value for name, value in request.values.items() if value is not None}
    measures = measures_of(request.packages, request.consignee, request.shipper).model_dump(mode="json")
    differing = [name for name, given in _priced_parts(values, measures).items() if given != _part(quote, name)]
    if differing:
        faults = (FieldError(name, "field.differs_from_quote") for name in differing)
        raise SHIPPING_ORDER_QUOTE_MISMATCH.for_fields(*faults)
    return PricedOrder(values, measures, quote.price)


_PLACE = ("country", "postal_code", "distance_m")


def _priced_parts(values: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the price factors by request field."""
    place = {name: measures[name] for name in _PLACE}
    goods = {name: value for name, value in measures.items() if name not in _PLACE}
    return {"consignee": place, "packages": goods, "values": dict(values)}


def _part(quote: Any, name: str) -> Any:
    return _priced_parts(quote.values, quote.details[MEASURES])[name]


def order_terms(request: CreateShippingOrder) -> dict[str, Any]:
    """Return the customer's request as it is stored and compared with repeats."""
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


async def get_due_of_shipping_order(call: Call, id: int) -> DueOrder:
    """Return the amount due of a visible order. Raises `NOT_FOUND`."""
    row = await get_visible_shipping_order(call, id)
    due = 0 if row.state == ShippingOrderState.CANCELLED else row.total_minor - row.paid_minor
    return DueOrder(customer_id=row.customer_id, due=Money(due, row.currency), family=PriceFamily(row.price_family))


async def pay_shipping_order_from_credit(call: Call, id: int) -> None:
    """Pay the rest of an order from its customer's credit, and publish it.

    Raises the errors of `pay_order`.
    """
    row = await get_visible_shipping_order(call, id, lock=True)
    await pay_order(call, row)
    call.add_audit_subjects("shipping_order", row.id)
    await call.publish(ShippingOrderChanged(shipping_order_id=row.id, change="paid"))


async def pay_order(call: Call, row: store.ShippingOrderRow) -> None:
    """Pay the rest of a locked order from its customer's credit.

    Raises `PRICE_HIDDEN`, `SHIPPING_ORDER_STEP_REFUSED` for a cancelled one, `SHIPPING_ORDER_PAID`,
    `CREDIT_INSUFFICIENT`.
    """
    family = PriceFamily(row.price_family)
    require_price_visible(call.principal.hidden_prices, family)
    if row.state == ShippingOrderState.CANCELLED:
        raise SHIPPING_ORDER_STEP_REFUSED(step="pay", state=row.state)
    if row.paid_minor == row.total_minor:
        raise SHIPPING_ORDER_PAID()
    balance = Money(row.total_minor - row.paid_minor, row.currency)
    subject = MoneySubject("shipping_order", row.id, family)
    posted = await charge(
        call,
        row.customer_id,
        balance,
        key=f"shipping_order:{row.id}:pay",
        subject=subject,
        line=_charge_line(call, row, balance.minor),
    )
    paid = {"paid_minor": row.total_minor, "transfer_id": posted.transfer_id, "updated_at": call.now}
    await store.update_shipping_order_row(call.work, row.id, paid)


def _charge_line(call: Call, row: store.ShippingOrderRow, minor: int) -> ChargeDetails:
    price = msgspec.convert(row.price, ServicePrice)
    return ChargeDetails(
        item=row.service_name,
        reference=row.order_ref or row.tracking_number,
        recipient=row.consignee_name,
        serviced_on=row.scheduled_date or call.today,
        taxes=scale_taxes(price.taxes, minor, price.total_minor),
    )


async def refund_payment(call: Call, row: store.ShippingOrderRow) -> None:
    """Return the payment of an order to the credit, less refunds and credit notes."""
    if row.transfer_id is None:
        return
    await refund_remaining(call, row.transfer_id, key=f"shipping_order:{row.id}:cancel")
    await store.update_shipping_order_row(call.work, row.id, {"paid_minor": 0})


ORDER_CANCELLED = "shipping_order_cancelled"


async def confirm_order(call: Call, row: store.ShippingOrderRow) -> None:
    """Confirm a locked order: create its delivery, and enqueue its label.

    A repeat retries the label.
    """
    wanted = set(row.fulfilment)
    values: dict[str, Any] = {"label_fault": None}
    if row.state != ShippingOrderState.CONFIRMED:
        state = SHIPPING_ORDER_LIFE.next_status_or_raise(ShippingOrderStep.CONFIRM, ShippingOrderState(row.state))
        values |= {"state": state.value, "confirmed_at": call.now}
        if Fulfilment.LOCAL_DELIVERY in wanted:
            delivery = await create_bought_delivery(call, _delivery_of(row))
            values |= {"order_id": delivery.order_id, "tracking_number": delivery.tracking_number}
    await _write(call, row, values, "confirmed")
    if Fulfilment.LABEL in wanted and row.shipment_id is None:
        await call.enqueue(BUY_ORDER_LABEL_JOB, BuyOrderLabel(row.id))


def _delivery_of(row: store.ShippingOrderRow) -> CreateOrder:
    """Return the local delivery of an order, or the collection for its carrier."""
    ends = {
        name: {part: value for part, value in end.items() if part not in ("company", "residential")}
        for name in ("consignee", "shipper")
        if (end := row.terms[name])
    }
    if Fulfilment.LABEL in row.fulfilment:
        ends.pop("consignee")
    kind = "D" if "shipper" not in ends else "P2P" if "consignee" in ends else "P"
    return CreateOrder.model_validate(
        {
            **ends,
            "type": kind,
            "packages": row.terms["packages"],
            "customer_id": row.customer_id,
            "scheduled_date": row.scheduled_date,
            "note": row.note,
            "references": {"shipping_order": str(row.id)},
        }
    )


async def move_order(call: Call, row: store.ShippingOrderRow, step: ShippingOrderStep) -> bool:
    """Start or complete a locked order. Return False if its state does not allow it."""
    state = SHIPPING_ORDER_LIFE.next_status(step, ShippingOrderState(row.state))
    if state is None:
        return False
    done = {"completed_at": call.now} if state is ShippingOrderState.COMPLETED else {}
    await _write(call, row, {"state": state.value, **done}, state.value)
    return True


async def cancel_order(call: Call, row: store.ShippingOrderRow, reason: str | None) -> None:
    """Cancel a locked order, its delivery and label, and return its payment.

    Raises `SHIPPING_ORDER_STEP_REFUSED` once it has started, also if the start is not reported yet.
    """
    state = SHIPPING_ORDER_LIFE.next_status_or_raise(ShippingOrderStep.CANCEL, ShippingOrderState(row.state))
    if row.order_id is not None and not await cancel_bought_delivery(call, row.order_id, ORDER_CANCELLED):
        raise _begun()
    if row.shipment_id is not None and not await withdraw_label(call, row.shipment_id):
        raise _begun()
    await refund_payment(call, row)
    values = {"state": state.value, "cancelled_at": call.now, "cancel_reason": reason}
    await _write(call, row, values, state.value)


def _begun() -> Exception:
    return SHIPPING_ORDER_STEP_REFUSED(step=ShippingOrderStep.CANCEL.value, state=ShippingOrderState.IN_PROGRESS.value)


async def _write(call: Call, row: store.ShippingOrderRow, values: dict[str, Any], change: str) -> None:
    await store.update_shipping_order_row(call.work, row.id, {**values, "updated_at": call.now})
    call.add_audit_subjects("shipping_order", row.id)
    await call.publish(ShippingOrderChanged(shipping_order_id=row.id, change=change))
