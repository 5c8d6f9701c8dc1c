"""Parcels in lockers: reserved, deposited, collected by code, extended, removed."""

import asyncio
import re
from datetime import timedelta
from io import BytesIO

import zxingcpp
from PIL import Image
from tests.contexts.lockers.makers import deposited, make_cabinet, parcel_now, refusal, reserved
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.contexts.identity.ports import Mailer


def last_email(app: App) -> str:
    return app.application.adapter(Mailer).mails[-1].text


async def test_a_parcel_passes_through_a_locker_with_timeline_events_and_notifications(app: App) -> None:
    cabinet = await make_cabinet(app)
    home = {**ADDRESS, "email": "ada@example.com"}
    order = (await app.answer("admin", "create_order", {"consignee": home})).order
    parcel = await reserved(app, cabinet.site_id, order_id=order.id)
    opened = await app.answer("admin", "deposit_locker_parcel", {"locker_parcel_id": parcel.id})
    assert (opened.parcel.status, opened.command.status) == ("reserved", "queued")
    await cabinet.does()
    await app.work_off()
    code = re.search(r"\b\d{8}\b", last_email(app))
    assert code, last_email(app)
    (picture,) = app.application.adapter(Mailer).mails[-1].attachments
    (read,) = zxingcpp.read_barcodes(Image.open(BytesIO(picture.content)))
    assert (picture.media_type, read.text) == ("image/png", code[0]), "the picture is the same code"
    assert not (await cabinet.says("present_locker_code", code="00000000")).accepted
    verdict = await cabinet.says("present_locker_code", code=code[0])
    assert (verdict.accepted, verdict.command.box) == (True, 1)
    # Report only the outcome: the keypad response opens the door, not a poll.
    await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    ended = await parcel_now(app, parcel.id)
    assert (ended.status, [each.purpose for each in ended.accesses]) == ("collected", ["deposit", "collect"])
    assert not (await cabinet.says("present_locker_code", code=code[0])).accepted
    timeline = (await app.answer("admin", "otep_tracking", {"tracking_number": order.tracking_number})).data
    said = {event.status_code for event in timeline.events}
    assert said >= {"compartment_reserved", "deposited", "retrieval_code_sent", "collected"}


async def test_a_parcel_gets_one_compartment_under_concurrent_requests(app: App) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 3}, {"size": "m", "count": 2}])
    asked = {"site_id": cabinet.site_id, "recipient": {"name": "Ada"}}
    results = await asyncio.gather(*(app.call("admin", "reserve_locker_box", asked) for _ in range(12)))
    got = [each.answer.parcel.box_id for each in results if each.error is None]
    assert sorted(got) == sorted(set(got))
    assert len(got) == 5
    assert {each.error["code"] for each in results if each.error} == {"NO_FREE_BOX"}
    near = {"lat": 43.64, "lng": -79.38}
    assert (await app.answer("customer", "find_locker_sites", near)).sites == []


async def test_a_keypad_is_blocked_after_five_wrong_codes_and_then_accepts_the_correct_one(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet)
    code = (await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})).code
    wrong = f"{(int(code) + 1) % 10**8:08}"
    left = [(await cabinet.says("present_locker_code", code=wrong)).tries_left for _ in range(5)]
    assert left == [4, 3, 2, 1, 0]
    assert not (await cabinet.says("present_locker_code", code=code)).accepted
    app.clock.forward(minutes=16)
    frame = cabinet.frame(code=code)
    first, again = [await app.answer(None, "present_locker_code", frame) for _ in range(2)]
    assert (first.accepted, first.command.id) == (True, again.command.id)


async def test_an_overdue_parcel_can_be_extended_or_removed(app: App) -> None:
    cabinet = await make_cabinet(app)
    kept, left = await deposited(app, cabinet, keep_days=2), await reserved(app, cabinet.site_id, hold_hours=1)
    app.clock.forward(hours=2)
    await app.work_off()
    assert (await parcel_now(app, left.id)).end_reason == "lapsed"
    app.clock.forward(days=2)
    await app.work_off()
    assert "until" in last_email(app) or "Union Station" in last_email(app)
    assert (await parcel_now(app, kept.id)).status == "expired"
    until = {"locker_parcel_id": kept.id, "until": (app.clock() + timedelta(days=1)).isoformat()}
    assert (await app.answer("admin", "extend_locker_parcel", until)).parcel.status == "deposited"
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": kept.id}, confirmed=True)
    await cabinet.does()
    assert (await parcel_now(app, kept.id)).status == "removed"
    assert await refusal(app, "admin", "retrieve_locker_parcel", {"locker_parcel_id": kept.id}) == (
        409,
        "LOCKER_STEP_REFUSED",
    )


async def test_a_recipient_is_reminded_a_day_before_expiry_and_the_office_sees_the_time(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, other = await deposited(app, cabinet, keep_days=2), await deposited(app, cabinet, keep_days=9)
    app.clock.forward(hours=25)
    await app.work_off()
    reminder = app.application.adapter(Mailer).mails[-1]
    assert (reminder.to, "Union Station" in reminder.text) == ("ada@example.com", True)
    assert (await parcel_now(app, parcel.id)).reminded_at == app.clock()
    assert (await parcel_now(app, other.id)).reminded_at is None
    for reminded, expected in ((True, parcel), (False, other)):
        listed = await app.answer("admin", "list_locker_parcels", {"status": "deposited", "reminded": reminded})
        assert [each.id for each in listed.parcels] == [expected.id]


async def test_a_stuck_door_moves_the_parcel_and_marks_the_compartment_faulty(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await reserved(app, cabinet.site_id)
    for number, status in ((1, "reserved"), (2, "cancelled")):
        assert (await parcel_now(app, parcel.id)).box == number
        await app.answer("admin", "deposit_locker_parcel", {"locker_parcel_id": parcel.id})
        await cabinet.does("failed", fault="door stuck")
        assert (await parcel_now(app, parcel.id)).status == status
    boxes = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id, "state": "faulty"})).boxes
    assert [(box.number, box.fault, box.parcel_id) for box in boxes] == [
        (1, "door_stuck", None),
        (2, "door_stuck", None),
    ]
    await app.answer("admin", "update_locker_box", {"box_id": boxes[0].id, "state": "ready"})
    assert (await reserved(app, cabinet.site_id)).box == 1


async def test_opening_remotely_requires_a_reason_and_a_confirmation_and_is_audited(app: App) -> None:
    cabinet = await make_cabinet(app)
    (box, _) = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes
    asked = {"box_id": box.id, "reason": "The code does not work"}
    assert (await app.call("admin", "open_locker_box", asked, confirmed=False)).error
    assert (await app.call("admin", "open_locker_box", {"box_id": box.id}, confirmed=True)).status == 422
    assert (await app.call("customer", "open_locker_box", asked, confirmed=True)).status == 403
    await app.answer("admin", "open_locker_box", asked, confirmed=True)
    (command,) = await cabinet.does()
    assert (command.command, command.box) == ("open", 1)
    trail = (await app.answer("admin", "list_audit_entries", {"operation": "open_locker_box"})).entries
    assert trail[0].request["reason"] == asked["reason"]


async def test_customers_see_only_parcels_stored_for_them(app: App) -> None:
    cabinet = await make_cabinet(app)
    own = {"recipient": {"name": "Cleo", "customer_id": app.ids["customer"]}}
    mine = await reserved(app, cabinet.site_id, **own)
    await reserved(app, cabinet.site_id)
    before = app.statements
    items = (await app.answer("customer", "otep_client_locker_storage")).items
    assert app.statements - before <= 6
    assert [(item.locker_parcel_id, item.status_code) for item in items] == [
        (mine.id, "otep:locker:compartment_reserved")
    ]
    others = {"customer_id": app.ids["customer2"]}
    assert (await app.answer("customer", "otep_client_locker_storage", others)).items == []
    assert len((await app.answer("employee", "otep_client_locker_storage", {"expiring_hours": 48})).items) == 2
    assert (await app.answer("rival", "otep_client_locker_storage")).items == []
