"""On-demand orders: offers in rounds, the first acceptance wins, and its route."""

import asyncio
from typing import Any

import pytest
from tests.contexts.driver_app.makers import DOOR_POSITION, make_policy, make_rider
from tests.support.app import App
from tests.support.transport import (
    make_contact,
    make_depot,
    make_driver,
    make_order,
    make_route,
    order_row,
    set_order,
    status_and_code,
)

DELIVERED = 6


async def offered(app: App, order_id: int, **words: Any) -> Any:
    return (await app.answer("admin", "offer_order_to_riders", {"order_id": order_id, **words})).job


async def the_offer(app: App, who: str) -> Any:
    (offer,) = (await app.answer(who, "list_my_offers")).offers
    return offer


async def after_the_round(app: App, seconds: int = 61) -> Any:
    """The job, once the riders' time is up."""
    app.clock.forward(seconds=seconds)
    await app.work_off()
    return (await app.answer("admin", "list_instant_jobs")).jobs[0]


async def test_an_offer_goes_to_the_nearest_available_riders(app: App) -> None:
    await make_depot(app)
    await make_policy(app, riders_per_round=1, offer_radius_m=5000)
    await make_rider(app, "driver2", lat=DOOR_POSITION["lat"] + 0.01)
    near = await make_rider(app, "driver")
    job = await offered(app, await make_order(app))
    assert [(offer.driver_id, offer.status, offer.round) for offer in job.offers] == [(near, "offered", 1)]
    offer = await the_offer(app, "driver")
    assert (offer.job_id, offer.type, offer.to_address) == (job.id, "D", "100 Queen St W")
    assert (await app.answer("driver2", "list_my_offers")).offers == []


async def test_off_duty_distant_and_unseen_riders_get_no_offer(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    await app.answer("driver", "set_duty", {"available": False})
    await make_rider(app, "driver2", lat=44.5)
    job = await offered(app, await make_order(app))
    assert (job.status, job.round, job.offers) == ("open", 0, [])
    await app.answer("driver", "set_duty", {"available": True})
    app.clock.forward(minutes=20)
    await app.work_off()
    assert (await app.answer("admin", "list_instant_jobs")).jobs[0].offers == []


async def test_the_accepting_rider_delivers_the_order_and_records_the_proof(app: App) -> None:
    await make_depot(app)
    rider = await make_rider(app, "driver")
    order_id = await make_order(app)
    await offered(app, order_id)
    taken = await app.answer("driver", "accept_offer", {"offer_id": (await the_offer(app, "driver")).id})
    assert (taken.order_id, taken.route.driver_id, taken.route.status) == (order_id, rider, "assigned")
    assert not (await app.answer("driver", "get_rider_day")).available
    await app.answer("driver", "start_route", {"route_id": taken.route.id})
    assert [job.route.status for job in (await app.answer("driver", "list_my_jobs")).jobs] == ["started"]
    at = {"route_id": taken.route.id, "stop_id": taken.route.stops[0].id, "recipient": "Ada", "position": DOOR_POSITION}
    assert (await app.answer("driver", "rider_deliver", at)).stop.ended_distance_m == 0
    await app.answer("driver", "finish_route", {"route_id": taken.route.id})
    assert ((await order_row(app, order_id)).status, (await app.answer("driver", "list_my_jobs")).jobs) == (
        DELIVERED,
        [],
    )


async def test_a_point_to_point_job_starts_at_the_pickup(app: App) -> None:
    await make_depot(app, lat=44.0)
    await make_rider(app, "driver")
    await offered(app, await make_order(app, type="P2P"))
    offer = await the_offer(app, "driver")
    assert (offer.lat, offer.lng, offer.away_m) == (DOOR_POSITION["lat"], DOOR_POSITION["lng"], 0)
    taken = await app.answer("driver", "accept_offer", {"offer_id": offer.id})
    assert [stop.kind for stop in taken.route.stops] == ["pickup", "delivery"]


async def test_of_concurrent_acceptances_one_gets_the_order(app: App) -> None:
    await make_depot(app)
    await make_policy(app, riders_per_round=5)
    for user in ("driver", "driver2"):
        await make_rider(app, user)
    order_id = await make_order(app)
    await offered(app, order_id)
    asked = [(who, (await the_offer(app, who)).id) for who in ("driver", "driver2")]
    outcomes = await asyncio.gather(*(app.call(who, "accept_offer", {"offer_id": offer}) for who, offer in asked * 10))
    told = {
        who: {
            status_and_code(outcome) for (asker, _), outcome in zip(asked * 10, outcomes, strict=True) if asker == who
        }
        for who, _ in asked
    }
    assert sorted(map(sorted, told.values())) == [[(200, None)], [(409, "OFFER_GONE")]]
    (job,) = (await app.answer("admin", "list_instant_jobs")).jobs
    assert sorted(offer.status.value for offer in job.offers) == ["accepted", "lost"]
    assert job.status == "taken"
    assert len((await app.answer("admin", "get_routes")).routes) == 1


async def test_an_unanswered_offer_goes_to_other_riders_and_finally_fails(app: App) -> None:
    await make_depot(app, lat=DOOR_POSITION["lat"])
    await make_policy(app, riders_per_round=1, offer_radius_m=1000, rounds_max=2)
    await make_rider(app, "driver")
    further = await make_rider(app, "driver2", lat=DOOR_POSITION["lat"] + 0.015)  # 1.7 km away
    await offered(app, await make_order(app))
    job = await after_the_round(app)
    assert [(offer.driver_id == further, offer.status.value) for offer in job.offers] == [
        (False, "expired"),
        (True, "offered"),
    ]
    job = await after_the_round(app)
    assert (job.status, [offer.status.value for offer in job.offers]) == ("expired", ["expired", "expired"])


async def test_an_order_without_available_riders_waits_without_using_a_round(app: App) -> None:
    await make_depot(app)
    await make_policy(app, offer_seconds=60, rounds_max=2)
    await offered(app, await make_order(app))
    for _ in range(5):
        job = await after_the_round(app)
    assert (job.status, job.round, job.offers) == ("open", 0, [])
    rider = await make_rider(app, "driver")
    job = await after_the_round(app, seconds=0)
    assert [(offer.driver_id, offer.status) for offer in job.offers] == [(rider, "offered")]
    for _ in range(30):
        job = await after_the_round(app)
    assert (job.status, job.round, len(job.offers)) == ("expired", 1, 1)


async def test_a_rider_coming_on_duty_outside_the_first_radius_is_asked_if_nobody_is_nearer(app: App) -> None:
    await make_depot(app, lat=DOOR_POSITION["lat"])
    await make_policy(app, offer_radius_m=1000, rounds_max=2)
    await make_rider(app, "driver", lat=DOOR_POSITION["lat"] + 0.015)  # 1.7 km away
    job = await offered(app, await make_order(app))
    assert [(offer.status, offer.round) for offer in job.offers] == [("offered", 1)]


async def test_an_expired_offer_cannot_be_accepted(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    await offered(app, await make_order(app))
    offer = await the_offer(app, "driver")
    app.clock.forward(seconds=61)
    assert status_and_code(await app.call("driver", "accept_offer", {"offer_id": offer.id})) == (409, "OFFER_GONE")
    assert (await app.answer("driver", "list_my_offers")).offers == []


async def test_when_all_riders_decline_the_next_are_asked_immediately(app: App) -> None:
    await make_depot(app)
    await make_policy(app, riders_per_round=1)
    await make_rider(app, "driver")
    await make_rider(app, "driver2", lat=DOOR_POSITION["lat"] + 0.001)
    await offered(app, await make_order(app))
    await app.answer("driver", "decline_offer", {"offer_id": (await the_offer(app, "driver")).id, "reason": "lunch"})
    job = await after_the_round(app, seconds=0)
    assert [(offer.status.value, offer.reason) for offer in job.offers] == [("declined", "lunch"), ("offered", None)]


async def test_a_withdrawn_order_is_no_longer_offered(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    job = await offered(app, await make_order(app))
    offer = await the_offer(app, "driver")
    assert (await app.answer("admin", "withdraw_instant_job", {"job_id": job.id})).job.status == "withdrawn"
    assert status_and_code(await app.call("driver", "accept_offer", {"offer_id": offer.id})) == (409, "OFFER_GONE")
    assert status_and_code(await app.call("admin", "withdraw_instant_job", {"job_id": job.id})) == (409, "JOB_NOT_OPEN")
    assert (await offered(app, job.order_id)).status == "open"


async def test_only_plannable_orders_are_offered_and_only_once_at_a_time(app: App) -> None:
    await make_depot(app)
    order_id = await make_order(app)
    await offered(app, order_id)
    again = await app.call("admin", "offer_order_to_riders", {"order_id": order_id})
    assert status_and_code(again) == (409, "ORDER_ALREADY_OFFERED")
    held = await make_order(app)
    await app.answer("admin", "hold_order", {"order_id": held})
    outcome = await app.call("admin", "offer_order_to_riders", {"order_id": held})
    assert outcome.error
    assert outcome.error["code"] == "ORDER_NOT_PLANNABLE"
    outcome = await app.call("rival", "offer_order_to_riders", {"order_id": order_id})
    assert status_and_code(outcome) == (404, "NOT_FOUND")


async def test_an_order_planned_in_the_meantime_is_not_assigned_twice(app: App) -> None:
    depot_id = await make_depot(app)
    await make_rider(app, "driver")
    order_id = await make_order(app)
    await offered(app, order_id)
    offer = await the_offer(app, "driver")
    await make_route(app, order_ids=[order_id], depot_id=depot_id)
    outcome = await app.call("driver", "accept_offer", {"offer_id": offer.id})
    assert outcome.error
    assert outcome.error["code"] == "ORDER_ON_ROUTE"
    assert (await after_the_round(app)).status == "withdrawn"


async def test_offers_require_a_depot(app: App) -> None:
    outcome = await app.call("admin", "offer_order_to_riders", {"order_id": await make_order(app)})
    assert status_and_code(outcome) == (422, "INVALID_REQUEST")


@pytest.mark.parametrize("operation", ["accept_offer", "decline_offer"])
async def test_an_offer_can_be_answered_only_by_its_rider(app: App, operation: str) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    await make_driver(app, user="driver2")
    await offered(app, await make_order(app))
    body = {"offer_id": (await the_offer(app, "driver")).id}
    assert status_and_code(await app.call("driver2", operation, body)) == (404, "NOT_FOUND")


async def test_a_cancelled_order_is_withdrawn_from_its_round(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    order_id = await make_order(app)
    await offered(app, order_id)
    await set_order(app, order_id, status=10)
    assert (await after_the_round(app)).status == "withdrawn"


async def test_repeating_an_acceptance_returns_the_same_route(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    await offered(app, await make_order(app))
    offer = {"offer_id": (await the_offer(app, "driver")).id}
    first, again = [await app.answer("driver", "accept_offer", offer) for _ in range(2)]
    assert first.route.id == again.route.id
    assert len((await app.answer("admin", "get_routes")).routes) == 1
    await app.answer("admin", "assign_route_driver", {"route_id": first.route.id, "driver_id": None})
    assert status_and_code(await app.call("driver", "accept_offer", offer)) == (409, "OFFER_GONE")


async def test_an_offer_shows_pickup_and_size_without_the_customer(app: App) -> None:
    await make_depot(app)
    await make_rider(app, "driver")
    shipper = make_contact(name="Grace Hopper", phone="+1 416 555 0100", address="7 King St", unit="3")
    await offered(app, await make_order(app, type="P2P", shipper=shipper, packages=[{}, {}], cod_minor=900))
    fetched = await the_offer(app, "driver")
    assert (fetched.from_name, fetched.from_address) == (None, "7 King St, 3, Toronto")
    assert (fetched.pieces, fetched.cod_minor, fetched.currency) == (2, 900, "CAD")
    text = (await app.rest("driver", "GET", "/v1/rider/offers")).text
    assert "Hopper" not in text
    assert "555" not in text
    await app.answer("driver", "decline_offer", {"offer_id": fetched.id})
    await offered(app, await make_order(app))
    from_depot = await the_offer(app, "driver")
    assert (from_depot.from_name, from_depot.from_address) == ("Main depot", "1 Front St")
