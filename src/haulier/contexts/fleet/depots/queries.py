"""Depots as other families and contexts read them."""

from collections.abc import Collection, Sequence

from haulier.contexts.fleet.depots import store
from haulier.contexts.fleet.depots.store import DepotRow
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork

# Route lists show the depot's name, and lock, sort and page in one statement, which requires a join.
depots = store.depots


class KnownDepotPlaces(ClientCache[tuple[tuple[float, float], ...]]):
    """Cached coordinates of open depots, compared with those of new orders."""

    channel = store.DEPOTS_CHANNEL

    async def read(self, work: UnitOfWork) -> tuple[tuple[float, float], ...]:
        """Return the coordinates of the client's open depots."""
        return await store.list_depot_places(work)


async def get_depot_row(call: Call, depot_id: int) -> DepotRow | None:
    """A depot of this client, or None."""
    return await DepotRow.get(call.work, depot_id)


async def get_depot_rows(call: Call, depot_ids: Collection[int]) -> dict[int, DepotRow]:
    """Depots of this client by id."""
    return await DepotRow.get_many(call.work, depot_ids)


async def list_depot_rows(call: Call, *, closed: bool, limit: int, offset: int) -> tuple[Sequence[DepotRow], int]:
    """Return a page of depots by name, and their number.

    With `closed`, closed depots are included.
    """
    return await store.list_depot_rows(call.work, closed=closed, limit=limit, offset=offset)
