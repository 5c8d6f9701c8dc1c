"""Paged event lists, several numbers per call, and own parcels by any name."""

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

from haulier.contexts.tracking.public import link_tracking_number, set_number_owner

PATH = f"/v1/otep/trackings/{NUMBER}/events"


async def events(app: App, **asked: Any) -> dict[str, Any]:
    response = await app.rest(None, "GET", PATH, params=asked)
    assert response.status_code == 200, response.text
    return response.json()


def codes(answer: dict[str, Any]) -> list[str]:
    return [event["status_code"] for event in answer["events"]]


async def test_events_are_sorted_by_time(app: App) -> None:
    await record_counting_statements(app, *reversed(make_delivery()))
    answer = await events(app)
    assert codes(answer) == [happening.status_code for happening in make_delivery()]
    assert (answer["more"], answer["otep_version"]) == (False, "0.1.0")


@pytest.mark.parametrize("order", ["occurred", "recorded"])
async def test_paging_returns_every_event_once(app: App, order: str) -> None:
    await record_counting_statements(app, *make_delivery())
    seen, cursor = [], {}
    while True:
        page = await events(app, order=order, limit=2, **cursor)
        seen += codes(page)
        if not page["more"]:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert sorted(seen) == sorted(happening.status_code for happening in make_delivery())


async def test_paging_by_record_time_includes_late_arrivals(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[1:])
    first = await events(app, order="recorded")
    app.clock.forward(minutes=5)
    await record_counting_statements(app, make_delivery()[0])
    assert codes(await events(app, order="recorded", cursor=first["next_cursor"])) == [make_delivery()[0].status_code]


async def test_since_filters_by_record_time(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[1:])
    before = app.clock().isoformat()
    app.clock.forward(minutes=5)
    await record_counting_statements(app, make_delivery()[0])
    assert codes(await events(app, since=before)) == [make_delivery()[0].status_code]


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 501}, {"cursor": "x"}, {"since": "yesterday"}, {"order": "size"}]
)
async def test_a_contradictory_query_is_refused_by_field(app: App, asked: dict[str, Any]) -> None:
    await record_counting_statements(app, make_new_event())
    response = await app.rest(None, "GET", PATH, params=asked)
    assert (response.status_code, response.json()["errors"][0]["field"]) == (422, next(iter(asked)))


async def test_several_numbers_are_answered_individually(app: App) -> None:
    await record_counting_statements(app, *make_delivery(), make_new_event(tracking_number="HL2"))
    asked = {"tracking_numbers": ["HL2", "HL-UNKNOWN", NUMBER, "HL2"], "format": "shopify"}
    answer = (await app.rest(None, "POST", "/v1/otep/trackings/batch", asked)).json()
    assert (answer["result"], answer["format"], answer["found"]) == (True, "shopify", 2)
    assert [(each["tracking_number"], each["found"]) for each in answer["trackings"]] == [
        ("HL2", True),
        ("HL-UNKNOWN", False),
        (NUMBER, True),
    ]
    unknown = answer["trackings"][1]
    assert (unknown["code"], bool(unknown["message"]), "data" in unknown) == ("NOT_FOUND", True, False)


@pytest.mark.parametrize("numbers", [[], ["HL1"] * 201, "HL1", [""], None])
async def test_empty_or_oversized_number_lists_are_refused(app: App, numbers: Any) -> None:
    response = await app.rest(None, "POST", "/v1/otep/trackings/batch", {"tracking_numbers": numbers})
    assert (response.status_code, response.json()["code"]) == (422, "INVALID_REQUEST")


async def test_two_hundred_numbers_of_a_client_take_two_statements(app: App) -> None:
    numbers = [f"HL{at}" for at in range(200)]
    await record_counting_statements(app, *(make_new_event(tracking_number=number) for number in numbers))
    app.statements = 0
    assert (await app.answer(None, "otep_trackings_batch", {"tracking_numbers": numbers})).found == 200
    assert app.statements == 2  # whose numbers they are, and the timelines


@pytest.mark.parametrize("asked", [{"tracking_number": "1Z999"}, {"tracking_number": NUMBER}, {"order_id": 4}])
async def test_a_client_finds_parcels_by_any_of_their_numbers(app: App, asked: dict[str, Any]) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4))
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
    (found,) = (await app.answer("admin", "otep_client_tracking", asked)).trackings
    assert found.data.subject.order_id == 4
    for other in ("rival", "customer"):
        assert (await app.call(other, "otep_client_tracking", asked)).status == 404


async def test_a_customer_finds_their_own_parcels(app: App) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4))
    async with make_call(app) as call:
        await set_number_owner(call, app.ids["customer"], order_ids=[4])
    assert (await app.answer("customer", "otep_client_tracking", {"order_id": 4})).trackings


@pytest.mark.parametrize("asked", [{}, {"order_id": 4, "tracking_number": NUMBER}])
async def test_exactly_one_identifier_is_required(app: App, asked: dict[str, Any]) -> None:
    outcome = await app.call("admin", "otep_client_tracking", asked)
    assert (outcome.status, (outcome.error or {})["errors"][0]["code"]) == (422, "EXACTLY_ONE_PARCEL")
