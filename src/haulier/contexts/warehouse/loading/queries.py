"""What a route takes from the warehouse, and what of it is in its vehicle."""

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec import Struct

from haulier.contexts.orders.public import get_order_facts, list_order_pieces
from haulier.contexts.routes.public import list_stops_of_routes
from haulier.contexts.routes.stops.rules import StopKind
from haulier.contexts.warehouse.loading import store
from haulier.contexts.warehouse.loading.contract import LoadCheck, LoadParcel
from haulier.kernel.call import Call


class RouteLoad(Struct, frozen=True):
    """The parcels that a route takes, by tracking number in the order of its stops."""

    route_id: int
    parcels: Mapping[str, LoadParcel]
    names: Mapping[str, str]
    """Those of orders of one piece are also known by the order's own number."""

    def number_of(self, barcode: str) -> str:
        """The tracking number of what was scanned; the barcode itself where the route takes nothing of that name."""
        return self.names.get(barcode, barcode)


async def get_load(call: Call, route_id: int, among: Collection[int] | None = None) -> RouteLoad:
    """What a route takes, or what of these orders. What it fetches on its way is never loaded at the warehouse."""
    visits = await list_stops_of_routes(call, [route_id])
    on_the_way = {stop.order_id for stop in visits if stop.kind == StopKind.PICKUP}
    delivered = [stop.order_id for stop in visits if stop.kind == StopKind.DELIVERY and stop.order_id not in on_the_way]
    order_ids = delivered if among is None else [id for id in delivered if id in among]
    orders = await get_order_facts(call, order_ids)
    pieces = await list_order_pieces(call, order_ids)
    place = {id: at for at, id in enumerate(order_ids)}
    of_orders = Counter(piece.order_id for piece in pieces)
    names = {
        orders[piece.order_id].tracking_number: piece.tracking_number
        for piece in pieces
        if of_orders[piece.order_id] == 1
    }
    parcels = {
        piece.tracking_number: LoadParcel(
            tracking_number=piece.tracking_number,
            order_id=piece.order_id,
            order_ref=orders[piece.order_id].order_ref,
        )
        for piece in sorted(pieces, key=lambda each: (place[each.order_id], each.tracking_number))
    }
    return RouteLoad(route_id, parcels, names)


async def check_load(call: Call, load: RouteLoad) -> LoadCheck:
    """What of it is in the vehicle, what is missing, and what is there that the route does not take."""
    loaded = await store.list_loaded(call.work, load.route_id)
    missing = [parcel for number, parcel in load.parcels.items() if number not in loaded]
    too_much = sorted(loaded.keys() - load.parcels.keys())
    return LoadCheck(
        route_id=load.route_id,
        expected=len(load.parcels),
        loaded=len(load.parcels) - len(missing),
        complete=not missing and not too_much,
        missing=missing,
        too_much=too_much,
    )
