"""Offline locker banks check codes for a day; their openings are settled later."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.contexts.lockers.makers import (
    Cabinet,
    deposited,
    drop_off,
    make_cabinet,
    make_return,
    parcel_now,
    refusal,
    reserved,
)
from tests.support.app import App

from haulier.contexts.identity.ports import Mailer
from haulier.simulation.lockers.offline import OfflineKeypad


async def make_keypad(cabinet: Cabinet) -> OfflineKeypad:
    """The keypad of a cabinet that has just asked what it may judge by itself."""
    keypad = OfflineKeypad(cabinet.credential)
    answer = await cabinet.says("get_offline_codes")
    now = cabinet.app.clock()
    keypad.learn(
        {
            "prefix": answer.prefix,
            "server_time": now.isoformat(),
            "tries_max": answer.tries_max,
            "rest_s": answer.rest_s,
            "codes": [{name: getattr(each, name) for name in each.__struct_fields__} for each in answer.codes],
        },
        now,
    )
    return keypad


async def make_parcel_with_code(app: App, cabinet: Cabinet, **terms: Any) -> tuple[Any, str]:
    parcel = await deposited(app, cabinet, **terms)
    return parcel, (await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})).code


async def make_reserved_parcel_with_code(app: App, cabinet: Cabinet, **terms: Any) -> tuple[Any, str]:
    """A parcel that a courier is to put in, and the code with which they do."""
    parcel = await reserved(app, cabinet.site_id, **terms)
    return parcel, (await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})).code


def opened(cabinet: Cabinet, parcel: Any, at: datetime, **said: Any) -> dict[str, Any]:
    """Return a journal entry of an opened compartment, by its recipient by default."""
    cabinet.sequence += 1
    door = {"code_id": parcel.id, "box": parcel.box, "purpose": "collect"}
    return {"sequence": cabinet.sequence, "opened_at": at.isoformat(), **door, **said}


async def tell(app: App, cabinet: Cabinet, *openings: dict[str, Any], **said: Any) -> list[str]:
    """Say the journal; what was made of each door."""
    now = {"sent_at": app.clock().isoformat(), **said}
    return [
        each.status for each in (await cabinet.says("report_offline_openings", openings=list(openings), **now)).openings
    ]


async def test_a_code_opens_its_compartment_offline_once_until_it_expires(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, code = await make_parcel_with_code(app, cabinet)
    keypad, now = await make_keypad(cabinet), app.clock()
    grant = keypad.judge(code, now)
    assert grant
    assert (grant["code_id"], grant["box"], grant["purpose"]) == (parcel.id, parcel.box, "collect")
    keypad.note(9, grant, now, "done")
    assert keypad.judge(code, now) is None, "a code opens once"
    later = await make_keypad(cabinet)
    assert later.judge(code, now + timedelta(hours=25)) is None, "the codes of yesterday open nothing"
    assert later.judge(code, now - timedelta(hours=1)) is None


async def test_tampered_or_foreign_offline_data_opens_nothing(app: App) -> None:
    cabinet, other = await make_cabinet(app), await make_cabinet(app)
    _, code = await make_parcel_with_code(app, cabinet)
    answer = await cabinet.says("get_offline_codes")
    assert code not in str(answer)
    now = app.clock()
    known = {
        "server_time": now.isoformat(),
        **{name: getattr(answer, name) for name in ("prefix", "tries_max", "rest_s")},
    }
    (grant,) = [{name: getattr(each, name) for name in each.__struct_fields__} for each in answer.codes]
    for changed in ({"box": grant["box"] + 1}, {"not_after": grant["not_after"] + 1}, {"purpose": "deposit"}):
        keypad = OfflineKeypad(cabinet.credential)
        keypad.learn({**known, "codes": [{**grant, **changed}]}, now)
        assert keypad.judge(code, app.clock()) is None
    stolen = OfflineKeypad(other.credential)
    stolen.learn({**known, "codes": [grant]}, now)
    assert stolen.judge(code, app.clock()) is None
    assert (await other.says("get_offline_codes")).codes == []


async def test_wrong_codes_are_counted_offline_and_the_count_continues_online(app: App) -> None:
    cabinet = await make_cabinet(app)
    _, code = await make_parcel_with_code(app, cabinet)
    keypad, now = await make_keypad(cabinet), app.clock()
    wrong = f"{(int(code) + 1) % 10**8:08}"
    for _ in range(5):
        assert keypad.judge(wrong, now) is None
    assert keypad.judge(code, now) is None, "the keypad rests"
    assert keypad.judge(code, now + timedelta(minutes=16))
    await tell(app, cabinet, wrong_codes=4)
    verdict = await cabinet.says("present_locker_code", code=wrong)
    assert (verdict.accepted, verdict.tries_left) == (False, 0)


async def test_repeated_and_parallel_journal_uploads_apply_each_door_event_once_at_its_own_time(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, _ = await make_parcel_with_code(app, cabinet)
    happened = app.clock()
    app.clock.forward(hours=3)
    # The device clock is ahead by two hours, and its frame shows the difference.
    ahead = timedelta(hours=2)
    entry = opened(cabinet, parcel, happened + ahead)
    frame = cabinet.frame(sent_at=(app.clock() + ahead).isoformat(), openings=[entry])
    answers = await asyncio.gather(*(app.answer(None, "report_offline_openings", frame) for _ in range(6)))
    statuses = sorted(each.openings[0].status for each in answers)
    assert statuses == ["repeated"] * 5 + ["settled"]
    now = await parcel_now(app, parcel.id)
    assert (now.status, now.ended_at.astimezone(UTC)) == ("collected", happened)
    assert [each.purpose for each in now.accesses] == ["deposit", "collect"]


async def test_another_door_under_a_used_sequence_number_is_refused_by_field(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, _ = await make_parcel_with_code(app, cabinet)
    other, _ = await make_parcel_with_code(app, cabinet)
    entry, later = opened(cabinet, parcel, app.clock()), opened(cabinet, other, app.clock())
    assert await tell(app, cabinet, entry) == ["settled"]
    changed = {**entry, "code_id": other.id, "box": other.box, "outcome": "failed", "fault": "door stuck"}
    frame = cabinet.frame(sent_at=app.clock().isoformat(), openings=[later, changed])
    refused = await app.call(None, "report_offline_openings", frame)
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "CLIENT_KEY_REUSED")
    fields = [each["field"] for each in refused.error["errors"]]
    assert fields == [f"openings.1.{name}" for name in ("code_id", "box", "outcome", "fault")]
    assert (await parcel_now(app, other.id)).status == "deposited", "nothing of a refused journal is recorded"
    assert await tell(app, cabinet, entry, {**later, "opened_at": "2026-01-01T00:00:00Z"}) == ["repeated", "settled"]


async def test_reusing_a_frame_number_for_another_code_is_refused(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, code = await make_parcel_with_code(app, cabinet)
    other, _ = await make_parcel_with_code(app, cabinet)
    await cabinet.says("present_locker_code", code=code)
    entry = {**opened(cabinet, other, app.clock()), "sequence": cabinet.sequence}
    number = cabinet.sequence = cabinet.sequence - 1
    frame = cabinet.frame(sent_at=app.clock().isoformat(), openings=[{**entry, "sequence": number}])
    refused = await app.call(None, "report_offline_openings", frame)
    assert refused.error
    assert (refused.status, [each["field"] for each in refused.error["errors"]]) == (409, ["openings.0.code_id"])
    assert (await parcel_now(app, parcel.id)).id == parcel.id


async def test_a_code_with_a_lost_response_opens_one_door(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, code = await make_parcel_with_code(app, cabinet)
    verdict = await cabinet.says("present_locker_code", code=code)
    number = cabinet.sequence
    assert verdict.command.answers_frame == number
    entry = {**opened(cabinet, parcel, app.clock()), "sequence": number}
    app.clock.forward(minutes=5)
    await app.work_off()
    assert await tell(app, cabinet, entry) == ["settled"]
    assert await tell(app, cabinet, entry) == ["repeated"]
    assert [each.status for each in (await parcel_now(app, parcel.id)).accesses] == ["done", "done"]


async def test_a_parcel_removed_before_expiry_is_collected_even_if_it_expired_meanwhile(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, _ = await make_parcel_with_code(app, cabinet, keep_days=1)
    happened = app.clock()
    app.clock.forward(days=2)
    await app.work_off()
    assert (await parcel_now(app, parcel.id)).status == "expired"
    assert await tell(app, cabinet, opened(cabinet, parcel, happened)) == ["settled"]
    assert (await parcel_now(app, parcel.id)).status == "collected"


async def test_a_compartment_opened_for_a_former_parcel_is_blocked_until_inspected(app: App) -> None:
    cabinet = await make_cabinet(app)
    order_id = await make_return(app)
    made = await drop_off(app, order_id, cabinet)
    keypad = await make_keypad(cabinet)
    grant = keypad.judge(made.code, app.clock())
    assert grant
    assert grant["purpose"] == "deposit"
    ended = {"locker_parcel_id": grant["code_id"], "reason": "changed their mind"}
    await app.answer("admin", "cancel_locker_reservation", ended)
    parcel = await parcel_now(app, grant["code_id"])
    assert await tell(app, cabinet, opened(cabinet, parcel, app.clock(), purpose="deposit")) == ["contradicted"]
    (box,) = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id, "state": "faulty"})).boxes
    assert (box.number, box.fault) == (grant["box"], "opened_offline")


async def test_a_door_stuck_offline_marks_its_compartment_faulty(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, _ = await make_parcel_with_code(app, cabinet)
    failed = opened(cabinet, parcel, app.clock(), outcome="failed", fault="door stuck")
    assert await tell(app, cabinet, failed) == ["settled"]
    (box,) = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id, "state": "faulty"})).boxes
    assert (box.number, (await parcel_now(app, parcel.id)).status) == (parcel.box, "deposited")


async def test_a_locker_reports_only_its_own_events_with_its_credential(app: App) -> None:
    cabinet, other = await make_cabinet(app), await make_cabinet(app)
    parcel, _ = await make_parcel_with_code(app, cabinet)
    assert await tell(app, other, opened(other, parcel, app.clock())) == ["unknown"]
    assert (await parcel_now(app, parcel.id)).status == "deposited"
    await app.answer("admin", "revoke_device", {"device_id": cabinet.device_id}, confirmed=True)
    assert await refusal(app, None, "get_offline_codes", cabinet.frame()) == (401, "DEVICE_UNKNOWN")


async def test_a_device_can_be_excluded_from_offline_codes(app: App) -> None:
    cabinet = await make_cabinet(app)
    await make_parcel_with_code(app, cabinet)
    setting = {"command": "config", "settings": {"offline_codes": "off"}, "reason": "the street is not safe"}
    await app.answer("admin", "send_device_command", {"device_id": cabinet.device_id, **setting}, confirmed=True)
    assert (await cabinet.says("get_offline_codes")).codes == []


class TestCouriers:
    async def test_a_courier_deposits_a_parcel_offline_and_the_recipient_is_notified_later(self, app: App) -> None:
        cabinet = await make_cabinet(app)
        parcel, code = await make_reserved_parcel_with_code(app, cabinet)
        keypad, happened = await make_keypad(cabinet), app.clock()
        grant = keypad.judge(code, happened)
        assert grant
        assert (grant["code_id"], grant["box"], grant["purpose"]) == (parcel.id, parcel.box, "deposit")
        app.clock.forward(hours=2)
        frame = cabinet.frame(
            sent_at=app.clock().isoformat(), openings=[opened(cabinet, parcel, happened, purpose="deposit")]
        )
        answers = await asyncio.gather(*(app.answer(None, "report_offline_openings", frame) for _ in range(4)))
        assert sorted(each.openings[0].status for each in answers) == ["repeated"] * 3 + ["settled"]
        now = await parcel_now(app, parcel.id)
        assert (now.status, now.deposited_at.astimezone(UTC)) == ("deposited", happened)
        await app.work_off()
        told = re.search(r"\b\d{8}\b", app.application.adapter(Mailer).mails[-1].text)
        assert told
        assert told[0] != code
        assert not (await cabinet.says("present_locker_code", code=code)).accepted, "it opens the box no more"

    async def test_a_courier_code_opens_an_online_locker_once(self, app: App) -> None:
        cabinet = await make_cabinet(app)
        parcel, code = await make_reserved_parcel_with_code(app, cabinet)
        verdict = await cabinet.says("present_locker_code", code=code)
        await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
        assert (await parcel_now(app, parcel.id)).status == "deposited"
        assert not (await cabinet.says("present_locker_code", code=code)).accepted

    async def test_a_deposit_in_a_released_compartment_or_a_double_deposit_is_flagged(self, app: App) -> None:
        cabinet = await make_cabinet(app, [{"size": "s", "count": 3}])
        moved, _ = await make_reserved_parcel_with_code(app, cabinet)
        await app.answer("admin", "deposit_locker_parcel", {"locker_parcel_id": moved.id})
        await cabinet.does("failed", fault="door stuck")
        now = await parcel_now(app, moved.id)
        assert (now.status, now.box) != ("reserved", moved.box)
        entry = opened(cabinet, moved, app.clock(), purpose="deposit")
        assert await tell(app, cabinet, entry) == ["contradicted"]
        assert (await parcel_now(app, moved.id)).status == "reserved"
        assert await tell(app, cabinet, opened(cabinet, now, app.clock(), purpose="deposit")) == ["settled"]
        assert await tell(app, cabinet, opened(cabinet, now, app.clock(), purpose="deposit")) == ["contradicted"]
        faulty = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id, "state": "faulty"})).boxes
        assert [(box.number, box.fault) for box in faulty] == [
            (moved.box, "opened_offline"),
            (now.box, "opened_offline"),
        ]

    async def test_a_door_stuck_for_a_courier_gives_the_parcel_another_compartment(self, app: App) -> None:
        cabinet = await make_cabinet(app)
        parcel, code = await make_reserved_parcel_with_code(app, cabinet)
        stuck = opened(cabinet, parcel, app.clock(), purpose="deposit", outcome="failed", fault="door stuck")
        assert await tell(app, cabinet, stuck) == ["settled"]
        now = await parcel_now(app, parcel.id)
        assert now.status == "reserved"
        assert now.box != parcel.box
        grant = (await make_keypad(cabinet)).judge(code, app.clock())
        assert grant
        assert grant["box"] == now.box

    async def test_an_expired_reservation_cannot_be_deposited(self, app: App) -> None:
        cabinet = await make_cabinet(app)
        _, code = await make_reserved_parcel_with_code(app, cabinet, hold_hours=1)
        keypad = await make_keypad(cabinet)
        assert keypad.judge(code, app.clock() + timedelta(minutes=59))
        assert keypad.judge(code, app.clock() + timedelta(minutes=61)) is None
