"""Devices with a wrong clock.

Nothing is lost, and times are corrected by `sent_at`.
"""

import random
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import update
from tests.contexts.driver_app.makers import device_event, event_statuses, sync_events
from tests.contexts.driver_app.offline_queue.days import KINDS, make_waiting_route, make_whole_day, route_state
from tests.support.app import App
from tests.support.transport import make_driver

from haulier.contexts.driver_app.offline_queue.store import device_events

OFFLINE = timedelta(hours=5)


def set_clock(events: list[dict[str, Any]], ahead: Any) -> list[dict[str, Any]]:
    """The events as a device dates them whose clock is `ahead(time)` off."""
    moved = []
    for event in events:
        at = datetime.fromisoformat(event["occurred_at"])
        moved.append({**event, "occurred_at": (at + ahead(at)).isoformat()})
    return moved


async def play(app: App, route: Any, day: list[dict[str, Any]], sent_ahead: timedelta | None, seed: int) -> list[Any]:
    """Send a day shuffled, with eight duplicates, in parts of nine."""
    choose = random.Random(seed)
    told = [*day, *choose.sample(day, 8)]
    choose.shuffle(told)
    answers = []
    for start in range(0, len(told), 9):
        body: dict[str, Any] = {"events": told[start : start + 9]}
        if sent_ahead is not None:
            body["sent_at"] = (app.clock.now + sent_ahead).isoformat()
        answers.append(await app.answer("driver", "sync_rider_events", body))
    return answers


def none_refused(answers: list[Any]) -> bool:
    return all(receipt.status != "refused" for answer in answers for receipt in (*answer.receipts, *answer.settled))


@pytest.mark.parametrize("hours", [2, -2])
async def test_a_constant_clock_offset_is_corrected(app: App, hours: int) -> None:
    driver_id = await make_driver(app, user="driver")
    right, wrong = [await make_waiting_route(app, driver_id, KINDS) for _ in range(2)]
    await sync_events(app, *make_whole_day(right, "a-"))
    offset = timedelta(hours=hours)
    answers = await play(app, wrong, set_clock(make_whole_day(wrong, "b-"), lambda at: offset), offset, hours)
    assert none_refused(answers)
    assert await route_state(app, wrong.id) == await route_state(app, right.id)


@pytest.mark.parametrize("sent", [True, False])
@pytest.mark.parametrize("clock", ["ahead", "behind", "drifting", "jumping"])
async def test_no_clock_error_loses_an_event(app: App, clock: str, sent: bool) -> None:
    route = await make_waiting_route(app, kinds=KINDS)
    start = app.clock.now - OFFLINE
    ahead = {
        "ahead": lambda at: timedelta(hours=2),
        "behind": lambda at: timedelta(hours=-2),
        "drifting": lambda at: (at - start) / 4,
        "jumping": lambda at: timedelta(hours=8 if at.minute % 20 >= 10 else -3),
    }[clock]
    day = make_whole_day(route)
    linked = [{**event, "after": before["id"]} for before, event in pairwise(day)]
    sent_ahead = ahead(app.clock.now) if sent else None
    answers = await play(app, route, set_clock([day[0], *linked], ahead), sent_ahead, 7)
    assert none_refused(answers)
    state = await route_state(app, route.id)
    assert state["route"][0] == "finished"
    assert [stop[0] for stop in state["stops"]].count("completed") == 3
    assert all(stop[2] <= app.clock.now for stop in state["stops"])


async def test_a_future_time_without_a_send_time_becomes_the_receipt_time_and_is_flagged(app: App) -> None:
    route = await make_waiting_route(app)
    stop_id = route.stops[0].id
    answer = await sync_events(
        app,
        device_event("start", "start", "09:00", route.id),
        device_event("deliver", "deliver", "19:00", route.id, stop_id=stop_id),
    )
    start, deliver = answer.receipts
    assert (start.status, start.clock_corrected) == ("applied", False)
    assert (deliver.status, deliver.clock_corrected, deliver.occurred_at) == ("applied", True, app.clock.now)


async def test_an_offset_of_a_few_seconds_is_attributed_to_the_network(app: App) -> None:
    route = await make_waiting_route(app)
    sent_at = (app.clock.now - timedelta(seconds=20)).isoformat()
    body = {"events": [device_event("start", "start", "09:00", route.id)], "sent_at": sent_at}
    (receipt,) = (await app.answer("driver", "sync_rider_events", body)).receipts
    assert receipt.clock_corrected is False
    assert receipt.occurred_at.isoformat() == "2026-06-10T05:00:00-04:00"


async def test_an_event_refused_for_its_time_can_be_sent_again(app: App) -> None:
    route = await make_waiting_route(app)
    start = device_event("start", "start", "09:00", route.id)
    await sync_events(app, start)
    deliver = device_event("deliver", "deliver", "10:00", route.id, stop_id=route.stops[0].id, photos=["never-sent"])
    await sync_events(app, deliver)
    async with app.database.write(app.clients["demo"]) as work:
        refused = {"status": "refused", "code": "invalid_request", "fields": ["occurred_at"]}
        await work.run(update(device_events).where(device_events.c.event_id == deliver["id"]).values(**refused))
    del deliver["photos"]
    answer = await sync_events(app, deliver)
    assert event_statuses(answer) == {"deliver": "applied"}
    assert answer.receipts[0].duplicate is False


async def test_the_office_sees_the_clock_offset_of_a_driver(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    route = await make_waiting_route(app, driver_id)
    sent_at = (app.clock.now + timedelta(hours=2)).isoformat()
    body = {"events": [device_event("start", "start", "11:00", route.id)], "sent_at": sent_at}
    await app.answer("driver", "sync_rider_events", body)
    (found,) = (await app.answer("admin", "dispatch_exceptions", {"kind": "clock_off"})).exceptions
    assert (found.driver_id, found.route_id, found.seconds) == (driver_id, route.id, 7200)
    assert found.since.isoformat() == "2026-06-10T05:00:00-04:00"


async def test_a_driver_cannot_report_a_clock_on_another_drivers_route(app: App) -> None:
    route = await make_waiting_route(app)
    await make_driver(app, user="driver2")
    await sync_events(app, device_event("start", "start", "19:00", route.id), who="driver2")
    assert (await app.answer("admin", "dispatch_exceptions", {"kind": "clock_off"})).exceptions == []


@pytest.mark.parametrize(
    ("sent_at", "stored"), [("2026-06-10T16:00:00Z", "08:30:00"), (None, "10:00:00"), ("9998-01-01T00:00:00Z", None)]
)
async def test_the_rest_equivalent_corrects_the_time_too(app: App, sent_at: str | None, stored: str | None) -> None:
    route = await make_waiting_route(app)
    await sync_events(app, device_event("start", "start", "09:00", route.id))
    occurred_at = "2026-06-10T14:30:00Z" if stored else "0002-01-02T00:00:00Z"
    body = {"route_id": route.id, "stop_id": route.stops[0].id, "occurred_at": occurred_at, "sent_at": sent_at}
    stop = (await app.answer("driver", "rider_deliver", body)).stop
    assert stop.status == "completed"
    assert stored is None or stop.ended_at.time().isoformat() == stored
    found = (await app.answer("admin", "dispatch_exceptions", {"kind": "clock_off"})).exceptions
    assert [each.route_id for each in found] == [route.id]
