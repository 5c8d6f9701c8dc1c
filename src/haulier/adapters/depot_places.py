"""Depot coordinates, for the orders context."""

from collections.abc import Sequence

from haulier.contexts.fleet.public import KnownDepotPlaces
from haulier.kernel.call import Call
from haulier.kernel.values.geography import LatLng


class StoredDepotPlaces:
    """Depot coordinates from the fleet context."""

    async def list_depot_places(self, call: Call) -> Sequence[LatLng]:
        """Return the coordinates of the client's open depots."""
        return await call.adapter(KnownDepotPlaces).of(call.work)
