"""Numbers are found however people type them, and what people outside the office see of who acted."""

from tests.contexts.tracking.ingest.requests import a_key, a_timeline, an_event, ingest_outcomes, push_document
from tests.contexts.tracking.timelines.factories import NUMBER, a_call, a_delivery, record_counting_statements
from tests.support.app import App

from haulier.contexts.tracking.public import set_tracking_viewers
from haulier.contexts.tracking.timelines.rules import find_by_spelling, number_spellings

TYPED = (
    NUMBER.lower(),
    f" {NUMBER[:4]} {NUMBER[4:]} ",
    f"{NUMBER[:4]}-{NUMBER[4:].lower()}",
    f"{NUMBER[:4]}‑{NUMBER[4:]}",
)


async def test_a_number_is_found_at_every_door_however_it_is_typed(app: App) -> None:
    await record_counting_statements(app, *a_delivery())
    for typed in TYPED:
        found = await app.answer(None, "track_package", {"number": typed})
        assert (found.tracking_number, found.status) == (NUMBER, "delivered"), typed
        for operation in ("otep_tracking", "otep_timeline", "otep_events"):
            assert await app.answer(None, operation, {"tracking_number": typed}), typed
        batch = await app.answer(None, "otep_trackings_batch", {"tracking_numbers": [typed, "NOBODY"]})
        assert [(entry.tracking_number, entry.found) for entry in batch.trackings] == [(typed, True), ("NOBODY", False)]
        events = await app.answer("admin", "get_operation_events", {"tracking_numbers": [typed]})
        assert (len(events.trackings), events.errors) == (1, [])
        assert (await app.answer("admin", "otep_client_tracking", {"tracking_number": typed})).trackings[0].found


async def test_a_push_under_another_spelling_goes_to_the_same_timeline(app: App) -> None:
    key = await a_key(app)
    await push_document(app, key, a_timeline(an_event("received"), number="SW4"))
    for index, typed in enumerate(("sw4", "SW-4", " s w 4")):
        answer = await push_document(app, key, a_timeline(an_event("sorted", index + 1), number=typed))
        assert ingest_outcomes(answer) == ["accepted"]
        assert answer.json()["receipts"][0]["tracking_numbers"] == ["SW4"]


async def test_another_clients_number_is_not_taken_by_another_spelling(app: App) -> None:
    await push_document(app, await a_key(app), a_timeline(an_event(), number="SW4"))
    answer = await push_document(app, await a_key(app, "rival"), a_timeline(an_event(), number="sw4"))
    assert ingest_outcomes(answer) == ["refused"]


def test_the_exact_number_counts_before_other_spellings() -> None:
    assert number_spellings("sp-1") == ("sp-1", "SP-1", "SP1")
    assert find_by_spelling(["sp-1"], {"SP-1": 1, "sp-1": 2}) == {"sp-1": 2}
    assert find_by_spelling(["--"], {"": 1}) == {}


async def test_customers_are_not_told_which_employee_acted(app: App) -> None:
    await record_counting_statements(app, *a_delivery())
    customer = (await app.answer("customer", "who_am_i")).user.id
    async with a_call(app) as call:
        await set_tracking_viewers(call, tracking_numbers=[NUMBER], customer_id=customer)
    for who, ids in (("admin", {"17"}), ("customer", {None})):
        answer = await app.rest(who, "POST", "/v1/tracking/operationevents", {"tracking_numbers": [NUMBER]})
        (one,) = answer.json()["trackings"]
        assert {event["actor"].get("id") for event in one["timeline"]["events"]} == ids
        assert {event["actor"]["type"] for event in one["timeline"]["events"]} == {"driver"}


async def test_asking_for_nothing_says_that_an_order_would_do(app: App) -> None:
    answer = await app.rest("admin", "POST", "/v1/tracking/operationevents", {})
    (error,) = answer.json()["errors"]
    assert (answer.status_code, "order_ids" in error["message"]) == (422, True)
