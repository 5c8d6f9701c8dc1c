"""The label of a ship-out: bought by a job once it is confirmed, for the business, whose customer pays the service."""

from typing import TypeGuard

from pydantic import ValidationError

from haulier.contexts.billing.public import get_service
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.public import LabelRequest, Submit, account_or_default, buy_label_for
from haulier.contexts.storage.shipouts import store
from haulier.contexts.storage.shipouts.actions.contents import list_leaving_parcels
from haulier.contexts.storage.shipouts.rules import (
    LeavingParcel,
    ShipoutFulfilment,
    ShipoutStatus,
)
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system

SHIPPING_ENDS = frozenset(
    {"name", "company", "address", "unit", "city", "region", "postal_code", "country", "phone", "email"}
)
"""What a carrier is told of a recipient."""


def wants_label(row: ShipoutRow | None) -> TypeGuard[ShipoutRow]:
    """Whether a label is still to be bought: it leaves with a carrier, and nobody named the number of a label."""
    return (
        row is not None
        and row.status == ShipoutStatus.CONFIRMED
        and row.fulfilment == ShipoutFulfilment.LABEL
        and row.shipment_id is None
        and row.tracking_number is None
    )


async def buy_shipout_label(app: Application, client_id: int, shipout_id: int) -> None:
    """Buy the label of a confirmed ship-out. Harmless to repeat: its id is the label's reference. A failure is kept with it."""
    try:
        wanted = await _label_request(app, client_id, shipout_id)
    except ValidationError as fault:
        await _store_fault(app, client_id, shipout_id, str(fault))
        return
    if wanted is None:
        return

    async def claim(call: Call, submit: Submit) -> int | None:
        if not wants_label(await ShipoutRow.lock(call.work, shipout_id)):
            return None
        shipment_id = await submit(call)
        await ShipoutRow.update(call.work, shipout_id, {"shipment_id": shipment_id, "label_fault": None})
        return shipment_id

    if fault := await buy_label_for(app, client_id, wanted, f"shipout-{shipout_id}", claim):
        await _store_fault(app, client_id, shipout_id, fault)


async def _label_request(app: Application, client_id: int, shipout_id: int) -> LabelRequest | None:
    async with app.database.read(client_id) as work:
        row = await ShipoutRow.get(work, shipout_id)
        if not wants_label(row):
            return None
        call = await call_as_system(app, client_id, work)
        service = await get_service(call, row.service_id)
        parcels = [_parcel(parcel) for parcel in await list_leaving_parcels(call, row)]
        consignee = {name: value for name, value in row.consignee.items() if name in SHIPPING_ENDS}
        terms = ShipmentTerms.model_validate({"consignee": consignee, "packages": parcels})
        account = await account_or_default(work, service.carrier_account_id)
        return LabelRequest(call.business, terms, account, service.carrier_service)


def _parcel(parcel: LeavingParcel) -> dict[str, int]:
    """A parcel as the carrier weighs it; of one that is packed anew nobody knows the size."""
    size = {}
    if parcel.package is not None:
        size = {name: getattr(parcel.package, name) for name in ("length_mm", "width_mm", "height_mm")}
    return {"weight_g": max(1, parcel.weight_g), **size}


async def _store_fault(app: Application, client_id: int, shipout_id: int, text: str) -> None:
    async with app.database.write(client_id) as work:
        await ShipoutRow.update(work, shipout_id, {"label_fault": (text or "-")[: store.FAULT_MAX]})
