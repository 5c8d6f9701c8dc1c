"""Outcomes reported by a partner reach the sender's order."""

from typing import Any

import msgspec
from tests.contexts.marketplace.partners.makers import (
    at_stop,
    call_about_offer,
    drive_out,
    report_as_partner,
    taken_order,
)
from tests.support.app import App
from tests.support.transport import status_and_code

THREE: list[dict[str, Any]] = [{"weight_g": 500}] * 3


async def delivered_outcome(app: App, order_id: int, who: str = "admin") -> Any:
    trackings = (await app.answer(who, "otep_client_tracking", {"order_id": order_id})).trackings
    events = msgspec.to_builtins(trackings[0].data)["events"]
    return next(each for each in events if each["status_code"] == "delivered").get("outcome")


async def open_pieces(app: App, who: str = "admin") -> list[tuple[int, str, str]]:
    listed = await app.answer(who, "list_piece_exceptions", {})
    return [(each.order_id, each.piece, each.kind) for each in listed.exceptions]


async def number_of(app: App, who: str, order_id: int) -> str:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order.tracking_number


async def test_a_reported_outcome_reaches_the_senders_timeline_and_the_own_order(app: App) -> None:
    offer_id, order_id, own_id = await taken_order(app)
    outcome = {"handed_to": "neighbour", "left_at": "Behind the shed"}
    await report_as_partner(app, offer_id, "out_for_delivery")
    await report_as_partner(app, offer_id, "delivered", recipient="Ms Lee", outcome=outcome)
    expected = {"handed_to": "neighbour", "name": "Ms Lee", "left_at": "Behind the shed"}
    assert await delivered_outcome(app, order_id) == expected
    assert await delivered_outcome(app, own_id, "rival") == expected


async def test_a_missing_package_is_an_exception_on_both_sides(app: App) -> None:
    offer_id, order_id, own_id = await taken_order(app, packages=THREE)
    theirs, own = await number_of(app, "admin", order_id), await number_of(app, "rival", own_id)
    pieces = [{"barcode": f"{own}-3", "outcome": "missing"}]
    await report_as_partner(app, offer_id, "out_for_delivery")
    await report_as_partner(app, offer_id, "delivered", outcome={"pieces": pieces})
    assert await open_pieces(app) == [(order_id, f"{theirs}-3", "piece_missing")]
    assert await open_pieces(app, "rival") == [(own_id, f"{own}-3", "piece_missing")]
    (left,) = (await delivered_outcome(app, order_id))["pieces"]["left"]
    assert left == {"tracking_number": f"{theirs}-3", "outcome": "missing"}


async def test_a_partial_delivery_of_the_own_order_applies_to_the_senders_order(app: App) -> None:
    _, order_id, own_id = await taken_order(app, packages=THREE)
    theirs, own = await number_of(app, "admin", order_id), await number_of(app, "rival", own_id)
    visit = await drive_out(app, own_id)
    await app.work_off()
    await at_stop(app, visit, "rider_deliver", pieces=[{"barcode": f"{own}-2", "outcome": "missing"}])
    assert await open_pieces(app) == [(order_id, f"{theirs}-2", "piece_missing")]
    assert (await delivered_outcome(app, order_id))["pieces"]["left"][0]["tracking_number"] == f"{theirs}-2"


async def test_an_invalid_outcome_is_refused_by_field(app: App) -> None:
    offer_id, order_id, _ = await taken_order(app, packages=THREE)
    number = await number_of(app, "admin", order_id)
    missing = [{"barcode": f"{number}-{n}", "outcome": "missing"} for n in (2, 3)]
    for report, outcome, field in (
        ("picked_up", {"handed_to": "recipient"}, "outcome"),
        ("delivered", {"handed_to": "neighbour"}, "recipient"),
        ("delivered", {"pieces": [{"barcode": "ELSE-1", "outcome": "missing"}]}, "outcome.pieces.0.barcode"),
        ("delivered", {"pieces": [missing[0], missing[0]]}, "outcome.pieces"),
        ("delivered", {"pieces": [{"barcode": number, "outcome": "refused"}, *missing]}, "outcome.pieces"),
    ):
        refused = await call_about_offer(app, "rival", "report_partner_order", offer_id, report=report, outcome=outcome)
        assert status_and_code(refused) == (422, "INVALID_REQUEST")
        assert [fault["field"] for fault in refused.error["errors"]] == [field]
