"""The label of a shipping order: bought by a job once the order is confirmed, for the business, which sold the service."""

from typing import TypeGuard

from pydantic import ValidationError

from haulier.contexts.shipping.labels.actions.for_orders import (
    LabelRequest,
    Submit,
    account_or_default,
    buy_label_for,
)
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import ShippingOrderState
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system

FAULT_MAX = 500


async def buy_order_label(app: Application, client_id: int, id: int) -> None:
    """Buy the label of a confirmed order that has none. Harmless to repeat: the order's id is the label's reference."""
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
    """What is shipped. What a driver collects first leaves from the business: its account with the carrier says from where."""
    sent = {name: row.terms[name] for name in ("consignee", "packages")}
    shipper = None if row.order_id is not None else row.terms["shipper"]
    return ShipmentTerms.model_validate({**sent, "shipper": shipper})


async def _store_fault(app: Application, client_id: int, id: int, text: str) -> None:
    async with app.database.write(client_id) as work:
        changes = {"label_fault": (text or "-")[:FAULT_MAX], "updated_at": app.clock()}
        await store.update_shipping_order_row(work, id, changes)
