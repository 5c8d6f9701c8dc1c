"""Verified recipients see their delivery, and choose its time and place."""

from typing import Any

import pytest
from tests.contexts.booking.reservations.makers import (
    DAY,
    count_taken,
    hold_place,
    make_window,
    make_zone,
    try_to_confirm,
)
from tests.contexts.driver_app.makers import make_upload
from tests.contexts.recipients.makers import WINDOW, make_awaited_order
from tests.support.app import App
from tests.support.transport import make_started_route, set_order, status_and_code

from haulier.contexts.recipients.deliveries.rules import RecipientInstruction, parse_instruction
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues

POSTAL_CODE, END_OF_PHONE = "m5v2t6", "0123"


async def make_access(app: App, order: Any) -> dict[str, str]:
    """Return the access token of an order's recipient."""
    opened = await app.answer(None, "open_delivery", {"number": order.tracking_number, "proof": POSTAL_CODE})
    return {"access": opened.access}


async def test_the_number_alone_shows_time_and_carrier_without_personal_data(app: App) -> None:
    await app.answer("admin", "set_brand", {"colour": "#0a5c8f", "contact_phone": "+1 416 555 0100"})
    order = await make_awaited_order(app, **WINDOW)
    answer = await app.rest(None, "GET", f"/v1/tracking/{order.tracking_number}/delivery")
    notice = answer.json()
    assert (notice["window_start"], notice["window_end"]) == tuple(WINDOW.values())
    assert notice["business"]["name"] == "Demo"
    assert (notice["business"]["colour"], notice["business"]["contact_phone"]) == ("#0a5c8f", "+1 416 555 0100")
    assert notice["choices"] == ["instruct"]
    assert [word for word in ("Ada", "Queen", "home.example", "M5V") if word in answer.text] == []
    unknown = await app.call(None, "get_delivery_notice", {"number": "HL0000000000000"})
    assert status_and_code(unknown) == (404, "NOT_FOUND")


async def test_a_missed_delivery_is_shown(app: App) -> None:
    order = await make_awaited_order(app)
    route = await make_started_route(app, [order.id])
    report = {"route_id": route.id, "stop_id": route.stops[0].id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", report)
    notice = await app.answer(None, "get_delivery_notice", {"number": order.tracking_number})
    assert notice.missed_at == app.clock.now


async def test_a_time_can_be_chosen_only_if_a_window_has_capacity(app: App) -> None:
    order = await make_awaited_order(app)

    async def choices() -> list[str]:
        return (await app.answer(None, "get_delivery_notice", {"number": order.tracking_number})).choices

    assert await choices() == ["instruct"]
    await make_window(app)
    assert await choices() == ["instruct", "choose_window"]


async def test_the_postal_code_or_last_phone_digits_unlock_a_delivery_for_half_an_hour(app: App) -> None:
    order = await make_awaited_order(app, delivery_instruction="Side door.", customer_id=app.ids["customer"])
    for proof in (POSTAL_CODE, "M5V 2T6", END_OF_PHONE):
        opened = await app.answer(None, "open_delivery", {"number": order.tracking_number, "proof": proof})
        assert (opened.delivery.name, opened.delivery.sender) == ("Ada Lovelace", "Customer")
    shown = (await app.answer(None, "get_delivery", {"access": opened.access})).delivery
    assert (shown.address, shown.delivery_instruction, shown.proof) == ("100 Queen St W", "Side door.", None)
    app.clock.forward(minutes=30)
    gone = await app.call(None, "get_delivery", {"access": opened.access})
    assert status_and_code(gone) == (401, "DELIVERY_ACCESS_INVALID")


async def test_a_wrong_proof_and_an_unknown_number_get_the_same_response_and_a_delay(app: App) -> None:
    order = await make_awaited_order(app)
    for number in (order.tracking_number, "HL0000000000000"):
        asked = {"number": number, "proof": "9999"}
        codes = [status_and_code(await app.call(None, "open_delivery", asked, address="192.0.2.1")) for _ in range(7)]
        assert codes == [(403, "RECIPIENT_UNPROVEN")] * 6 + [(429, "RATE_LIMITED")]
    right = {"number": order.tracking_number, "proof": POSTAL_CODE}
    held = await app.call(None, "open_delivery", right, address="192.0.2.1")
    assert (status_and_code(held), held.headers["Retry-After"]) == ((429, "RATE_LIMITED"), "60")
    assert (await app.call(None, "open_delivery", right, address="198.51.100.7")).error is None
    app.clock.forward(minutes=1)
    assert (await app.call(None, "open_delivery", right, address="192.0.2.1")).error is None


async def test_instructions_and_neighbours_reach_the_driver_until_the_delivery_ends(app: App) -> None:
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    said = {"instruction": "Gate code 4711#", "neighbour": "Ms Roy, unit 4"}
    answer = await app.answer(None, "set_delivery_instruction", {**access, **said})
    detail = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert answer.delivery.delivery_instruction == detail.delivery_instruction
    assert detail.delivery_instruction == "Gate code 4711#\nNeighbour: Ms Roy, unit 4"
    await set_order(app, order.id, status=6)
    late = await app.call(None, "set_delivery_instruction", {**access, **said})
    assert status_and_code(late) == (409, "ORDER_IS_OVER")


async def test_each_reader_sees_the_neighbour_in_their_own_language(app: App) -> None:
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    said = {"instruction": "Gate code 4711#", "neighbour": "Ms Roy, unit 4"}
    delivery = (await app.answer(None, "set_delivery_instruction", {**access, **said}, accept_language="de")).delivery
    assert (delivery.instruction, delivery.neighbour) == ("Gate code 4711#", "Ms Roy, unit 4")
    assert delivery.delivery_instruction == "Gate code 4711#\nNachbar: Ms Roy, unit 4"
    await make_started_route(app, [order.id])
    (route,) = (await app.answer("driver", "get_rider_day", {}, accept_language="fr")).routes
    assert route.route.stops[0].handover.instruction == "Gate code 4711#\nVoisin\u00a0: Ms Roy, unit 4"


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
@pytest.mark.parametrize("text", ["Ring twice\nor knock", ""])
def test_an_instruction_can_be_read_back_in_any_language(language: str, text: str) -> None:
    written = RecipientInstruction(text, "Ms Roy, unit 4")
    assert parse_instruction(Catalogues(), written.render(Catalogues(), language)) == written
    assert parse_instruction(Catalogues(), text) == RecipientInstruction(text, "")


async def test_a_recipient_without_an_account_can_book_and_change_a_window(app: App) -> None:
    zone_id = await make_zone(app)
    first = await make_window(app, zone_id, capacity=1)
    second = await make_window(app, zone_id, starts="14:00", ends="16:00", capacity=1)
    dear = await make_window(app, zone_id, starts="17:00", ends="18:00", price_minor=500)
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    offered = (await app.answer(None, "find_delivery_windows", access)).windows
    assert [window.id for window in offered] == [first, second]
    for window_id in (first, second, second):
        answer = await app.answer(None, "choose_delivery_window", {**access, "window_id": window_id})
    assert (answer.delivery.day.isoformat(), answer.delivery.window_start.hour) == (DAY, 14)
    assert [await count_taken(app, each) for each in (first, second)] == [0, 1]
    (kept,) = (await app.answer("admin", "list_reservations", {"order_id": order.id})).reservations
    assert (kept.status, kept.window_id) == ("confirmed", second)
    refused = await app.call(None, "choose_delivery_window", {**access, "window_id": dear})
    assert status_and_code(refused) == (404, "NOT_FOUND")


async def test_a_full_foreign_or_late_window_is_refused(app: App) -> None:
    zone_id = await make_zone(app)
    full = await make_window(app, zone_id, capacity=1)
    await try_to_confirm(app, await hold_place(app, full), (await make_awaited_order(app, 1)).id)
    far = await make_window(app, await make_zone(app, "Far", ("V6B",)))
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    tried = [await app.call(None, "choose_delivery_window", {**access, "window_id": each}) for each in (full, far)]
    assert [each.error["code"] for each in tried if each.error] == ["BOOKING_WINDOW_FULL", "BOOKING_WINDOW_ELSEWHERE"]
    await make_started_route(app, [order.id])
    late = await app.call(None, "choose_delivery_window", {**access, "window_id": full})
    assert status_and_code(late) == (409, "RESERVATION_ORDER_NOT_BOOKABLE")
    assert (await app.answer(None, "find_delivery_windows", access)).windows == []


async def test_the_proof_of_delivery_is_visible_only_to_the_recipient(app: App) -> None:
    order, other = await make_awaited_order(app, 1), await make_awaited_order(app, 2)
    route = await make_started_route(app, [order.id, other.id])
    stop = next(stop for stop in route.stops if stop.order_id == order.id)
    photo = await make_upload(app, stop.id)
    done = {"route_id": route.id, "stop_id": stop.id, "recipient": "B. Roy", "photos": ["photo-0001"]}
    await app.answer("driver", "rider_deliver", done)
    access = await make_access(app, order)
    proof = (await app.answer(None, "get_delivery", access)).delivery.proof
    assert (proof.recipient, proof.photos, proof.signature) == ("B. Roy", [photo.file_id], None)
    picture = await app.answer(None, "get_delivery_proof_file", {**access, "file_id": photo.file_id})
    assert picture.media_type == "image/png"
    foreign = {**await make_access(app, other), "file_id": photo.file_id}
    assert status_and_code(await app.call(None, "get_delivery_proof_file", foreign)) == (404, "NOT_FOUND")
    public = await app.rest(None, "GET", f"/v1/tracking/{order.tracking_number}/delivery")
    assert "Roy" not in public.text


async def test_the_audit_trail_records_a_recipients_change_without_the_credentials(app: App) -> None:
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    await app.answer(None, "set_delivery_instruction", {**access, "instruction": "Side door."})
    entries = (await app.rest("admin", "GET", "/v1/audit?per_page=5")).text
    assert "set_delivery_instruction" in entries
    assert access["access"] not in entries
    assert POSTAL_CODE not in entries
