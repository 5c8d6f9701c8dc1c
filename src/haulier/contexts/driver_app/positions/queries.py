"""Where drivers are, as others read it."""

from collections.abc import Collection, Sequence
from datetime import datetime

from haulier.contexts.driver_app.positions import store
from haulier.contexts.driver_app.positions.store import PositionRow
from haulier.kernel.call import Call

# Two lists filter and join by position: drivers near an order, and drivers standing still. Reading separately would
# fetch every driver with a position first.
positions = store.positions


async def get_latest_positions(call: Call, driver_ids: Collection[int]) -> dict[int, PositionRow]:
    """The newest position of each of these drivers; one without any is absent."""
    return await store.get_latest_positions(call.work, driver_ids)


async def list_positions_since(call: Call, since: datetime) -> Sequence[PositionRow]:
    """The newest positions that were recorded after an instant, oldest first."""
    return await store.list_positions_since(call.work, since)
