"""Recording events, as used by other contexts."""

import asyncio
import random
from datetime import timedelta, timezone
from typing import Any

import pytest
from tests.contexts.tracking.timelines.factories import (
    HOME,
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import START, App

from haulier.contexts.otep.timeline.contract import Source, Timeline
from haulier.contexts.tracking.events import TrackingRecorded
from haulier.contexts.tracking.public import (
    NewEvent,
    link_tracking_number,
    record_events,
    set_number_owner,
    set_tracking_viewers,
)
from haulier.contexts.tracking.timelines.rules import TRACKING_NUMBER_TAKEN
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


async def the_timeline(app: App, number: str = NUMBER) -> Timeline:
    return (await app.answer("admin", "otep_tracking", {"tracking_number": number})).data


def codes(timeline: Timeline) -> list[str]:
    return [event.status_code for event in timeline.events]


async def test_an_event_is_stored_and_read_back_unchanged(app: App) -> None:
    *_, delivered = happenings = make_delivery(order_id=4, package_id=9, order_ref="PO-1")
    await record_counting_statements(app, *happenings)
    timeline = await the_timeline(app)
    assert codes(timeline) == [each.status_code for each in happenings]
    last = timeline.events[-1]
    assert (last.location, last.actor, last.pod) == (HOME, delivered.actor, delivered.pod)
    assert (last.occurred_at, last.recorded_at) == (delivered.occurred_at, app.clock.now)
    assert (timeline.subject.order_id, timeline.subject.package_id) == (4, 9)
    assert (timeline.current_status, timeline.delivered, timeline.terminal) == ("delivered", True, True)


async def test_the_order_of_arrival_does_not_matter(app: App) -> None:
    happenings = make_delivery()
    random.Random(7).shuffle(happenings)
    for happening in happenings:
        await record_counting_statements(app, happening)
    assert codes(await the_timeline(app)) == [each.status_code for each in make_delivery()]


async def news_of(app: App, *happenings: NewEvent) -> list[dict[str, Any]]:
    """Return the notifications to a listener when events are recorded."""

    @subscriber(TrackingRecorded)
    async def listen(call: Call, event: TrackingRecorded) -> None:
        """Listen."""

    app.application.background = BackgroundRegistry((), [listen])
    async with make_call(app) as call:
        await record_events(call, happenings)
        return [letter.args["news"] for letter in call.side_effects]


async def test_a_repeated_event_is_stored_once_and_not_announced(app: App) -> None:
    await record_counting_statements(app, *make_delivery(), *make_delivery())
    assert await news_of(app, *make_delivery()) == []
    assert len((await the_timeline(app)).events) == 5


async def test_new_events_are_announced_once_per_call(app: App) -> None:
    both = [make_new_event("picked_up", order_id=4), make_new_event("received", tracking_number="HL2")]
    (news,) = await news_of(app, *both)
    assert [
        (each["tracking_number"], each["status_code"], each["phase"], each["order_id"]) for each in news["updates"]
    ] == [
        (NUMBER, "picked_up", "pickup", 4),
        ("HL2", "received", "inbound", None),
    ]


async def test_concurrent_copies_of_an_event_are_stored_once(app: App) -> None:
    both = [make_new_event("picked_up"), make_new_event("picked_up", tracking_number="HL2")]
    await asyncio.gather(*(record_counting_statements(app, *random.sample(both, 2)) for _ in range(6)))
    for number in (NUMBER, "HL2"):
        assert codes(await the_timeline(app, number)) == ["picked_up"]


async def test_statement_count_does_not_grow_with_the_events(app: App) -> None:
    few = await record_counting_statements(app, make_new_event(tracking_number="HLA"))
    many = await record_counting_statements(
        app, *(make_new_event(tracking_number=f"HL{n}", hours=n) for n in range(60))
    )
    assert many == few <= 7


async def test_foreign_codes_are_stored_as_ours(app: App) -> None:
    await record_counting_statements(app, make_new_event("return_to_sender", raw_status="RTS"))
    (event,) = (await the_timeline(app)).events
    assert (event.status_code, event.raw_status, event.phase) == ("returned", "RTS", "transit")


async def test_events_after_the_end_are_stored_without_effect(app: App) -> None:
    await record_counting_statements(app, *make_delivery(), make_new_event("in_transit", hours=9))
    timeline = await the_timeline(app)
    assert (timeline.current_status, [bool(event.late) for event in timeline.events]) == (
        "delivered",
        [False] * 5 + [True],
    )


async def test_a_time_keeps_its_utc_offset(app: App) -> None:
    told = START.astimezone(timezone(timedelta(hours=-3, minutes=-30)))
    await record_counting_statements(app, make_new_event(occurred_at=told))
    (event,) = (await the_timeline(app)).events
    assert event.occurred_at.isoformat() == told.isoformat()


async def test_a_number_belongs_to_one_client_of_the_platform(app: App) -> None:
    await record_counting_statements(app, make_new_event())
    with pytest.raises(OperationError, match=TRACKING_NUMBER_TAKEN.id):
        await record_counting_statements(app, make_new_event(), client="rival")
    with pytest.raises(OperationError, match=TRACKING_NUMBER_TAKEN.id):
        async with make_call(app, "rival") as call:
            await link_tracking_number(call, NUMBER, order_id=1)
    assert len((await the_timeline(app)).events) == 1


async def test_a_subject_is_found_by_its_linked_numbers(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, order_id=4, order_ref="PO-1")
        await link_tracking_number(call, NUMBER, external="1Z999", package_id=9)
        await link_tracking_number(call, NUMBER, external="1Z999", sscc="003400000000000018")
    subject = (await the_timeline(app)).subject
    assert (subject.order_id, subject.package_id) == (4, 9)
    assert (subject.external_tracking_number, subject.gs1_sscc) == ("1Z999", "003400000000000018")


async def test_a_carrier_number_belongs_to_one_subject_of_a_client(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
    with pytest.raises(OperationError, match=TRACKING_NUMBER_TAKEN.id):
        async with make_call(app) as call:
            await link_tracking_number(call, "HL2", external="1Z999")
    async with make_call(app, "rival") as call:
        await link_tracking_number(call, "HL3", external="1Z999")


async def test_viewers_are_set_and_removed_for_many_orders_together(app: App) -> None:
    await record_counting_statements(app, *(make_new_event(tracking_number=f"HL{n}", order_id=n) for n in (1, 2, 3)))
    async with make_call(app) as call:
        await set_tracking_viewers(call, [1, 2], driver_id=app.ids["driver"])
        await set_number_owner(call, app.ids["customer"], order_ids=[1, 2])
        await set_tracking_viewers(call, [2], driver_id=None)
        await set_tracking_viewers(call, [], driver_id=app.ids["driver2"])
    seen = {
        who: [
            each.tracking_number
            for each in (await app.answer(who, "get_operation_events", {"order_ids": [1, 2, 3]})).trackings
        ]
        for who in ("driver", "driver2", "customer")
    }
    assert seen == {"driver": ["HL1"], "driver2": [], "customer": ["HL1", "HL2"]}


async def test_two_sources_merge_into_one_timeline(app: App) -> None:
    carrier = Source(type="carrier", name="Swift Post")
    await record_counting_statements(app, make_new_event("in_transit", hours=2, source=carrier))
    await record_counting_statements(app, make_new_event("picked_up", hours=1), make_new_event("in_transit", hours=2))
    timeline = await the_timeline(app)
    assert next((event.status_code, event.source.type) for event in timeline.events) == ("picked_up", "self_delivery")
    assert {event.source.type for event in timeline.events[1:]} == {"carrier", "self_delivery"}
