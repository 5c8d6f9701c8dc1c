"""The label of a shipping order: bought by a job once the order is confirmed, for the business, which sold the service."""

from typing import TypeGuard

from msgspec import Struct
from pydantic import ValidationError

from haulier.contexts.shipping.accounts.queries import get_default_account
from haulier.contexts.shipping.labels.actions.carrier_rates import Rated, rate_terms
from haulier.contexts.shipping.labels.actions.purchases import settle_purchase
from haulier.contexts.shipping.labels.actions.submissions import Draft, submit_shipment
from haulier.contexts.shipping.labels.contract.rates import PurchaseTerms
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.rates import Offer
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import ShippingOrderState
from haulier.kernel.application import Application
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.principal import Business

FAULT_MAX = 500


class LabelRequest(Struct, frozen=True):
    """What the carrier is asked for."""

    business: Business
    terms: ShipmentTerms
    account_id: int | None
    service: str | None


async def buy_order_label(app: Application, client_id: int, id: int) -> None:
    """Buy the label of a confirmed order that has none. Harmless to repeat: the order's id is the label's reference."""
    try:
        wanted = await _label_request(app, client_id, id)
        if wanted is None:
            return
        rated = await _rate(app, wanted)
    except (OperationError, ValidationError) as fault:
        await _store_fault(app, client_id, id, str(fault))
        return
    if not rated.offers:
        await _store_fault(app, client_id, id, "; ".join(dict.fromkeys(each.text for each in rated.remarks)))
        return
    shipment_id = await _submit(app, client_id, id, wanted.terms, rated.offers[0])
    if shipment_id is not None:
        await settle_purchase(app, client_id, shipment_id)


async def _label_request(app: Application, client_id: int, id: int) -> LabelRequest | None:
    async with app.database.read(client_id) as work:
        row = await store.get_shipping_order_row(work, id)
        if not _wants_label(row):
            return None
        account = row.carrier_account_id
        if account is None:
            default = await get_default_account(work)
            account = default and default.id
        call = await call_as_system(app, client_id, work)
        return LabelRequest(call.business, label_terms(row), account, row.carrier_service)


def _wants_label(row: store.ShippingOrderRow | None) -> TypeGuard[store.ShippingOrderRow]:
    return row is not None and row.state == ShippingOrderState.CONFIRMED and row.shipment_id is None


def label_terms(row: store.ShippingOrderRow) -> ShipmentTerms:
    """What is shipped. What a driver collects first leaves from the business: its account with the carrier says from where."""
    sent = {name: row.terms[name] for name in ("consignee", "packages")}
    shipper = None if row.order_id is not None else row.terms["shipper"]
    return ShipmentTerms.model_validate({**sent, "shipper": shipper})


async def _rate(app: Application, wanted: LabelRequest) -> Rated:
    return await rate_terms(
        app,
        wanted.business,
        wanted.terms,
        account_ids=[wanted.account_id] if wanted.account_id else [],
        services=[wanted.service] if wanted.service else [],
    )


async def _submit(app: Application, client_id: int, id: int, terms: ShipmentTerms, offer: Offer) -> int | None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipping_order_row(work, id, lock=True)
        if not _wants_label(row):
            return None
        purchase = PurchaseTerms(order_ref=f"shipping-order-{id}")
        submitted = await submit_shipment(call, Draft(terms=terms, offer=offer, purchase=purchase))
        changes = {"shipment_id": submitted.row.id, "label_fault": None, "updated_at": call.now}
        await store.update_shipping_order_row(work, id, changes)
        return submitted.row.id


async def _store_fault(app: Application, client_id: int, id: int, text: str) -> None:
    async with app.database.write(client_id) as work:
        changes = {"label_fault": (text or "-")[:FAULT_MAX], "updated_at": app.clock()}
        await store.update_shipping_order_row(work, id, changes)
