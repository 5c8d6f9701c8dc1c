"""Pushing native timelines."""

import asyncio

from tests.contexts.tracking.ingest.requests import (
    CARRIER,
    NUMBER,
    ingest_outcomes,
    make_event,
    make_key,
    make_timeline,
    push_document,
    read_timeline,
    status_codes,
)
from tests.contexts.tracking.timelines.factories import make_call, make_new_event, record_counting_statements
from tests.support.app import App

from haulier.contexts.tracking.public import link_tracking_number


async def test_pushed_events_are_added_to_the_timeline_of_their_shipment(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up", hours=-24, tracking_number=NUMBER, order_id=4))
    event = make_event(
        "delivery_failed",
        2,
        event_id="e-7",
        location={"city": "Toronto", "country": "CA"},
        incident_reason={"code": "recipient_absent"},
        extensions={"scanner": 12},
    )
    answer = (await push_document(app, await make_key(app), make_timeline(event))).json()
    assert answer["counts"] == {"accepted": 1, "duplicate": 0, "refused": 0, "corrected": 0, "queued": 0}
    assert answer["receipts"][0]["tracking_numbers"] == [NUMBER]
    read = await read_timeline(app)
    assert status_codes(read) == ["picked_up", "delivery_failed"]
    told = read["events"][1]
    assert told["event_id"] == answer["receipts"][0]["event_ids"][0]
    assert told["source"] == {**CARRIER, "reference": "e-7"}
    assert (told["location"], told["extensions"]) == (event["location"], event["extensions"])


async def test_pushing_requires_a_provider_key(app: App) -> None:
    assert (await app.http.post("/api/v1/otep/ingest", json=make_timeline(make_event()))).status_code == 401
    for who in ("admin", "contractor", "driver", "customer"):
        assert (await app.rest(who, "POST", "/v1/otep/ingest", make_timeline(make_event()))).status_code == 403
    assert (await push_document(app, "hlprovider_" + "x" * 43, make_timeline(make_event()))).status_code == 401


async def test_a_repeated_event_is_recorded_once(app: App) -> None:
    key = await make_key(app)
    named, plain = make_event("picked_up", event_id="e-1"), make_event("in_transit", 1)
    assert ingest_outcomes(await push_document(app, key, make_timeline(named, plain, named))) == [
        "accepted",
        "accepted",
        "duplicate",
    ]
    assert ingest_outcomes(await push_document(app, key, make_timeline(plain, named))) == ["duplicate", "duplicate"]
    assert status_codes(await read_timeline(app)) == ["picked_up", "in_transit"]


async def test_an_invalid_event_does_not_affect_valid_ones_unless_requested(app: App) -> None:
    key = await make_key(app)
    document = make_timeline(make_event("picked_up"), make_event("teleported", 1), make_event("received", 2))
    refused = await push_document(app, key, document, GS1_Capture_Error_Behaviour="rollback")
    assert refused.status_code == 422
    fault = refused.json()["errors"][0]
    assert (fault["field"], fault["code"]) == ("$.events[1].status_code", "UNKNOWN_CODE")
    assert await read_timeline(app) == {}
    taken = await push_document(app, key, document)
    assert ingest_outcomes(taken) == ["accepted", "refused", "accepted"]
    why = taken.json()["receipts"][1]["reasons"][0]
    assert (why["path"], why["code"]) == ("$.events[1].status_code", "UNKNOWN_CODE")
    assert status_codes(await read_timeline(app)) == ["picked_up", "received"]


async def test_error_handling_in_the_document_takes_precedence_over_the_header(app: App) -> None:
    document = make_timeline(make_event("teleported"), on_error="rollback")
    response = await push_document(app, await make_key(app), document, GS1_Capture_Error_Behaviour="proceed")
    assert response.status_code == 422
    odd = await push_document(app, await make_key(app), make_timeline(make_event(), on_error="shrug"))
    assert (odd.status_code, odd.json()["errors"][0]["field"]) == (422, "on_error")
    header = await push_document(
        app, await make_key(app), make_timeline(make_event()), GS1_Capture_Error_Behaviour="shrug"
    )
    assert (header.status_code, header.json()["errors"][0]["field"]) == (422, "on_error")


async def test_many_timelines_can_be_pushed_in_one_call(app: App) -> None:
    many = [make_timeline(make_event("picked_up"), number=f"SP-{n}") for n in range(3)]
    answer = (
        await push_document(app, await make_key(app), {"timelines": [*many, {"subject": {}, "events": [{}]}]})
    ).json()
    assert [receipt["outcome"] for receipt in answer["receipts"]] == ["accepted"] * 3 + ["refused"]
    assert answer["receipts"][3]["path"] == "$.timelines[3].events[0]"
    assert status_codes(await read_timeline(app, "SP-2")) == ["picked_up"]


async def test_events_after_the_end_are_stored_as_late_without_effect(app: App) -> None:
    key = await make_key(app)
    await push_document(app, key, make_timeline(make_event("delivered", 3)))
    assert (
        ingest_outcomes(
            await push_document(app, key, make_timeline(make_event("in_transit", 1), make_event("received", 9)))
        )
        == ["accepted"] * 2
    )
    read = await read_timeline(app)
    assert [(each["status_code"], each.get("late", False)) for each in read["events"]] == [
        ("in_transit", False),
        ("delivered", False),
        ("received", True),
    ]
    assert (read["current_status"], read["terminal"]) == ("delivered", True)


async def test_a_different_event_under_a_known_id_is_refused(app: App) -> None:
    key = await make_key(app)
    await push_document(app, key, make_timeline(make_event("picked_up", event_id="e-1")))
    response = await push_document(
        app, key, make_timeline(make_event("received", 2, event_id="e-1"), make_event("sorted", 3))
    )
    assert ingest_outcomes(response) == ["refused", "accepted"]
    assert response.json()["receipts"][0]["reasons"][0]["code"] == "EVENT_DIFFERS"


async def test_an_error_declaration_withdraws_an_event_and_never_edits_it(app: App) -> None:
    key = await make_key(app)
    wrong, right = make_event("delivered", 1, event_id="e-1"), make_event("out_for_delivery", 1, event_id="e-2")
    await push_document(app, key, make_timeline(wrong))
    assert (await read_timeline(app))["terminal"] is True
    said = {"event_id": "e-1", "declared_at": make_event(hours=2)["occurred_at"], "reason": "incorrect_data"}
    declared = make_timeline(right, voided=[{"event": wrong, "correction": {**said, "corrective_event_ids": ["e-2"]}}])
    assert ingest_outcomes(await push_document(app, key, declared)) == ["accepted", "corrected"]
    read = await read_timeline(app)
    assert (status_codes(read), read["current_status"], read["terminal"]) == (
        ["out_for_delivery"],
        "out_for_delivery",
        False,
    )
    (voided,) = read["voided"]
    assert voided["event"]["status_code"] == "delivered"
    assert voided["correction"]["reason"] == "incorrect_data"
    assert voided["correction"]["corrective_event_ids"] == [read["events"][0]["event_id"]]
    assert ingest_outcomes(await push_document(app, key, declared)) == ["duplicate", "duplicate"]
    assert ingest_outcomes(await push_document(app, key, make_timeline(wrong))) == ["duplicate"]
    assert status_codes(await read_timeline(app)) == ["out_for_delivery"]


async def test_a_source_with_only_a_status_gives_one_event_per_change(app: App) -> None:
    key = await make_key(app)
    found: list[str] = []
    for status in ("in_transit", "in_transit", "out_for_delivery", "out_for_delivery", "delivered"):
        seen = {"subject": {"tracking_number": NUMBER}, "current_status": status}
        found += ingest_outcomes(await push_document(app, key, seen))
        app.clock.forward(minutes=10)
    assert found == ["accepted", "duplicate", "accepted", "duplicate", "accepted"]
    read = await read_timeline(app)
    assert status_codes(read) == ["in_transit", "out_for_delivery", "delivered"]
    assert all(each["extensions"] == {"synthesised": True} for each in read["events"])


async def test_a_subject_is_found_by_any_of_its_known_numbers(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
    key = await make_key(app)
    document = make_timeline(make_event("received"))
    document["subject"] = {"external_tracking_number": "1Z999", "gs1_sscc": "006141411234567890"}
    answer = (await push_document(app, key, document)).json()
    assert answer["receipts"][0]["tracking_numbers"] == [NUMBER]
    again = make_timeline(make_event("sorted", 1))
    again["subject"] = {"gs1_sscc": "006141411234567890"}
    assert (await push_document(app, key, again)).json()["receipts"][0]["tracking_numbers"] == [NUMBER]
    assert status_codes(await read_timeline(app)) == ["received", "sorted"]


async def test_our_own_timeline_is_read_back_unchanged(app: App) -> None:
    key = await make_key(app)
    await push_document(app, key, make_timeline(make_event("picked_up"), make_event("in_transit", 1, event_id="e-2")))
    read = await read_timeline(app)
    assert ingest_outcomes(await push_document(app, key, read)) == ["duplicate", "duplicate"]


async def test_a_dry_run_previews_the_result_and_writes_nothing(app: App) -> None:
    response = await push_document(app, await make_key(app), make_timeline(make_event()), X_Dry_Run="1")
    assert response.json()["preview"]["counts"]["accepted"] == 1
    assert await read_timeline(app) == {}


async def test_reasons_are_in_the_callers_language(app: App) -> None:
    response = await push_document(
        app, await make_key(app), make_timeline(make_event(source={"type": "system"})), Accept_Language="de"
    )
    (why,) = response.json()["receipts"][0]["reasons"]
    assert (why["code"], why["message"][:24]) == ("SOURCE_TYPE", "Ein Anbieter kann nicht ")


async def test_statement_count_does_not_grow_with_the_events(app: App) -> None:
    key = await make_key(app)

    async def statements(count: int, hours: int) -> int:
        before = app.statements
        events = [make_timeline(make_event("picked_up", hours), number=f"N{hours}-{n}") for n in range(count)]
        assert set(ingest_outcomes(await push_document(app, key, {"timelines": events}))) == {"accepted"}
        return app.statements - before

    assert await statements(1, 1) == await statements(40, 2)


async def test_carriers_can_use_their_own_known_codes(app: App) -> None:
    key, fedex = await make_key(app), {"type": "carrier", "name": "FedEx"}
    events = [make_event("DL", 3, source=fedex), make_event("DL", 4)]
    assert ingest_outcomes(await push_document(app, key, make_timeline(*events))) == ["accepted", "refused"]
    (told,) = (await read_timeline(app))["events"]
    assert (told["status_code"], told["raw_status"]) == ("delivered", "DL")
    seen = {"subject": {"tracking_number": "SP-7"}, "current_status": "DL", "source": fedex}
    assert ingest_outcomes(await push_document(app, key, {"timelines": [seen, seen]})) == ["accepted", "duplicate"]
    (told,) = (await read_timeline(app, "SP-7"))["events"]
    assert (told["status_code"], told["raw_status"], told["extensions"]) == ("delivered", "DL", {"synthesised": True})


async def test_concurrent_copies_of_a_document_are_recorded_once(app: App) -> None:
    key = await make_key(app)
    document = {"timelines": [make_timeline(make_event("picked_up"), number=f"SP-{n}") for n in range(3)]}
    answers = await asyncio.gather(*(push_document(app, key, document) for _ in range(5)))
    assert sorted({ingest_outcomes(each)[0] for each in answers}) == ["accepted", "duplicate"]
    assert sum(each.json()["counts"]["accepted"] for each in answers) == 3
    for n in range(3):
        assert status_codes(await read_timeline(app, f"SP-{n}")) == ["picked_up"]


async def test_a_reader_who_polls_again_learns_of_a_withdrawn_event(app: App) -> None:
    key, wrong = await make_key(app), make_event("delivered", event_id="e-1")
    await push_document(app, key, make_timeline(wrong))
    before = await app.http.get(f"/api/v1/otep/trackings/{NUMBER}")
    said = {"event_id": "e-1", "declared_at": make_event(hours=2)["occurred_at"]}
    await push_document(app, key, make_timeline(voided=[{"event": wrong, "correction": said}]))
    known = {"If-None-Match": before.headers["etag"]}
    after = await app.http.get(f"/api/v1/otep/trackings/{NUMBER}", headers=known)
    assert (after.status_code, after.json()["data"]["events"]) == (200, [])
    assert "voided" not in after.json()["data"]
