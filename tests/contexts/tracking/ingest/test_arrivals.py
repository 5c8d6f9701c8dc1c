"""Timelines are independent of the order and repetition of events."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline, push_document, read_timeline
from tests.support.app import App
from tests.support.hypothesis_profiles import costly

NUMBERS = count()
POOL = [
    make_event("picked_up", 0, event_id="e-0"),
    make_event("received", 1),
    make_event("out_for_delivery", 2, event_id="e-2", location={"city": "Toronto", "country": "CA"}),
    make_event("delivered", 3, event_id="e-3"),
    make_event("delivery_failed", 4, event_id="e-4", incident_reason={"code": "recipient_absent"}),
    make_event("delivered", 5, source={"type": "partner", "name": "Hub"}),
    make_event("in_transit", 6),
]
DECLARED = {"event_id": "e-3", "declared_at": make_event(hours=7)["occurred_at"], "corrective_event_ids": ["e-4"]}
TAKEN_BACK = {"event": POOL[3], "correction": DECLARED}
arrivals = st.permutations([*range(len(POOL)), "declaration"]).flatmap(
    lambda once: st.lists(st.sampled_from(once), max_size=5).map(lambda again: [*once, *again])
)


def facts(read: dict[str, Any]) -> Any:
    """Return a timeline without values that depend on time or number."""
    told = [[_plain(each) for each in read["events"]], [_plain(each["event"]) for each in read.get("voided", [])]]
    return told, read.get("current_status"), read["delivered"], read["terminal"]


def _plain(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in {"recorded_at", "event_id"}}


async def arrive(app: App, key: str, order: list[Any], together: int) -> Any:
    """Push events of a parcel in some order and batch size, under a new number."""
    number = f"A-{next(NUMBERS)}"
    for at in range(0, len(order), together):
        part = order[at : at + together]
        events = [POOL[each] for each in part if each != "declaration"]
        voided = [TAKEN_BACK] if "declaration" in part else []
        response = await push_document(app, key, make_timeline(*events, number=number, voided=voided))
        assert response.json()["counts"]["refused"] == 0
        app.clock.forward(minutes=1)
    return facts(await read_timeline(app, number))


@costly
@given(order=arrivals, together=st.integers(1, 4))
async def test_any_order_and_repetition_of_arrivals_gives_the_same_timeline(
    app: App, order: list[Any], together: int
) -> None:
    key = await make_key(app)
    expected = await arrive(app, key, [*range(len(POOL)), "declaration"], 20)
    assert await arrive(app, key, order, together) == expected
    told, status, delivered, terminal = expected
    assert [event["status_code"] for event in told[0]] == [
        "picked_up",
        "received",
        "out_for_delivery",
        "delivery_failed",
        "delivered",
        "in_transit",
    ]
    assert (len(told[1]), status, delivered, terminal) == (1, "delivered", True, True)


@pytest.mark.parametrize(
    ("told", "number"),
    [
        ([("HL-1", "1Z-1"), ("1Z-1",), ("HL-1",)], "HL-1"),
        ([("1Z-1",), ("HL-1", "1Z-1"), ("HL-1",)], "1Z-1"),
    ],
)
async def test_a_parcel_with_two_numbers_has_one_timeline(app: App, told: list[tuple[str, ...]], number: str) -> None:
    key = await make_key(app)
    fields = ("tracking_number", "external_tracking_number")
    documents = [{"subject": dict(zip(fields, names, strict=False)), "events": []} for names in told]
    for hours, each in enumerate(documents):
        each["events"] = [make_event("received", hours)]
    for together in (documents, [{"timelines": documents}]):
        for each in together:
            receipts = (await push_document(app, key, each)).json()["receipts"]
            assert {receipt["tracking_numbers"][0] for receipt in receipts} == {number}
    assert len((await read_timeline(app, number))["events"]) == 3
