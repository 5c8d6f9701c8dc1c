"""Loading checks as other families read them."""

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
    """Orders with one package are also known by the order's number."""

    def number_of(self, barcode: str) -> str:
        """Return the tracking number of a barcode, or the barcode if it is unknown."""
        return self.names.get(barcode, barcode)


async def get_load(call: Call, route_id: int, among: Collection[int] | None = None) -> RouteLoad:
    """Return the parcels that a route loads at the warehouse.

    `among` limits them to these orders. Parcels picked up on the way are never included.
    """
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
    """Return loaded, missing and surplus parcels."""
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
