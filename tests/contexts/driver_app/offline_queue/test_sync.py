"""Offline queue: events that come late, twice and in any order."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.driver_app.makers import device_event, event_statuses, make_upload, sync_events
from tests.contexts.driver_app.offline_queue.days import KINDS, make_waiting_route, make_whole_day, route_state
from tests.support.app import App
from tests.support.hypothesis_profiles import costly
from tests.support.transport import make_driver, status_and_code


async def test_a_day_synced_in_one_batch_equals_a_day_reported_live(app: App) -> None:
    route = await make_waiting_route(app, kinds=KINDS)
    app.clock.forward(hours=1)
    answer = await sync_events(app, *make_whole_day(route))
    assert set(event_statuses(answer).values()) == {"applied"}, answer.receipts
    assert (answer.applied, answer.refused, answer.waiting, answer.duplicates) == (15, 0, 0, 0)
    found = await route_state(app, route.id)
    assert found["route"][0] == "finished"
    assert [stop[0] for stop in found["stops"]] == [
        "completed",
        "handed_in",
        "completed",
        "completed",
        "brought_back",
        "brought_back",
    ]


@costly
@given(data=st.data())
async def test_any_order_batching_and_repetition_gives_the_same_result(app: App, data: st.DataObject) -> None:
    driver_id = await the_driver(app)
    tag = f"{data.draw(st.integers(0, 10**12), label='tag')}-"
    straight, mixed = [await make_waiting_route(app, driver_id, KINDS) for _ in range(2)]
    await sync_events(app, *make_whole_day(straight, f"{tag}a-"))
    day = make_whole_day(mixed, f"{tag}b-")
    told = [*day, *data.draw(st.lists(st.sampled_from(day), max_size=8), label="again")]
    told = data.draw(st.permutations(told), label="order")
    while told:
        size = data.draw(st.integers(1, len(told)), label="batch")
        batch, told = told[:size], told[size:]
        await sync_events(app, *batch)
    assert await route_state(app, mixed.id) == await route_state(app, straight.id)


async def the_driver(app: App) -> int:
    """The driver of the examples, made by the first of them."""
    found = (await app.answer("admin", "get_drivers")).drivers
    return found[0].id if found else await make_driver(app, user="driver")


@costly
@given(data=st.data())
async def test_linked_events_apply_in_device_order_even_if_contradictory(app: App, data: st.DataObject) -> None:
    driver_id = await the_driver(app)
    tag = f"{data.draw(st.integers(0, 10**12), label='tag')}-"
    deeds = data.draw(st.lists(st.sampled_from(["start", "arrive", "deliver", "fail", "return_to_depot"]), max_size=7))
    straight, mixed = [await make_waiting_route(app, driver_id, ("D", "D")) for _ in range(2)]
    await sync_events(app, *linked_events(straight, ["start", *deeds], f"{tag}a"))
    told = data.draw(st.permutations(linked_events(mixed, ["start", *deeds], f"{tag}b")))
    while told:
        size = data.draw(st.integers(1, len(told)))
        batch, told = told[:size], told[size:]
        await sync_events(app, *batch)
    assert await route_state(app, mixed.id) == await route_state(app, straight.id)


def linked_events(route: Any, deeds: list[str], tag: str) -> list[dict[str, Any]]:
    """Deeds at the first stop, each linked to the one before it."""
    found: list[dict[str, Any]] = []
    for place, kind in enumerate(deeds):
        at_stop = {"stop_id": route.stops[0].id} if kind in {"arrive", "deliver", "fail"} else {}
        why = {"reason": "refused", "outcome": "return"} if kind == "fail" else {}
        after = {"after": found[-1]["id"]} if found else {}
        found.append(device_event(f"{tag}-{place}", kind, f"10:{place:02}", route.id, **at_stop, **why, **after))
    return found


async def test_an_event_before_its_start_waits_for_it(app: App) -> None:
    route = await make_waiting_route(app)
    stop_id = route.stops[0].id
    early = await sync_events(app, device_event("deliver", "deliver", "10:00", route.id, stop_id=stop_id))
    assert event_statuses(early) == {"deliver": "waiting"}
    assert (early.receipts[0].code, early.receipts[0].message is not None) == ("ROUTE_CANNOT", True)
    late = await sync_events(app, device_event("start", "start", "09:00", route.id))
    assert (event_statuses(late), [each.status.value for each in late.settled]) == ({"start": "applied"}, ["applied"])
    again = await sync_events(app, device_event("deliver", "deliver", "10:00", route.id, stop_id=stop_id))
    assert (again.receipts[0].status, again.receipts[0].duplicate, again.duplicates) == ("applied", True, 1)


async def test_a_refused_event_affects_no_other_event(app: App) -> None:
    route = await make_waiting_route(app)
    first, second = (stop.id for stop in route.stops)
    answer = await sync_events(
        app,
        device_event("start", "start", "09:00", route.id),
        device_event("elsewhere", "arrive", "09:10", route.id + 999, stop_id=first),
        device_event("pick-up", "pick_up", "09:20", route.id, stop_id=first),
        device_event("no-reason", "fail", "09:30", route.id, stop_id=first),
        device_event("deliver", "deliver", "09:40", route.id, stop_id=first),
        device_event("second", "deliver", "09:50", route.id, stop_id=second),
    )
    told = {each.id.removeprefix("device-1-"): (each.status.value, each.code) for each in answer.receipts}
    assert told == {
        "start": ("applied", None),
        "elsewhere": ("refused", "NOT_FOUND"),
        "pick-up": ("refused", "STOP_CANNOT"),
        "no-reason": ("refused", "INVALID_REQUEST"),
        "deliver": ("applied", None),
        "second": ("applied", None),
    }
    assert answer.receipts[3].fields == ["reason"]


async def test_an_unreadable_event_does_not_block_the_queue(app: App) -> None:
    route = await make_waiting_route(app)
    broken = device_event("broken", "deliver", "10:00", route.id, stop_id="first")
    answer = await sync_events(app, broken, device_event("start", "start", "09:00", route.id))
    assert event_statuses(answer) == {"broken": "refused", "start": "applied"}
    assert (answer.receipts[0].code, answer.receipts[0].fields) == ("INVALID_REQUEST", ["stop_id"])
    outcome = await app.call("driver", "sync_rider_events", {"events": [{"kind": "start"}]})
    assert status_and_code(outcome) == (422, "INVALID_REQUEST")


async def test_an_event_with_a_too_short_id_is_refused_alone(app: App) -> None:
    route = await make_waiting_route(app)
    start = device_event("start", "start", "09:00", route.id)
    answer = await sync_events(app, start | {"id": "e1"}, start)
    assert [(receipt.status, receipt.fields) for receipt in answer.receipts] == [("refused", ["id"]), ("applied", [])]


async def test_a_duplicate_event_in_a_batch_counts_once(app: App) -> None:
    route = await make_waiting_route(app)
    start = device_event("start", "start", "09:00", route.id)
    answer = await sync_events(app, start, start)
    assert [(each.status.value, each.duplicate) for each in answer.receipts] == [("applied", False), ("applied", True)]


async def test_a_photo_can_arrive_after_its_delivery(app: App) -> None:
    route = await make_waiting_route(app)
    stop_id = route.stops[0].id
    deliver = device_event("deliver", "deliver", "10:00", route.id, stop_id=stop_id, photos=["photo-0001"])
    first = await sync_events(app, device_event("start", "start", "09:00", route.id), deliver)
    assert first.receipts[1].code == "UPLOAD_MISSING"
    await make_upload(app, stop_id)
    assert event_statuses(await sync_events(app, deliver)) == {"deliver": "applied"}


async def test_a_waiting_event_expires(app: App) -> None:
    route = await make_waiting_route(app)
    lonely = device_event("lonely", "finish", "10:00", route.id)
    assert event_statuses(await sync_events(app, lonely)) == {"lonely": "waiting"}
    app.clock.forward(days=8)
    assert (await sync_events(app, lonely)).receipts[0].code == "EVENT_NEVER_FITTED"


async def test_a_link_to_a_lost_event_is_kept_for_a_day(app: App) -> None:
    route = await make_waiting_route(app)
    start = device_event("start", "start", "09:00", route.id, after="device-1-lost")
    assert (await sync_events(app, start)).receipts[0].code == "EVENT_BEFORE_IT_IS_MISSING"
    app.clock.forward(hours=25)
    assert event_statuses(await sync_events(app, start)) == {"start": "applied"}


async def test_a_driver_cannot_report_for_another_driver(app: App) -> None:
    route = await make_waiting_route(app)
    await make_driver(app, user="driver2")
    answer = await sync_events(app, device_event("start", "start", "09:00", route.id), who="driver2")
    assert answer.receipts[0].code == "NOT_FOUND"


async def test_a_device_is_sent_its_clock_offset(app: App) -> None:
    route = await make_waiting_route(app)
    body = {"events": [device_event("start", "start", "09:00", route.id)], "sent_at": "2026-06-10T14:01:30Z"}
    assert (await app.answer("driver", "sync_rider_events", body)).clock_ahead_s == 90
