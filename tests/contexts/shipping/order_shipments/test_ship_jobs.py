"""Many orders are shipped in the background, each with its outcome."""

from tests.contexts.shipping.makers import make_parcelo_account
from tests.contexts.shipping.order_shipments.makers import make_order_to_ship, order_of
from tests.support.app import App


async def test_each_order_of_a_job_is_shipped_or_refused_individually(app: App) -> None:
    carrier = await make_parcelo_account(app)
    good, held, last = [await make_order_to_ship(app) for _ in range(3)]
    await app.answer("admin", "hold_order", {"order_id": held}, confirmed=True)
    asked = {"order_ids": [good, held, last, good]}
    started = await app.answer("admin", "ship_orders", asked, confirmed=True)
    queued = await app.answer("admin", "get_ship_job", {"ship_job_id": started.ship_job_id})
    assert (queued.ship_job.state, [each.state for each in queued.outcomes]) == ("queued", ["queued"] * 3)
    await app.work_off()
    answer = await app.answer("admin", "get_ship_job", {"ship_job_id": started.ship_job_id})
    assert (answer.ship_job.state, answer.ship_job.shipped, answer.ship_job.refused) == ("partly_done", 2, 1)
    assert [each.code for each in answer.outcomes] == [None, "ORDER_STEP_REFUSED", None]
    assert (carrier.bought_times, (await order_of(app, last)).fulfilment) == (2, "carrier")


async def test_a_job_of_another_business_is_not_found(app: App) -> None:
    await make_parcelo_account(app)
    asked = {"order_ids": [await make_order_to_ship(app)]}
    started = await app.answer("admin", "ship_orders", asked, confirmed=True)
    path = f"/v1/order-ship-jobs/{started.ship_job_id}"
    assert (await app.rest("rival", "GET", path)).status_code == 404
    assert (await app.rest("customer", "GET", path)).status_code == 403
    assert (await app.rest("rival", "GET", "/v1/order-ship-jobs")).json()["total"] == 0
