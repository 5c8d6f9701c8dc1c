"""Ends of journeys: authorized sources and contradictions.

See docs/decisions/timelines.md.
"""

from itertools import count
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.tracking.ingest.requests import (
    CARRIER,
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
from tests.support.app import App

NUMBERS = count()
ENDS = ("delivered", "returned", "rejected", "cancelled")


def reasons(response: Any) -> list[str]:
    return [why["code"] for receipt in response.json()["receipts"] for why in receipt.get("reasons", [])]


async def make_order_number(app: App) -> str:
    return (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.tracking_number


async def test_an_outside_provider_cannot_end_an_own_delivery(app: App) -> None:
    number, key = await make_order_number(app), await make_key(app)
    endings = [*ENDS, "x-handed-over"]
    events = [
        make_event(code, hours, phase="delivered" if "x-" in code else None) for hours, code in enumerate(endings)
    ]
    plain = [{name: value for name, value in event.items() if value} for event in events]
    response = await push_document(app, key, make_timeline(*plain, make_event("in_transit", 9), number=number))
    assert ingest_outcomes(response) == ["refused"] * 5 + ["accepted"]
    assert set(reasons(response)) == {"NOT_ENTRUSTED"}
    read = await read_timeline(app, number)
    assert (read["terminal"], read["delivered"]) == (False, False)


async def test_an_outside_current_status_cannot_end_an_own_delivery(app: App) -> None:
    number, key = await make_order_number(app), await make_key(app)
    polled = {"subject": {"tracking_number": number}, "current_status": "delivered"}
    response = await push_document(app, key, polled)
    assert (response.json()["result"], reasons(response)) == (False, ["NOT_ENTRUSTED"])


async def test_a_carrier_ends_only_journeys_entrusted_to_it_and_no_other_provider_writes_there(app: App) -> None:
    number = await make_order_number(app)
    ours, theirs = await make_key(app), await make_key(app, name="Other Post")
    body = {"tracking_numbers": [number, "NOBODY"], "carrier": "Swift Post"}
    answer = (await app.rest("admin", "POST", "/v1/otep/trackings/entrust", body)).json()
    assert (answer["entrusted"], [error["tracking_number"] for error in answer["errors"]]) == (1, ["NOBODY"])
    stranger = make_event(source={"type": "carrier", "name": "Other Post"})
    assert reasons(await push_document(app, theirs, make_timeline(stranger, number=number))) == ["NOT_CARRIED"]
    assert ingest_outcomes(await push_document(app, ours, make_timeline(make_event("delivered"), number=number))) == [
        "accepted"
    ]
    assert (await read_timeline(app, number))["terminal"] is True


async def test_a_client_can_entrust_only_its_own_parcels(app: App) -> None:
    number = await make_order_number(app)
    body = {"tracking_numbers": [number], "carrier": "Swift Post"}
    answer = (await app.rest("rival", "POST", "/v1/otep/trackings/entrust", body)).json()
    assert (answer["entrusted"], len(answer["errors"])) == (0, 1)


async def test_the_owner_can_still_cancel_after_an_outside_delivered_event(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order
    await push_document(app, await make_key(app), make_timeline(make_event("delivered"), number=order.tracking_number))
    await app.answer("admin", "cancel_order", {"order_id": order.id})
    shown = (await app.rest(None, "GET", f"/v1/otep/trackings/{order.tracking_number}")).json()["data"]
    assert (shown["current_status"], shown["terminal"]) == ("cancelled", True)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ends=st.lists(st.tuples(st.sampled_from(ENDS), st.integers(0, 20)), min_size=1, max_size=4, unique=True))
async def test_the_first_known_end_stays_after_any_later_arrival(app: App, ends: list[tuple[str, int]]) -> None:
    key, number = await make_key(app), f"E-{next(NUMBERS)}"
    for code, hours in ends:
        response = await push_document(app, key, make_timeline(make_event(code, hours), number=number))
        app.clock.forward(minutes=1)
        late = [receipt.get("late", False) for receipt in response.json()["receipts"]]
        assert late == [(code, hours) != ends[0]]
        read = await read_timeline(app, number)
        assert (read["current_status"], read["terminal"]) == (ends[0][0], True)
    times = [event["occurred_at"] for event in (await read_timeline(app, number))["events"]]
    assert times == sorted(times)


SCANS = st.tuples(
    st.sampled_from(["in_transit", "arrived", *ENDS[:2]]), st.integers(0, 3), st.sampled_from([None, "r1", "r2", "r3"])
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pushes=st.lists(st.lists(SCANS, min_size=1, max_size=3), min_size=1, max_size=4), voids=st.booleans())
async def test_a_receipt_marks_as_late_exactly_the_events_the_timeline_does(
    app: App, pushes: list[list[tuple[str, int, str | None]]], voids: bool
) -> None:
    """Copies, contradicting ends and voided ends, while a receipt reads few events."""
    key, number, voided = await make_key(app), f"L-{next(NUMBERS)}", False
    for scans in pushes:
        source = {"type": "carrier", "name": "Swift Post"}
        told = [
            make_event(code, hours, source={**source, "reference": f"{code}{ref}"} if ref else source)
            for code, hours, ref in scans
        ]
        response = await push_document(app, key, {**make_timeline(*told, number=number), "on_error": "proceed"})
        receipts = [receipt for receipt in response.json()["receipts"] if receipt["outcome"] != "refused"]
        if voids and not voided and receipts and told[0]["status_code"] in ENDS:
            correction = {"event_id": "e", "declared_at": "2026-06-10T13:00:00Z", "reason": "incorrect_data"}
            entry = {"event": told[0], "correction": correction}
            answer = await push_document(app, key, make_timeline(number=number, voided=[entry]))
            receipts, voided = answer.json()["receipts"], True
            assert receipts[0]["outcome"] == "corrected"
        app.clock.forward(minutes=1)
        shown = (await read_timeline(app, number))["events"] if receipts else []
        late = {event["event_id"] for event in shown if event.get("late")}
        for receipt in receipts:
            assert receipt.get("late", False) == (not late.isdisjoint(receipt["event_ids"])), receipt


async def test_a_time_in_the_future_is_refused_beyond_clock_skew(app: App) -> None:
    key = await make_key(app)
    response = await push_document(
        app, key, make_timeline(make_event("delivered", 24.2), make_event("delivered", 24.3))
    )
    assert (ingest_outcomes(response), reasons(response)) == (["accepted", "refused"], ["TIME_AHEAD"])
    document = make_document(make_object_event(hours=200))
    response = await push_document(app, key, document, to="ingest/epcis")
    assert (response.status_code, response.json()["errors"][0]["code"]) == (422, "TIME_AHEAD")


async def test_a_parcel_collected_from_a_locker_is_finished(app: App) -> None:
    key = await make_key(app)
    events = [make_event("deposited"), make_event("collected", 1), make_event("in_transit", 2)]
    response = await push_document(app, key, make_timeline(*events, profile="locker"))
    assert [receipt.get("late", False) for receipt in response.json()["receipts"]] == [False, False, True]
    read = await read_timeline(app)
    assert (read["current_status"], read["delivered"], read["terminal"]) == ("collected", True, True)


async def test_an_unreadable_version_is_refused_at_any_position(app: App) -> None:
    key = await make_key(app)
    for document in (
        make_timeline(make_event(), otep_version="9.0.0"),
        make_timeline(make_event(otep_version="9.0.0")),
    ):
        response = await push_document(app, key, document)
        assert (response.json()["result"], reasons(response)) == (False, ["UNSUPPORTED_VERSION"])


async def test_an_event_without_a_source_is_attributed_to_the_key(app: App) -> None:
    event = make_event()
    del event["source"]
    key = await make_key(app, name="Swift Post", source_type="partner")
    assert ingest_outcomes(await push_document(app, key, make_timeline(event))) == ["accepted"]
    assert (await read_timeline(app))["events"][0]["source"] == {"type": "partner", "name": "Swift Post"}


async def test_a_single_event_with_its_subject_can_be_pushed(app: App) -> None:
    event = make_event("otep:parcel:delivered", phase="otep:phase:delivered", subject={"tracking_number": NUMBER})
    response = await push_document(app, await make_key(app), event)
    assert [receipt["path"] for receipt in response.json()["receipts"]] == ["$"]
    read = await read_timeline(app)
    assert (status_codes(read), "raw_status" in read["events"][0]) == (["delivered"], False)


async def test_events_of_several_subjects_can_be_pushed_in_one_document(app: App) -> None:
    events = [make_event("received", subject={"tracking_number": number}) for number in ("A-1", "B-1")]
    response = await push_document(app, await make_key(app), {"events": [*events, make_event()]})
    assert ingest_outcomes(response) == ["accepted", "accepted", "refused"]
    assert response.json()["receipts"][2]["reasons"][0]["path"] == "$.subject"
    assert [status_codes(await read_timeline(app, number)) for number in ("A-1", "B-1")] == [["received"]] * 2


async def test_a_refusal_includes_a_hint(app: App) -> None:
    event = make_event(incident_reason="damaged", source=CARRIER)
    response = await push_document(app, await make_key(app), make_timeline(event))
    (why,) = response.json()["receipts"][0]["reasons"]
    assert (why["path"], why["hint"][:20]) == ("$.events[0].incident_reason", "Write an object with")
