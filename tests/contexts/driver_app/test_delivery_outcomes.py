"""Delivery outcomes: receiver, place, and packages not handed over."""

from typing import Any

from tests.contexts.driver_app.makers import device_event, event_statuses, make_upload, sync_events
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.recipients.makers import MAILBOX, make_recipient, tell_recipients
from tests.support.app import App
from tests.support.transport import make_order, make_started_route, status_and_code

NEIGHBOUR = {"handed_to": "neighbour", "recipient": "Ms Lee"}
PUBLIC = "Left with a neighbour"


async def make_stop(app: App, **order: Any) -> dict[str, Any]:
    route = await make_started_route(app, [await make_order(app, **order)])
    return {"route_id": route.id, "stop_id": route.stops[0].id}


async def deliver(app: App, stop: dict[str, Any], **outcome: Any) -> str:
    """Deliver at a stop; the tracking number."""
    return (await app.answer("driver", "rider_deliver", stop | outcome)).stop.tracking_number


async def read_timeline(app: App, number: str, who: str | None, format: str = "otep") -> Any:
    return (await app.rest(who, "GET", f"/v1/otep/trackings/{number}?format={format}")).json()["data"]


async def test_the_public_timeline_shows_the_recipient_type_without_a_name(app: App) -> None:
    number = await deliver(app, await make_stop(app), **NEIGHBOUR)
    event = (await read_timeline(app, number, None))["events"][-1]
    assert (event["description"], event["outcome"]) == (PUBLIC, {"handed_to": "neighbour"})
    assert (await app.answer(None, "track_package", {"number": number})).events[-1].description == PUBLIC


async def test_the_office_sees_the_name(app: App) -> None:
    number = await deliver(app, await make_stop(app), **NEIGHBOUR)
    event = (await read_timeline(app, number, "admin"))["events"][-1]
    assert event["outcome"] == {"handed_to": "neighbour", "name": "Ms Lee"}
    assert event["description"] == f"{PUBLIC}: Ms Lee"


async def test_the_recipient_sees_the_name_after_a_proof(app: App) -> None:
    number = await deliver(app, await make_stop(app), **NEIGHBOUR)
    opened = await app.answer(None, "open_delivery", {"number": number, "proof": "M5V 2T6"})
    delivery = await app.answer(None, "get_delivery", {"access": opened.access}, accept_language="de")
    assert delivery.delivery.proof.outcome == "Beim Nachbarn abgegeben: Ms Lee"


async def test_a_delivery_without_an_outcome_returns_none(app: App) -> None:
    number = await deliver(app, await make_stop(app), recipient="Ada")
    event = (await read_timeline(app, number, "admin"))["events"][-1]
    assert ("outcome" in event, event["description"]) == (False, "Delivered")


async def test_a_neighbour_requires_a_name_and_a_safe_place_a_photo(app: App) -> None:
    stop = await make_stop(app)
    for handed_to, field in (("neighbour", "recipient"), ("safe_place", "photos")):
        refused = await app.call("driver", "rider_deliver", {**stop, "handed_to": handed_to})
        assert status_and_code(refused) == (422, "PROOF_INCOMPLETE")
        assert [fault["field"] for fault in refused.error["errors"]] == [field]


async def test_a_safe_place_can_be_reported_offline(app: App) -> None:
    stop = await make_stop(app)
    await make_upload(app, stop["stop_id"], "photo-0001")
    outcome = {"handed_to": "safe_place", "left_at": "Behind the shed", "photos": ["photo-0001"]}
    event = device_event("1", "deliver", "15:00", **stop, **outcome)
    assert event_statuses(await sync_events(app, event)) == {"1": "applied"}
    order = (await app.answer("admin", "get_route_detail", {"route_id": stop["route_id"]})).route.stops[0]
    assert (order.proof.handed_to, order.proof.left_at) == ("safe_place", "Behind the shed")
    whole = (await read_timeline(app, order.tracking_number, "admin"))["events"][-1]
    public = (await read_timeline(app, order.tracking_number, None))["events"][-1]
    assert (whole["description"], public["description"]) == (
        "Left in a safe place (Behind the shed)",
        "Left in a safe place",
    )


async def test_a_partial_delivery_shows_counts_in_public_and_packages_to_the_office(app: App) -> None:
    stop = await make_stop(app, packages=[{"weight_g": 100}] * 3)
    shown = (await app.answer("driver", "get_rider_route", {"route_id": stop["route_id"]})).route
    number = shown.route.stops[0].tracking_number
    await deliver(app, stop, pieces=[{"barcode": f"{number}-3", "outcome": "missing"}], **NEIGHBOUR)
    public = (await read_timeline(app, number, None))["events"][-1]
    whole = (await read_timeline(app, number, "admin"))["events"][-1]
    assert public["description"] == f"{PUBLIC}, 2 of 3 pieces"
    assert public["outcome"]["pieces"] == {"total": 3, "delivered": 2}
    assert whole["outcome"]["pieces"]["left"] == [{"tracking_number": f"{number}-3", "outcome": "missing"}]


async def test_projections_include_the_outcome(app: App) -> None:
    number = await deliver(app, await make_stop(app), **NEIGHBOUR)
    aftership = await read_timeline(app, number, "admin", format="aftership")
    assert aftership["checkpoints"][-1]["message"] == f"{PUBLIC}: Ms Lee"
    shopify = await read_timeline(app, number, None, format="shopify")
    assert shopify["fulfillment_events"][-1]["message"] == PUBLIC
    epcis = await read_timeline(app, number, None, format="epcis")
    assert epcis["epcisBody"]["eventList"][-1]["otep:handedTo"] == "neighbour"


async def test_the_email_states_the_location_of_the_parcel_and_the_missing_packages(app: App) -> None:
    await tell_recipients(app)
    stop = await make_stop(app, consignee=make_recipient(), packages=[{"weight_g": 100}] * 2)
    shown = (await app.answer("driver", "get_rider_route", {"route_id": stop["route_id"]})).route
    number = shown.route.stops[0].tracking_number
    await deliver(app, stop, pieces=[{"barcode": f"{number}-2", "outcome": "missing"}], **NEIGHBOUR)
    await app.work_off()
    text = (await received_mails(app, MAILBOX))[-1].text
    assert f"{PUBLIC}." in text
    assert "Packages not delivered: 1." in text
    assert "Ms Lee" not in text
