"""Proof required by an order, shown to its driver and enforced for all reports."""

from typing import Any

from tests.contexts.driver_app.makers import device_event, event_statuses, make_upload, sync_events
from tests.support.app import App
from tests.support.transport import make_contact, make_order, make_started_route, status_and_code

POSTAL_CODE = "M5V 2T6"


async def make_stop_with_proof(app: App, **asked: Any) -> dict[str, Any]:
    """The only stop of a route under way, whose order asks for proof."""
    route = await make_started_route(app, [await make_order(app, **asked)])
    return {"route_id": route.id, "stop_id": route.stops[0].id, "number": route.stops[0].tracking_number}


def at(stop: dict[str, Any], **proof: Any) -> dict[str, Any]:
    return {"route_id": stop["route_id"], "stop_id": stop["stop_id"], **proof}


async def pin_of(app: App, stop: dict[str, Any], proof: str = POSTAL_CODE) -> str:
    return (await app.answer(None, "show_delivery_pin", {"tracking_number": stop["number"], "proof": proof})).pin


def another(pin: str) -> str:
    return f"{(int(pin) + 1) % 10_000:04}"


def invalid_fields(outcome: Any) -> list[str]:
    return [fault["field"] for fault in outcome.error["errors"]]


async def test_the_proof_required_by_an_order_is_required_to_deliver(app: App) -> None:
    asked = {"signature_required": True, "photo_required": True, "minimum_age": 19, "pin_required": True}
    stop = await make_stop_with_proof(app, **asked)
    refused = await app.call("driver", "rider_deliver", at(stop, recipient="X"))
    assert status_and_code(refused) == (422, "PROOF_INCOMPLETE")
    assert invalid_fields(refused) == ["photos", "signature", "pin", "age_checked"]
    for name in ("photo-0001", "signature-1"):
        await make_upload(app, stop["stop_id"], name)
    proof = {"photos": ["photo-0001"], "signature": "signature-1", "age_checked": True, "pin": await pin_of(app, stop)}
    assert (await app.answer("driver", "rider_deliver", at(stop, **proof))).stop.status == "completed"


async def test_an_order_without_proof_requirements_needs_no_proof(app: App) -> None:
    stop = await make_stop_with_proof(app)
    assert (await app.answer("driver", "rider_deliver", at(stop))).stop.status == "completed"


async def test_a_driver_cannot_bypass_proof_through_the_office_operation(app: App) -> None:
    stop = await make_stop_with_proof(app, signature_required=True)
    assert status_and_code(await app.call("driver", "deliver_stop", at(stop))) == (422, "PROOF_INCOMPLETE")
    signed = at(stop, signature_url="https://files.example/1")
    assert (await app.answer("driver", "deliver_stop", signed)).stop.status == "completed"


async def test_the_office_can_report_manually_without_proof(app: App) -> None:
    stop = await make_stop_with_proof(app, signature_required=True, pin_required=True)
    assert (await app.answer("admin", "deliver_stop", at(stop))).stop.status == "completed"


async def test_a_pin_is_shown_to_callers_with_the_number_and_the_postal_code_or_phone(app: App) -> None:
    stop = await make_stop_with_proof(app, pin_required=True, consignee=make_contact(phone="+1 (416) 555-0147"))
    pin = await pin_of(app, stop, "m5v2t6")
    assert pin == await pin_of(app, stop, "0147")
    assert (len(pin), pin.isdigit()) == (4, True)
    for proof in ("M5V", "0000", " "):
        guessed = await app.call(None, "show_delivery_pin", {"tracking_number": stop["number"], "proof": proof})
        assert guessed.status == 404
    await app.answer("driver", "rider_deliver", at(stop, pin=pin))
    over = await app.call(None, "show_delivery_pin", {"tracking_number": stop["number"], "proof": POSTAL_CODE})
    assert over.status == 404


async def test_a_pin_is_shown_to_no_one_else(app: App) -> None:
    stop = await make_stop_with_proof(app, pin_required=True, customer_id=app.ids["customer"])
    pin = await pin_of(app, stop)
    order_id = (await app.answer("admin", "find_order", {"search": stop["number"]})).orders[0].id
    for who in ("admin", "driver", "customer"):
        shown = (await app.rest(who, "GET", f"/v1/orders/{order_id}")).json()["order"]
        assert shown["pin_required"] is True
        assert f'"{pin}"' not in str(shown).replace("'", '"')


async def test_an_order_without_a_pin_shows_none(app: App) -> None:
    stop = await make_stop_with_proof(app)
    asked = {"tracking_number": stop["number"], "proof": POSTAL_CODE}
    assert (await app.call(None, "show_delivery_pin", asked)).status == 404


async def test_after_several_wrong_pins_a_new_pin_is_required(app: App) -> None:
    stop = await make_stop_with_proof(app, pin_required=True)
    pin = await pin_of(app, stop)
    for _ in range(5):
        wrong = await app.call("driver", "rider_deliver", at(stop, pin=another(pin)))
        assert status_and_code(wrong) == (422, "PIN_WRONG")
    assert status_and_code(await app.call("driver", "rider_deliver", at(stop, pin=pin))) == (409, "PIN_BLOCKED")
    order_id = (await app.answer("admin", "find_order", {"search": stop["number"]})).orders[0].id
    await app.answer("admin", "renew_delivery_pin", {"order_id": order_id})
    fresh = at(stop, pin=await pin_of(app, stop))
    assert (await app.answer("driver", "rider_deliver", fresh)).stop.status == "completed"


async def test_dry_runs_cannot_be_used_to_guess_a_pin(app: App) -> None:
    stop = await make_stop_with_proof(app, pin_required=True)
    pin = await pin_of(app, stop)
    told = [
        (await app.call("driver", "rider_deliver", at(stop, pin=said), dry_run=True)).status
        for said in (pin, another(pin))
    ]
    assert told == [200, 200]


async def test_a_missing_proof_is_reported_precisely_offline_and_again_on_repeat(app: App) -> None:
    stop = await make_stop_with_proof(app, signature_required=True, pin_required=True, minimum_age=19)
    event = device_event("a", "deliver", "13:30", **at(stop))
    for _ in range(2):
        (receipt,) = (await sync_events(app, event)).receipts
        assert (receipt.status, receipt.code) == ("refused", "PROOF_INCOMPLETE")
        assert receipt.fields == ["signature", "pin", "age_checked"]


async def test_wrong_pins_are_counted_offline(app: App) -> None:
    stop = await make_stop_with_proof(app, pin_required=True)
    pin = await pin_of(app, stop)
    wrong = [device_event(str(n), "deliver", f"13:3{n}", **at(stop, pin=another(pin))) for n in range(6)]
    receipts = (await sync_events(app, *wrong)).receipts
    assert [receipt.code for receipt in receipts] == ["PIN_WRONG"] * 5 + ["PIN_BLOCKED"]
    order_id = (await app.answer("admin", "find_order", {"search": stop["number"]})).orders[0].id
    await app.answer("admin", "renew_delivery_pin", {"order_id": order_id})
    right = device_event("right", "deliver", "13:40", **at(stop, pin=await pin_of(app, stop)))
    assert event_statuses(await sync_events(app, right)) == {"right": "applied"}


async def test_an_order_with_an_email_address_is_verified_only_by_it_and_drivers_cannot_see_it(
    app: App,
) -> None:
    consignee = make_contact(email="Ada@example.org", phone="+1 416 555 0147")
    stop = await make_stop_with_proof(app, pin_required=True, consignee=consignee)
    assert len(await pin_of(app, stop, " ada@EXAMPLE.org")) == 4
    for proof in (POSTAL_CODE, "0147"):
        asked = {"tracking_number": stop["number"], "proof": proof}
        assert (await app.call(None, "show_delivery_pin", asked)).status == 404
    order_id = (await app.answer("admin", "find_order", {"search": stop["number"]})).orders[0].id
    for path in (f"/v1/orders/{order_id}", "/v1/rider/routes/today"):
        assert "example.org" not in (await app.rest("driver", "GET", path)).text
    assert "example.org" in (await app.rest("admin", "GET", f"/v1/orders/{order_id}")).text
