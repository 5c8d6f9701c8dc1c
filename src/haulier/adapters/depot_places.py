"""Depot coordinates, for the orders context."""

from collections.abc import Collection, Mapping, Sequence

from haulier.contexts.fleet.public import KnownDepotPlaces, get_depot_rows
from haulier.contexts.orders.ports import PickupDepot
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.geography import LatLng


class StoredDepotPlaces:
    """Depot coordinates from the fleet context."""

    async def list_depot_places(self, call: Call) -> Sequence[LatLng]:
        """Return the coordinates of the client's open depots."""
        return await call.adapter(KnownDepotPlaces).of(call.work)

    async def get_depots(self, call: Call, depot_ids: Collection[int]) -> Mapping[int, PickupDepot]:
        """Return depots of the client by id, closed ones included. One statement."""
        rows = await get_depot_rows(call, depot_ids)
        return {id: record(PickupDepot, row) for id, row in rows.items()}
