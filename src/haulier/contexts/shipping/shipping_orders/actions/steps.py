"""Shipping orders are confirmed, begun, completed and cancelled; what they became goes with them."""

from typing import Any

from haulier.contexts.billing.public import Fulfilment
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.public import cancel_bought_delivery, create_bought_delivery
from haulier.contexts.shipping.events import ShippingOrderChanged
from haulier.contexts.shipping.labels.actions.for_orders import withdraw_label
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.actions.payments import give_back_payment
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import (
    SHIPPING_ORDER_LIFE,
    SHIPPING_ORDER_STEP_REFUSED,
    ShippingOrderState,
    ShippingOrderStep,
)
from haulier.contexts.shipping.shipping_orders.rules.work import BUY_ORDER_LABEL_JOB, BuyOrderLabel
from haulier.kernel.call import Call

ORDER_CANCELLED = "shipping_order_cancelled"


async def confirm_order(call: Call, row: store.ShippingOrderRow) -> None:
    """Confirm a locked order: it becomes a delivery at once, and a label by a job, which a repeat tries anew."""
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
    """The local delivery of an order. Where a carrier takes it on, the client's driver collects it for that."""
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
    """Let a locked order be begun or completed; False where it is not in a state for it."""
    state = SHIPPING_ORDER_LIFE.next_status(step, ShippingOrderState(row.state))
    if state is None:
        return False
    done = {"completed_at": call.now} if state is ShippingOrderState.COMPLETED else {}
    await _write(call, row, {"state": state.value, **done}, state.value)
    return True


async def cancel_order(call: Call, row: store.ShippingOrderRow, reason: str | None) -> None:
    """Cancel a locked order: its delivery is cancelled, its label given back, and what was paid is in the credit again.

    Raises `SHIPPING_ORDER_STEP_REFUSED` once it is begun, also where nobody told us yet.
    """
    state = SHIPPING_ORDER_LIFE.next_status_or_raise(ShippingOrderStep.CANCEL, ShippingOrderState(row.state))
    if row.order_id is not None and not await cancel_bought_delivery(call, row.order_id, ORDER_CANCELLED):
        raise _begun()
    if row.shipment_id is not None and not await withdraw_label(call, row.shipment_id):
        raise _begun()
    await give_back_payment(call, row)
    values = {"state": state.value, "cancelled_at": call.now, "cancel_reason": reason}
    await _write(call, row, values, state.value)


def _begun() -> Exception:
    return SHIPPING_ORDER_STEP_REFUSED(step=ShippingOrderStep.CANCEL.value, state=ShippingOrderState.IN_PROGRESS.value)


async def _write(call: Call, row: store.ShippingOrderRow, values: dict[str, Any], change: str) -> None:
    await store.update_shipping_order_row(call.work, row.id, {**values, "updated_at": call.now})
    call.add_audit_subjects("shipping_order", row.id)
    await call.publish(ShippingOrderChanged(shipping_order_id=row.id, change=change))
