"""Scans for other families: scanned and missing packages of a route."""

from collections.abc import Collection, Sequence

from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.rules import LoadingPolicy
from haulier.contexts.driver_app.scans import store
from haulier.contexts.driver_app.scans.contract import PieceOnRoute
from haulier.contexts.driver_app.scans.rules import find_shortages
from haulier.contexts.driver_app.scans.store import MatchedScanRow
from haulier.contexts.orders.public import list_order_pieces
from haulier.contexts.routes.public import list_stops_of_routes
from haulier.contexts.routes.routes.contract import LoadingShortage
from haulier.contexts.routes.stops.rules import PIECES_MISSING
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record


async def list_matched_scans(call: Call, route_ids: Collection[int]) -> Sequence[MatchedScanRow]:
    """The scans of these routes whose code belongs to the route, oldest first."""
    return await store.list_matched_scans(call.work, route_ids)


async def list_pieces_of_route(call: Call, route_id: int) -> list[PieceOnRoute]:
    """Every piece of a route, in the order of visit, and when it was scanned first."""
    order_ids = list(dict.fromkeys(stop.order_id for stop in await list_stops_of_routes(call, [route_id])))
    loaded = {
        row.package_id: row for row in reversed(await list_matched_scans(call, [route_id])) if row.stop_id is None
    }
    at_door = {row.package_id: row for row in reversed(await list_matched_scans(call, [route_id])) if row.stop_id}
    pieces = sorted(await list_order_pieces(call, order_ids), key=lambda piece: order_ids.index(piece.order_id))
    return [
        record(
            PieceOnRoute,
            piece,
            package_id=piece.id,
            barcode=piece.tracking_number,
            loaded_at=call.local_time(loaded[piece.id].occurred_at) if piece.id in loaded else None,
            at_door_at=call.local_time(at_door[piece.id].occurred_at) if piece.id in at_door else None,
        )
        for piece in pieces
    ]


class ScannedLoading:
    """Implements the port `LoadingCheck` of routes by what was scanned."""

    async def find_shortages(
        self, call: Call, route_id: int, order_ids: Collection[int], *, happened: bool
    ) -> Sequence[LoadingShortage]:
        """Return the packages not scanned while loading, if the client counts packages.

        Raises `PIECES_MISSING` before the departure if the policy requires it. Past departures are not refused.
        """
        policy = (await load_rider_policy(call)).loading_check
        if policy is LoadingPolicy.IGNORE or not order_ids:
            return []
        scans = await list_matched_scans(call, [route_id])
        scanned = {row.package_id for row in scans if row.stop_id is None}
        pieces = [
            (piece.order_id, piece.id, piece.tracking_number) for piece in await list_order_pieces(call, order_ids)
        ]
        shortages = find_shortages(pieces, scanned)
        held = policy is LoadingPolicy.BLOCK and call.principal.account is Account.DRIVER and not happened
        if shortages and held:
            missing = [barcode for shortage in shortages for barcode in shortage.missing]
            raise PIECES_MISSING(count=len(missing), first=missing[0])
        return shortages
