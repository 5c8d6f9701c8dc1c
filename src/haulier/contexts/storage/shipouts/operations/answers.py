"""What the operations on ship-outs have in common: their lists and their answers."""

from typing import Any

from haulier.contexts.consolidation.public import list_ship_out_parcels
from haulier.contexts.storage.shipouts import store
from haulier.contexts.storage.shipouts.contract import ListShipouts, ShipoutAnswer, ShipoutList
from haulier.contexts.storage.shipouts.serializers import shipout_detail, shipout_summary
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.storage.stored_packages.queries import list_packages_of_shipouts
from haulier.kernel.call import Call
from haulier.kernel.values.pagination import total_fields

FILTERS = {"status", "shipout_ref", "tracking_number", "customer_id"}


async def list_rows(call: Call, request: ListShipouts, **own: Any) -> ShipoutList:
    """A page of ship-outs, newest first."""
    wanted = request.model_dump(include=FILTERS, exclude_none=True) | own
    rows, counted = await store.list_shipout_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return ShipoutList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        shipouts=[shipout_summary(call, row) for row in rows],
    )


async def shipout_answer(call: Call, row: ShipoutRow) -> ShipoutAnswer:
    """A ship-out with what it takes; of one that was cancelled, that is free again."""
    packages = (await list_packages_of_shipouts(call, [row.id]))[row.id]
    inbound = await list_ship_out_parcels(call.work, row.id) if row.inbound_parcels else ()
    return ShipoutAnswer(shipout=shipout_detail(call, row, packages, inbound))
