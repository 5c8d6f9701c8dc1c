"""Queued pushes: acknowledged at once, stored later, and late rejections."""

import json
from itertools import permutations
from typing import Any

import httpx
from tests.contexts.tracking.ingest.requests import (
    NUMBER,
    ingest_outcomes,
    make_document,
    make_event,
    make_key,
    make_object_event,
    make_timeline,
    push_document,
    read_timeline,
    status_codes,
)
from tests.contexts.tracking.timelines.factories import make_call, make_new_event, record_counting_statements
from tests.support.app import App
from tests.support.kept_stream import kept_stream

from haulier.contexts.tracking.ingest.rules.carrier_pushes import MESSAGE_EVENTS
from haulier.contexts.tracking.public import assign_carrier

ASYNC = {"Prefer": "respond-async"}


async def push(app: App, key: str, *timelines: dict[str, Any], **headers: str) -> httpx.Response:
    return await push_document(app, key, {"timelines": list(timelines)}, **{**ASYNC, **headers})


async def refused(app: App, who: str, **asked: Any) -> list[dict[str, Any]]:
    response = await app.rest(who, "GET", "/v1/otep/ingest/refused", params=asked)
    assert response.status_code == 200, response.text
    return response.json()["refused"]


async def test_queued_events_are_acknowledged_immediately_and_written_later(app: App) -> None:
    key = await make_key(app)
    with kept_stream(app.application) as broker:
        timeline = make_timeline(make_event("picked_up"), make_event("teleported", 1), make_event("in_transit", 2))
        response = await push(app, key, timeline)
        assert ingest_outcomes(response) == ["queued", "refused", "queued"]
        assert response.headers["Preference-Applied"] == "respond-async"
        answer = response.json()
        assert (answer["counts"]["queued"], answer["counts"]["refused"], answer["result"]) == (2, 1, True)
        assert await read_timeline(app) == {}
        app.clock.forward(minutes=5)
        assert [each.is_written for each in await broker.write()] == [True]
    assert status_codes(await read_timeline(app)) == ["picked_up", "in_transit"]


async def test_queued_events_give_the_same_result_as_direct_ones(app: App) -> None:
    voided = {
        "event": make_event("delivered", 1, event_id="e-1"),
        "correction": {
            "event_id": "e-1",
            "declared_at": make_event(hours=2)["occurred_at"],
            "reason": "incorrect_data",
        },
    }
    full = make_event(
        "delivery_failed",
        3,
        event_id="e-7",
        location={"city": "Toronto", "country": "CA"},
        incident_reason={"code": "recipient_absent"},
        extensions={"scanner": 12},
        pod={"signed_by": "Ann"},
    )
    key = await make_key(app)
    told = {"voided": [voided]}
    await push_document(app, key, make_timeline(full, number="SP-A", **told))
    epcis = make_object_event("https://id.gs1.org/00/006141411234567890", eventID="urn:uuid:1")
    await push_document(app, key, make_document(epcis), to="ingest/epcis")
    with kept_stream(app.application) as broker:
        assert ingest_outcomes(await push(app, key, make_timeline(full, number="SP-B", **told))) == ["queued"] * 2
        other = {**epcis, "epcList": ["https://id.gs1.org/00/106141411234567897"]}
        proceeding = {**ASYNC, "GS1_Capture_Error_Behaviour": "proceed"}
        assert ingest_outcomes(
            await push_document(app, key, make_document(other), to="ingest/epcis", **proceeding)
        ) == ["queued"]
        await broker.write()
    for straight, queued in (("SP-A", "SP-B"), ("006141411234567890", "106141411234567897")):
        one, two = await read_timeline(app, straight), await read_timeline(app, queued)
        assert one["events"]
        assert without_ids(one) == without_ids(two)


def without_ids(timeline: dict[str, Any]) -> dict[str, Any]:
    told = {name: value for name, value in timeline.items() if name not in {"subject", "links"}}
    text = json.dumps(told)
    for event in [*timeline["events"], *(each["event"] for each in timeline.get("voided", []))]:
        text = text.replace(event["event_id"], "…")
    return json.loads(text)


async def test_messages_can_be_redelivered_in_any_order(app: App) -> None:
    key = await make_key(app)
    many = [make_event("in_transit", n / 60, event_id=f"e-{n}") for n in range(MESSAGE_EVENTS)]
    said = {"event_id": "e-3", "declared_at": make_event(hours=2)["occurred_at"], "reason": "incorrect_data"}
    takes_back = make_timeline(voided=[{"event": many[3], "correction": said}])
    seen = set[str]()
    with kept_stream(app.application) as broker:
        await push(app, key, make_timeline(*many))
        await push(app, key, takes_back, make_timeline(*many[:9], number="SP-2"))
        await push(app, key, make_timeline(*many[:5]))
        first, *_ = orders = list(permutations(broker.messages))
        for order in (first, *orders[1:]):
            for messages in (order, order[::-1], [order[0]]):
                assert all(each.is_written for each in await broker.write(messages))
            read = await read_timeline(app)
            seen.add(json.dumps([status_codes(read), [each["event"]["event_id"] for each in read["voided"]]]))
            assert (len(read["events"]), len(read["voided"])) == (MESSAGE_EVENTS - 1, 1)
    assert len(seen) == 1
    assert await refused(app, "admin") == []


async def test_a_document_is_split_into_messages_and_an_event_about_several_objects_is_not(app: App) -> None:
    key = await make_key(app)
    things = [f"https://example.com/thing/{n}" for n in range(MESSAGE_EVENTS + 5)]
    proceeding = {**ASYNC, "GS1_Capture_Error_Behaviour": "proceed"}
    with kept_stream(app.application) as broker:
        await push(
            app, key, *(make_timeline(make_event(), make_event("sorted", 1), number=f"N-{n}") for n in range(60))
        )
        assert [len(message.args["events"]) for message in broker.messages] == [50, 50, 20]
        for message in broker.messages:
            names = [event["subject"]["names"][0] for event in message.args["events"]]
            assert names[::2] == names[1::2]
        broker.messages.clear()
        document = make_document({**make_object_event(), "epcList": things})
        await push_document(app, key, document, to="ingest/epcis", **proceeding)
        assert [len(message.args["events"]) for message in broker.messages] == [len(things)]


async def test_remaining_events_are_written_directly_when_the_broker_is_lost(app: App) -> None:
    key = await make_key(app)
    with kept_stream(app.application, takes=1) as broker:
        response = await push(
            app, key, *(make_timeline(make_event(), number=f"N-{n}") for n in range(MESSAGE_EVENTS + 2))
        )
        assert ingest_outcomes(response) == ["queued"] * MESSAGE_EVENTS + ["accepted"] * 2
        assert len(broker.messages) == 1
        assert status_codes(await read_timeline(app, f"N-{MESSAGE_EVENTS}")) == ["in_transit"]


async def test_events_that_need_an_immediate_result_are_never_queued(app: App) -> None:
    key = await make_key(app)
    present = {"subject": {"tracking_number": "SP-9"}, "current_status": "in_transit"}
    with kept_stream(app.application) as broker:
        for event, headers in (
            (make_event(event_id="plain"), {"Prefer": "wait=10"}),
            (make_event(event_id="quoted"), {"Prefer": 'x="a, respond-async"'}),
            (make_event(event_id="rollback"), {"GS1_Capture_Error_Behaviour": "rollback"}),
        ):
            response = await push(app, key, make_timeline(event), **headers)
            assert ingest_outcomes(response) == ["accepted"]
            assert "Preference-Applied" not in response.headers
        assert ingest_outcomes(await push(app, key, present)) == ["accepted"]
        assert (await push(app, key, make_timeline(make_event()), X_Dry_Run="1")).json()["preview"]["counts"][
            "accepted"
        ] == 1
        assert broker.messages == []
        assert ingest_outcomes(await push(app, key, make_timeline(make_event()), Prefer="wait=1, Respond-Async; a=b"))[
            0
        ] == ("queued")


async def test_without_a_broker_the_preference_has_no_effect(app: App) -> None:
    response = await push(app, await make_key(app), make_timeline(make_event()))
    assert ingest_outcomes(response) == ["accepted"]
    assert "Preference-Applied" not in response.headers
    assert "push_id" not in response.json()


async def test_events_refused_when_written_are_listed(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", hours=-24, tracking_number="OWN", order_id=4))
    await record_counting_statements(app, make_new_event("picked_up", hours=-24, tracking_number="THEIRS"))
    async with make_call(app) as call:
        await assign_carrier(call, "THEIRS", "Other Post")
    key = await make_key(app)
    await push_document(app, key, make_timeline(make_event(event_id="known")))
    with kept_stream(app.application) as broker:
        response = await push(
            app,
            key,
            make_timeline(make_event("received", 2, event_id="known"), make_event("sorted", 3)),
            make_timeline(make_event("delivered", event_id="d-1"), number="OWN"),
            make_timeline(make_event(), number="THEIRS"),
        )
        assert set(ingest_outcomes(response)) == {"queued"}
        app.clock.forward(minutes=1)
        await broker.write()
        await broker.write()
    told = await refused(app, "admin")
    assert {(each["tracking_number"], each["reference"], each["path"]) for each in told} == {
        (NUMBER, "known", "$.timelines[0].events[0]"),
        ("OWN", "d-1", "$.timelines[1].events[0]"),
        ("THEIRS", None, "$.timelines[2].events[0]"),
    }
    assert sorted(each["reasons"][0]["code"] for each in told) == ["EVENT_DIFFERS", "NOT_CARRIED", "NOT_ENTRUSTED"]
    for each in told:
        assert each["reasons"][0]["path"] == each["path"]
        assert each["push_id"] == response.json()["push_id"]
        assert each["pushed_at"] < each["refused_at"]
    assert "sorted" in status_codes(await read_timeline(app))
    assert status_codes(await read_timeline(app, "OWN")) == ["picked_up"]


async def test_a_refused_event_pushed_again_is_processed_again(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", hours=-24, tracking_number="OWN", order_id=4))
    key, timeline = await make_key(app), make_timeline(make_event("delivered"), number="OWN")
    with kept_stream(app.application) as broker:
        await push(app, key, timeline)
        await broker.write()
        async with make_call(app) as call:
            await assign_carrier(call, "OWN", "Swift Post")
        await push(app, key, timeline)
        assert len({message.id for message in broker.messages}) == 2
        await broker.write(broker.messages[1:])
    assert status_codes(await read_timeline(app, "OWN")) == ["picked_up", "delivered"]


async def test_a_provider_sees_its_own_refused_pushes_and_the_office_sees_all(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", hours=-24, tracking_number="OWN", order_id=4))
    app.tokens["swift"], app.tokens["slow"] = await make_key(app), await make_key(app, name="Slow Post")
    pushes = dict[str, str]()
    with kept_stream(app.application) as broker:
        for who, hours in (("swift", 1), ("slow", 2)):
            event = make_event("delivered", hours, source={"type": "carrier"})
            timeline = make_timeline(event, number="OWN")
            pushes[who] = (await push(app, app.tokens[who], timeline)).json()["push_id"]
        await broker.write()
    swift, slow = await refused(app, "swift"), await refused(app, "slow")
    assert ([each["push_id"] for each in swift], [each["push_id"] for each in slow]) == (
        [pushes["swift"]],
        [pushes["slow"]],
    )
    assert await refused(app, "admin") == slow + swift
    assert await refused(app, "employee", push_id=pushes["swift"]) == swift
    assert await refused(app, "admin", provider_id=slow[0]["provider_id"]) == slow
    assert await refused(app, "swift", provider_id=slow[0]["provider_id"]) == []
    assert await refused(app, "admin", tracking_number="OTHER") == []
    assert await refused(app, "admin", since=app.clock.now.isoformat()) == slow + swift
    assert await refused(app, "rival") == []
    for who in ("contractor", "driver", "customer"):
        assert (await app.rest(who, "GET", "/v1/otep/ingest/refused")).status_code == 403
    page = (await app.rest("admin", "GET", "/v1/otep/ingest/refused", params={"limit": 1})).json()
    assert page["refused"] == slow
    assert await refused(app, "admin", cursor=page["next_cursor"]) == swift


async def test_statement_count_does_not_grow_with_the_messages(app: App) -> None:
    key = await make_key(app)

    async def statements(count: int, hours: int) -> int:
        with kept_stream(app.application) as broker:
            for n in range(count):
                await push(app, key, make_timeline(make_event("picked_up", hours), number=f"N{hours}-{n}"))
            before = app.statements
            await broker.write()
            return app.statements - before

    assert await statements(2, 1) == await statements(12, 2)
