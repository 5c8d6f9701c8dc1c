"""Numbers match any spelling; actors as seen outside the business."""

from contextlib import AsyncExitStack, suppress

from tests.contexts.tracking.ingest.requests import ingest_outcomes, make_event, make_key, make_timeline, push_document
from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import App

from haulier.contexts.tracking.public import link_tracking_number, set_number_owner
from haulier.contexts.tracking.timelines.queries import NumberOwners, find_timeline_fingerprint, get_public_timeline
from haulier.contexts.tracking.timelines.rules import find_by_spelling, make_number_key
from haulier.kernel.operations.errors import OperationError

TYPED = (
    NUMBER.lower(),
    f" {NUMBER[:4]} {NUMBER[4:]} ",
    f"{NUMBER[:4]}-{NUMBER[4:].lower()}",
    f"{NUMBER[:4]}‑{NUMBER[4:]}",
)


async def test_a_number_is_found_at_every_interface_in_any_spelling(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
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


async def test_a_push_under_another_spelling_updates_the_same_timeline(app: App) -> None:
    key = await make_key(app)
    await push_document(app, key, make_timeline(make_event("received"), number="SW4"))
    for index, typed in enumerate(("sw4", "SW-4", " s w 4")):
        answer = await push_document(app, key, make_timeline(make_event("sorted", index + 1), number=typed))
        assert ingest_outcomes(answer) == ["accepted"]
        assert answer.json()["receipts"][0]["tracking_numbers"] == ["SW4"]


async def test_another_clients_number_cannot_be_taken_by_another_spelling(app: App) -> None:
    await push_document(app, await make_key(app), make_timeline(make_event(), number="SW4"))
    answer = await push_document(app, await make_key(app, "rival"), make_timeline(make_event(), number="sw4"))
    assert ingest_outcomes(answer) == ["refused"]


async def test_a_number_stored_with_separators_is_found_by_every_other_spelling(app: App) -> None:
    key = await make_key(app)
    stored = "Ab-12 34-cd"
    await push_document(app, key, make_timeline(make_event("received"), number=stored))
    for typed in ("AB1234CD", "ab1234cd", "ab-1234 CD", "Ab-12 34-cd"):
        found = await app.answer(None, "track_package", {"number": typed})
        assert found.tracking_number == stored, typed
        for operation in ("otep_tracking", "otep_timeline", "otep_events"):
            assert await app.answer(None, operation, {"tracking_number": typed}), typed
        batch = await app.answer(None, "otep_trackings_batch", {"tracking_numbers": [typed]})
        assert [entry.found for entry in batch.trackings] == [True], typed
        events = await app.answer("admin", "get_operation_events", {"tracking_numbers": [typed]})
        assert (len(events.trackings), events.errors) == (1, []), typed
    answer = await push_document(app, key, make_timeline(make_event("sorted", 1), number="AB1234CD"))
    assert answer.json()["receipts"][0]["tracking_numbers"] == [stored]
    answer = await push_document(app, await make_key(app, "rival"), make_timeline(make_event(), number="ab1234cd"))
    assert ingest_outcomes(answer) == ["refused"]


async def test_a_linked_number_stored_with_separators_is_found_by_another_spelling(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1z-999 aa")
    for typed in ("1Z999AA", "1z 999-AA"):
        events = await app.answer("admin", "get_operation_events", {"tracking_numbers": [typed]})
        assert ([one.tracking_number for one in events.trackings], events.errors) == ([NUMBER], []), typed


async def test_two_spellings_of_a_new_number_in_one_document_are_one_timeline(app: App) -> None:
    document = {
        "timelines": [
            make_timeline(make_event("received"), number="q-7"),
            make_timeline(make_event("sorted", 1), number="Q7"),
        ]
    }
    receipts = (await push_document(app, await make_key(app), document)).json()["receipts"]
    assert [receipt["tracking_numbers"] for receipt in receipts] == [["q-7"], ["q-7"]]


async def test_a_look_up_takes_two_statements_for_any_spelling(app: App) -> None:
    await record_counting_statements(app, make_new_event(tracking_number="s-1"))
    for number, statements in (("s-1", 2), ("S1", 2), ("nobody-1", 1)):
        async with make_call(app) as call:
            before = call.work.statements
            await find_timeline_fingerprint(call, number)
            with suppress(OperationError):
                await get_public_timeline(call, number)
            assert call.work.statements - before == 2 * statements, number


async def test_the_owner_of_a_number_is_cached_until_another_client_uses_it(app: App) -> None:
    await record_counting_statements(app, make_new_event(tracking_number="s-1"))
    async with AsyncExitStack() as stack:
        await app.application.adapter(NumberOwners).listen(stack)
        costs = []
        for _ in range(2):
            app.statements = 0
            assert (await app.answer(None, "track_package", {"number": "S1"})).tracking_number == "s-1"
            costs.append(app.statements)
        await record_counting_statements(app, make_new_event(tracking_number="S1"), client="rival")
        assert (await app.answer(None, "track_package", {"number": "S1"})).tracking_number == "S1"
    assert costs == [2, 1]


async def test_an_exact_match_precedes_other_spellings_and_older_ones_precede_newer(app: App) -> None:
    for number in ("T-9", "T9"):
        await record_counting_statements(app, make_new_event(tracking_number=number))
    for typed, found in (("T-9", "T-9"), ("T9", "T9"), ("t 9", "T-9")):
        assert (await app.answer(None, "track_package", {"number": typed})).tracking_number == found
        assert (
            await app.answer(None, "otep_tracking", {"tracking_number": typed})
        ).data.subject.tracking_number == found
        batch = await app.answer(None, "otep_trackings_batch", {"tracking_numbers": [typed]})
        assert batch.trackings[0].data.subject.tracking_number == found
        events = await app.answer("admin", "get_operation_events", {"tracking_numbers": [typed]})
        assert [one.tracking_number for one in events.trackings] == [found]


def test_all_spellings_share_a_key() -> None:
    assert {make_number_key(number) for number in ("sp-1", "SP 1", " sp1", "Sp\u20111")} == {"SP1"}
    assert make_number_key("--") == "--"
    assert find_by_spelling(["sp-1", "Sp 1", "--"], {"SP-1": 1, "sp-1": 2, "": 3}) == {"sp-1": 2, "Sp 1": 1}


async def test_customers_cannot_see_the_acting_employee(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    customer = (await app.answer("customer", "who_am_i")).user.id
    async with make_call(app) as call:
        await set_number_owner(call, customer, shipped_numbers=[NUMBER])
    for who, ids in (("admin", {"17"}), ("customer", {None})):
        by_number = await app.rest(who, "POST", "/v1/tracking/operationevents", {"tracking_numbers": [NUMBER]})
        own = await app.rest(who, "GET", "/v1/otep/client/trackings", params={"tracking_number": NUMBER})
        for timeline in (by_number.json()["trackings"][0]["timeline"], own.json()["trackings"][0]["data"]):
            assert {event["actor"].get("id") for event in timeline["events"]} == ids
            assert {event["actor"]["type"] for event in timeline["events"]} == {"driver"}


async def test_an_empty_query_suggests_an_order(app: App) -> None:
    answer = await app.rest("admin", "POST", "/v1/tracking/operationevents", {})
    (error,) = answer.json()["errors"]
    assert (answer.status_code, "order_ids" in error["message"]) == (422, True)
