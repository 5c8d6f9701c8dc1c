"""Return of undelivered packages to the depot at the end of their route."""

from haulier.contexts.orders.public import return_left_pieces
from haulier.contexts.routes.events import RouteFinished
from haulier.contexts.routes.public import list_stops_of_routes
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(RouteFinished)
async def return_pieces_of_finished_route(call: Call, event: RouteFinished) -> None:
    """Record the return of undelivered packages.

    Handling the event twice changes nothing more.
    """
    stops = await list_stops_of_routes(call, [event.route_id])
    order_ids = [stop.order_id for stop in stops if stop.proof and stop.proof.get("left")]
    if order_ids:
        await return_left_pieces(call, order_ids, event.at)
