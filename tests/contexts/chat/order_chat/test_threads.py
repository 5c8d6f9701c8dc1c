"""Unread counts, read positions, closing of chats, and removal of messages."""

from typing import Any

from tests.contexts.chat.makers import chat_of, make_chat, read, recipient_access, said
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App
from tests.support.transport import make_order


async def test_unread_counts_messages_of_others_and_read_marks_name_readers(app: App) -> None:
    order = await make_chat(app)
    first = await said(app, "driver", order, "one")
    last = await said(app, "driver", order, "two")
    assert [(await chat_of(app, who, order)).unread for who in ("driver", "customer", "employee")] == [0, 2, 2]
    await app.answer("customer", "mark_chat_read", {"order_id": order, "delivered_up_to": last.id})
    await app.answer("customer", "mark_chat_read", {"order_id": order, "read_up_to": first.id})
    seen = [(each.delivered_to, each.read_by) for each in await read(app, "driver", order)]
    assert seen == [(["customer"], ["customer"]), (["customer"], [])]
    assert (await chat_of(app, "customer", order)).unread == 1


async def test_a_message_read_by_one_dispatcher_is_read_for_the_office(app: App) -> None:
    order = await make_chat(app)
    last = await said(app, "driver", order, "one")
    await app.answer("employee", "mark_chat_read", {"order_id": order, "read_up_to": last.id})
    assert (await chat_of(app, "admin", order)).unread == 0
    await said(app, "admin", order, "two")
    assert (await chat_of(app, "employee", order)).unread == 0


async def test_a_read_mark_never_moves_backwards_or_past_the_last_message(app: App) -> None:
    order = await make_chat(app)
    last = await said(app, "driver", order, "one")
    for said_up_to in (2**53 - 1, 1):
        chat = (await app.answer("customer", "mark_chat_read", {"order_id": order, "read_up_to": said_up_to})).chat
        assert {each.role: each.read_up_to for each in chat.members}["customer"] == last.id


async def test_chats_are_sorted_by_their_newest_message(app: App) -> None:
    older = await make_chat(app)
    newer = await make_order(app, who="customer")
    await make_order(app, who="customer")
    for order in (older, newer):
        await said(app, "customer", order, "Hello")
        app.clock.forward(minutes=1)
    listed = await app.answer("employee", "list_order_chats")
    assert [each.order_id for each in listed.chats] == [newer, older]
    assert (listed.total, listed.unread_total) == (2, 2)
    page = await app.answer("employee", "list_order_chats", {"page": 2, "per_page": 1})
    assert [each.order_id for each in page.chats] == [older]
    assert [each.order_id for each in (await app.answer("driver", "list_order_chats")).chats] == [older]
    last = (await chat_of(app, "employee", newer)).last_message_id
    await app.answer("employee", "mark_chat_read", {"order_id": newer, "read_up_to": last})
    unread = await app.answer("employee", "list_order_chats", {"unread": True})
    assert [each.order_id for each in unread.chats] == [older]
    asked = {"order_ids": [older, newer]}
    assert [each.order_id for each in (await app.answer("driver", "list_order_chats", asked)).chats] == [older]


async def test_a_chat_closes_a_few_hours_after_its_order_ends(app: App) -> None:
    order = await make_chat(app)
    await app.answer("admin", "set_chat_settings", {"grace_hours": 2})
    await app.answer("admin", "cancel_order", {"order_id": order}, confirmed=True)
    app.clock.forward(minutes=119)
    await said(app, "customer", order, "Why?")
    app.clock.forward(minutes=1)
    access = {"access": await recipient_access(app, order)}
    for who, operation, values in (
        ("customer", "send_chat_message", {"order_id": order, "text": "Why?"}),
        (None, "send_delivery_chat_message", {**access, "text": "Why?"}),
    ):
        result = await app.call(who, operation, values)
        assert result.error
        assert result.error["code"] == "CHAT_CLOSED"
    chat = await chat_of(app, "customer", order)
    assert (chat.open, chat.can_write, chat.closes_at.isoformat()) == (False, False, "2026-06-10T12:00:00-04:00")
    assert len(await read(app, "customer", order)) == 1


async def test_a_reported_message_is_removed_with_its_photo_and_its_sender_is_blocked(app: App) -> None:
    order = await make_chat(app)
    photo = {"content": PHOTO["content"], "media_type": "image/png"}
    bad = (await app.answer("customer", "send_chat_photo", {"order_id": order, **photo})).message
    asked = {"order_id": order, "message_id": bad.id, "reason": "abuse", "note": "look"}
    for _ in range(2):
        await app.answer("driver", "report_chat_message", asked)
    (report,) = (await app.answer("employee", "list_chat_reports", {"status": "open"})).reports
    assert (report.reporter, report.message.id, report.note) == ("driver", bad.id, "look")
    resolved = await app.answer(
        "employee", "resolve_chat_report", {"report_id": report.id, "hide": True, "block": True}
    )
    assert resolved.report.status == "hidden"
    (message,) = await read(app, "driver", order)
    assert (message.hidden, message.photo) == (True, None)
    assert (await app.rest("admin", "GET", f"/v1/files/{bad.photo}")).status_code == 404
    assert await _code(app, "customer", "send_chat_message", {"order_id": order, "text": "x"}) == "CHAT_BLOCKED"
    again = {"report_id": report.id, "hide": False}
    assert await _code(app, "employee", "resolve_chat_report", again) == "CHAT_REPORT_RESOLVED"
    await app.answer("employee", "block_chat_role", {"order_id": order, "role": "customer", "blocked": False})
    await said(app, "customer", order, "Sorry")


async def test_a_recipient_can_report_and_mark_messages_without_an_account(app: App) -> None:
    order = await make_chat(app)
    message = await said(app, "driver", order, "Hello")
    access = {"access": await recipient_access(app, order)}
    marked = await app.answer(None, "mark_delivery_chat_read", {**access, "read_up_to": message.id})
    assert marked.chat.unread == 0
    assert (await read(app, "driver", order))[0].read_by == ["recipient"]
    asked = {**access, "message_id": message.id, "reason": "privacy"}
    await app.answer(None, "report_delivery_chat_message", asked)
    (report,) = (await app.answer("admin", "list_chat_reports")).reports
    assert report.reporter == "recipient"
    other = await make_order(app, who="customer2")
    elsewhere = {**asked, "access": await recipient_access(app, other)}
    assert await _code(app, None, "report_delivery_chat_message", elsewhere) == "NOT_FOUND"


async def test_a_muted_chat_still_receives_messages(app: App) -> None:
    order = await make_chat(app)
    until = "2026-06-10T18:00:00-04:00"
    chat = (await app.answer("customer", "mute_order_chat", {"order_id": order, "until": until})).chat
    assert chat.muted_until.isoformat() == until
    await said(app, "driver", order, "Hello")
    assert (await chat_of(app, "customer", order)).unread == 1
    ended = await app.answer("customer", "mute_order_chat", {"order_id": order, "until": None})
    assert ended.chat.muted_until is None


async def test_settings_refuse_a_duplicate_code(app: App) -> None:
    await make_chat(app)
    reply = {"texts": {"en": "Hello"}, "roles": ["driver"]}
    for codes in (["thank_you"], ["dock", "dock"]):
        replies = [{"code": code, **reply} for code in codes]
        assert await _code(app, "admin", "set_chat_settings", {"quick_replies": replies}) == "INVALID_REQUEST"


async def test_messages_about_an_erased_persons_orders_are_erased(app: App) -> None:
    order = await make_chat(app)
    await said(app, "customer", order, "My code is 4711")
    await app.answer("admin", "cancel_order", {"order_id": order}, confirmed=True)
    await app.answer("admin", "disable_user", {"user_id": app.ids["customer"]})
    await app.answer("admin", "erase_personal_data", {"user_id": app.ids["customer"]}, confirmed=True)
    await app.work_off()
    assert [each.text for each in await read(app, "admin", order)] == ["[erased]"]


async def _code(app: App, who: str | None, operation: str, values: dict[str, Any]) -> str:
    result = await app.call(who, operation, values)
    assert result.error
    return result.error["code"]
