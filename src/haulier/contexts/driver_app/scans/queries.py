"""Scans as other families read them."""

from collections.abc import Collection, Sequence

from haulier.contexts.driver_app.scans import store
from haulier.contexts.driver_app.scans.store import MatchedScanRow
from haulier.kernel.call import Call


async def list_matched_scans(call: Call, route_ids: Collection[int]) -> Sequence[MatchedScanRow]:
    """The scans of these routes whose code belongs to the route, oldest first."""
    return await store.list_matched_scans(call.work, route_ids)
