"""Labels that were not bought are bought later, and orders are cancelled at whoever carries them."""

from haulier.contexts.orders.public import cancel_visible_order
from haulier.contexts.orders.quotes.rules import DIFFERS, QUOTE_MISMATCH
from haulier.contexts.shipping.labels.actions.submissions import claim_purchase, is_same_shipment
from haulier.contexts.shipping.labels.actions.voids import begin_void
from haulier.contexts.shipping.labels.actions.wanted import Wanted, require_offer
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.queries import ShipmentRow, get_visible_shipment
from haulier.contexts.shipping.labels.rules.lifecycle import SHIPMENT_LIFE, ShipmentState, ShipmentStep
from haulier.contexts.shipping.labels.rules.rates import Offer
from haulier.contexts.shipping.uniorder.actions.quotes import get_quoted_way
from haulier.contexts.shipping.uniorder.contract.orders import PurchaseUniorderLabel
from haulier.contexts.shipping.uniorder.queries import get_visible_uniorder
from haulier.contexts.shipping.uniorder.rules.states import (
    STATUS_OF_SHIPMENT,
    UNIORDER_HAS_NO_LABEL,
    UniorderStatus,
)
from haulier.contexts.shipping.uniorder.store import uniorders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def rate_for_purchase(call: Call, request: PurchaseUniorderLabel) -> tuple[ShipmentTerms, int | None, str] | None:
    """What has to be rated before a label is bought: its shipment, the account and the service. None for a quoted rate.

    Raises `NOT_FOUND`, `UNIORDER_HAS_NO_LABEL`, `SHIPMENT_STEP_REFUSED`.
    """
    shipment = await _label_of(call, request.order_id)
    if request.rate_id is not None:
        return None
    service = request.service or shipment.service
    if service is None:
        raise INVALID_REQUEST.for_fields(FieldError("service", "field.missing"))
    return ShipmentTerms.model_validate(shipment.terms), request.account_id or shipment.account_id, service


async def _label_of(call: Call, order_id: int, *, lock: bool = False) -> ShipmentRow:
    row = await get_visible_uniorder(call, order_id)
    if row.shipment_id is None:
        raise UNIORDER_HAS_NO_LABEL()
    shipment = await get_visible_shipment(call, row.shipment_id, lock=lock)
    SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.BUY, ShipmentState(shipment.state))
    return shipment


async def purchase_label(call: Call, request: PurchaseUniorderLabel, wanted: Wanted | None) -> store.UniorderRow:
    """Claim the purchase of a label that was not bought. What was asked for once is looked for before it is bought again."""
    shipment = await _label_of(call, request.order_id, lock=True)
    offer = require_offer(call, wanted) if wanted else await _quoted_offer(call, request.rate_id or "", shipment)
    changes = {"label_format": request.label_format} if request.label_format else {}
    await claim_purchase(call, shipment, offer, **changes)
    call.add_audit_subjects("uniorder", request.order_id)
    status = UniorderStatus.LABEL_PURCHASE_PENDING.value
    values = {"status": status, "carrier": offer.carrier, "updated_at": call.now}
    await store.update_uniorder(call.work, request.order_id, values)
    return await get_visible_uniorder(call, request.order_id)


async def _quoted_offer(call: Call, rate_id: str, shipment: ShipmentRow) -> Offer:
    """The offer of a rate. Raises `QUOTE_MISMATCH` where it is for something else, `INVALID_REQUEST` for local delivery."""
    way = await get_quoted_way(call, rate_id)
    if way.offer is None:
        raise INVALID_REQUEST.for_fields(FieldError("rate_id", "field.label_rate_needed"))
    if not is_same_shipment(shipment, way.form):
        raise QUOTE_MISMATCH.for_fields(FieldError("rate_id", DIFFERS))
    return way.offer


async def cancel_uniorder(call: Call, order_id: int, reason: str | None) -> store.UniorderRow:
    """Cancel an order at whoever carries it. A repeat changes nothing.

    Raises `NOT_FOUND`, and why it cannot be cancelled: `ORDER_STEP_REFUSED`, `SHIPMENT_STEP_REFUSED`.
    """
    row = await get_visible_uniorder(call, order_id)
    call.add_audit_subjects("uniorder", row.id)
    if row.status == UniorderStatus.CANCELLED:
        return row
    if row.shipment_id is not None:
        # Why the shipment first: whoever stores a carrier's answer has it locked, and changes the order after it.
        shipment = await begin_void(call, await get_visible_shipment(call, row.shipment_id, lock=True))
        status = STATUS_OF_SHIPMENT[ShipmentState(shipment.state)]
        await store.update_uniorder(call.work, row.id, {"status": status.value, "updated_at": call.now})
    elif row.local_order_id is not None:
        await cancel_visible_order(call, row.local_order_id, reason)
        status = UniorderStatus.CANCELLED
        await store.update_uniorder(call.work, row.id, {"status": status.value, "updated_at": call.now})
    return await get_visible_uniorder(call, order_id)
