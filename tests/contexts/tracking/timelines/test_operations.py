"""Public tracking by number, and operation events for authorized users."""

from typing import Any

import pytest
from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import App

from haulier.contexts.tracking.public import link_tracking_number, set_number_owner, set_tracking_viewers
from haulier.contexts.tracking.timelines.serializers import timeline_from_row
from haulier.contexts.tracking.timelines.store import subjects as subject_store
from haulier.kernel.operations.codec import encode_json

PERSONAL = ("Birch", "43.65", "Roy", "signature", "photo", "dog", "driver", '"id"', "order_id", "stop-4")


async def events_of(app: App, who: str, **asked: Any) -> Any:
    return await app.answer(who, "get_operation_events", asked)


async def test_anyone_with_the_number_can_track_the_parcel(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    journey = await app.answer(None, "track_package", {"number": NUMBER})
    assert (journey.status, journey.phase, journey.delivered, journey.terminal) == (
        "delivered",
        "delivered",
        True,
        True,
    )
    assert [event.status_code for event in journey.events][:2] == ["picked_up", "out_for_delivery"]
    assert {(event.city, event.country) for event in journey.events} == {("Toronto", "CA")}


@pytest.mark.parametrize("operation", ["track_package", "otep_tracking"])
@pytest.mark.parametrize("who", [None, "rival", "rival_customer", "customer", "driver"])
async def test_the_public_timeline_contains_no_personal_data(app: App, who: str | None, operation: str) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4))
    number = {"number" if operation == "track_package" else "tracking_number": NUMBER}
    document = encode_json(await app.answer(who, operation, number)).decode()
    assert "Toronto" in document
    assert [word for word in PERSONAL if word in document] == []


@pytest.mark.parametrize("who", ["admin", "employee", "customer", "contractor", "driver"])
async def test_the_owner_of_the_order_sees_all_data(app: App, who: str) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4))
    async with make_call(app) as call:
        await set_tracking_viewers(call, [4], contractor_id=app.ids["contractor"], driver_id=app.ids["driver"])
        await set_number_owner(call, app.ids["customer"], order_ids=[4])
    document = encode_json(await app.answer(who, "otep_tracking", {"tracking_number": NUMBER})).decode()
    assert all(word in document for word in ("Birch", "Roy", "signature", "dog"))


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Delivered"), ("de", "Zugestellt"), ("fr", "Livré"), ("es", "Entregado")]
)
async def test_the_journey_is_described_in_the_callers_language(app: App, language: str, words: str) -> None:
    await record_counting_statements(app, *make_delivery())
    journey = await app.answer(None, "track_package", {"number": NUMBER}, accept_language=language)
    assert journey.status_description == journey.events[-1].description == words


async def test_an_experimental_status_is_described_by_its_phase(app: App) -> None:
    await record_counting_statements(app, make_new_event("x-drone-handover"))
    journey = await app.answer(None, "track_package", {"number": NUMBER})
    assert (journey.status, journey.phase) == ("x-drone-handover", "transit")
    assert journey.status_description == "On its way"


async def test_a_subject_without_events_has_an_empty_timeline(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, order_id=4)
    journey = await app.answer(None, "track_package", {"number": NUMBER})
    assert (journey.status, journey.status_description, journey.phase, journey.events) == (None, None, None, [])


@pytest.mark.parametrize("operation", ["track_package", "otep_tracking"])
async def test_an_unknown_number_is_not_found(app: App, operation: str) -> None:
    name = "number" if operation == "track_package" else "tracking_number"
    assert (await app.call(None, operation, {name: "HL0"})).status == 404
    assert (await app.call(None, operation, {name: "x" * 101})).status == 422


async def test_the_public_cannot_query_a_carrier_number(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
    assert (await app.call(None, "track_package", {"number": "1Z999"})).status == 404


async def test_a_timeline_of_a_known_owner_is_read_in_one_statement(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    async with app.database.read(None) as work:
        row = await subject_store.find_subject(work, [app.clients["demo"]], NUMBER)
        assert row is not None
        assert (len(timeline_from_row(row).events), work.statements) == (5, 1)


async def test_operation_events_require_a_token_with_the_scope(app: App) -> None:
    assert (await app.call(None, "get_operation_events", {"order_ids": [4]})).status == 401
    answer = await app.answer("admin", "issue_api_token", {"name": "narrow", "scopes": ["wms:read"]})
    app.tokens["narrow"] = answer.access_token
    assert (await app.call("narrow", "get_operation_events", {"order_ids": [4]})).status == 403


async def test_events_can_be_found_by_number_order_reference_and_carrier_number(app: App) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4, order_ref="PO-1"))
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
        await link_tracking_number(call, NUMBER, external="1Z998")
    for asked in (
        {"tracking_numbers": [NUMBER]},
        {"tracking_numbers": ["1Z999"]},
        {"tracking_numbers": [NUMBER, "1Z999", "1Z998"], "order_ids": [4], "order_refs": ["PO-1"]},
        {"order_ids": [4]},
        {"order_refs": ["PO-1"]},
    ):
        answer = await events_of(app, "employee", **asked)
        assert [(each.tracking_number, each.order_ref, len(each.timeline.events)) for each in answer.trackings] == [
            (NUMBER, "PO-1", 5)
        ]
        assert answer.errors == []


@pytest.mark.parametrize("who", ["rival", "customer", "contractor", "driver"])
async def test_foreign_records_are_reported_like_missing_ones(app: App, who: str) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4, order_ref="PO-1"))
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
        await set_tracking_viewers(call, [4], driver_id=app.ids["driver2"])
        await set_number_owner(call, app.ids["customer2"], order_ids=[4])
    asked = {"tracking_numbers": [NUMBER, "HL0", "1Z999"], "order_ids": [4, 5], "order_refs": ["PO-1"]}
    answer = await events_of(app, who, **asked)
    assert answer.trackings == []
    assert len(answer.errors) == 6
    assert len({error.message for error in answer.errors}) == 1


async def test_filtering_by_time_returns_later_records_with_the_current_status(app: App) -> None:
    await record_counting_statements(app, make_new_event("delivered", hours=4))
    since = app.clock.now
    app.clock.forward(minutes=5)
    await record_counting_statements(app, make_new_event("picked_up", hours=1))
    answer = await events_of(app, "admin", tracking_numbers=[NUMBER], since=since.isoformat())
    timeline = answer.trackings[0].timeline
    assert [event.status_code for event in timeline.events] == ["picked_up"]
    assert timeline.current_status == "delivered"


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"order_ids": list(range(1, 202))},
        {"order_ids": list(range(1, 151)), "order_refs": [f"PO-{n}" for n in range(51)]},
        {"order_ids": [0]},
        {"since": "2026-06-10T12:00:00", "order_ids": [1]},
    ],
)
async def test_a_query_without_a_subject_or_with_invalid_values_is_refused(app: App, asked: dict[str, Any]) -> None:
    outcome = await app.call("admin", "get_operation_events", asked)
    assert (outcome.status, (outcome.error or {})["code"]) == (422, "INVALID_REQUEST")
    assert (outcome.error or {})["errors"][0]["message"]


async def test_two_hundred_numbers_take_as_many_statements_as_one(app: App) -> None:
    numbers = [f"HL{n}" for n in range(200)]
    await record_counting_statements(app, *(make_new_event(tracking_number=number) for number in numbers))
    async with app.database.read(app.clients["demo"]) as work:
        rows = await subject_store.list_subjects(
            work, numbers=numbers, ids=[], order_ids=[], order_refs=[], viewer=None
        )
        assert (len(rows), work.statements) == (200, 1)
    assert len((await events_of(app, "admin", tracking_numbers=numbers)).trackings) == 200


async def test_the_responses_follow_the_interface_document(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    journey = (await app.rest(None, "GET", f"/v1/tracking/{NUMBER}")).json()
    assert (journey["result"], journey["status"], len(journey["events"])) == (True, "delivered", 5)
    document = (await app.rest(None, "GET", f"/v1/otep/trackings/{NUMBER}")).json()
    assert (document["result"], document["format"]) == (True, "otep")
    timeline = document["data"]
    assert timeline["subject"] == {"tracking_number": NUMBER}
    assert (timeline["current_status"], timeline["current_phase"], timeline["terminal"]) == (
        "delivered",
        "delivered",
        True,
    )
    assert {"event_id", "occurred_at", "status_code", "phase", "source", "otep_version"} <= timeline["events"][0].keys()
    asked = {"query": f'{{ trackingPublic(number: "{NUMBER}") {{ status delivered events {{ description }} }} }}'}
    told = (await app.http.post("/graphql", json=asked)).json()["data"]["trackingPublic"]
    assert (told["status"], told["delivered"], told["events"][-1]) == ("delivered", True, {"description": "Delivered"})
