"""Refused deliveries: rejected at the stop, also after the return of the parcel."""

from tests.support.app import App
from tests.support.transport import make_started_route, order_row, some_orders

from haulier.contexts.routes.stops.rules import is_refused

REJECTED = 9


def test_only_a_refusal_with_return_is_a_rejection() -> None:
    assert is_refused("refused", "return")
    assert not is_refused("refused", "retry")
    assert not is_refused("damaged", "return")


async def test_a_refused_order_stays_rejected_after_the_return(app: App) -> None:
    (order_id,) = await some_orders(app, 1)
    route = await make_started_route(app, [order_id])
    stop = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "fail_stop", {**stop, "reason": "refused", "outcome": "return"})
    assert (await order_row(app, order_id)).status == REJECTED
    home = await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    assert home.errors == []
    assert (await order_row(app, order_id)).status == REJECTED
