"""Participants of an order exchange messages in its chat."""

import asyncio
from typing import Any

from tests.contexts.chat.makers import chat_of, make_chat, read, recipient_access, said
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App
from tests.support.transport import set_order


async def test_customer_driver_and_office_share_one_thread(app: App) -> None:
    order = await make_chat(app)
    await said(app, "customer", order, "Which door?")
    await said(app, "driver", order, "The blue one?")
    await said(app, "employee", order, "Yes, the blue one.")
    seen = [(each.sender.role, each.text, each.sender.mine) for each in await read(app, "customer", order)]
    assert seen == [
        ("customer", "Which door?", True),
        ("driver", "The blue one?", False),
        ("dispatcher", "Yes, the blue one.", False),
    ]


async def test_a_recipient_without_an_account_writes_from_the_tracking_page(app: App) -> None:
    order = await make_chat(app)
    access = {"access": await recipient_access(app, order)}
    await said(app, "driver", order, "I am at the gate.")
    sent = await app.answer(None, "send_delivery_chat_message", {**access, "quick_reply": "coming_to_the_door"})
    assert sent.message.sender.role == "recipient"
    seen = (await app.answer(None, "get_delivery_chat", {**access, "order": "oldest"})).page.messages
    assert [each.text for each in seen] == ["I am at the gate.", "I am coming to the door."]
    assert (await read(app, "driver", order))[1].quick_reply == "coming_to_the_door"


async def test_staff_names_and_driver_surnames_are_not_shown_outside(app: App) -> None:
    order = await make_chat(app)
    await said(app, "employee", order, "Hello")
    await said(app, "driver", order, "Hello")
    assert [each.sender.name for each in await read(app, "customer", order)] == [None, "Driver"]
    assert [each.sender.name for each in await read(app, "driver", order)] == ["Employee", "Driver"]


async def test_quick_replies_are_shown_in_each_readers_language(app: App) -> None:
    order = await make_chat(app)
    own = {"code": "dock", "texts": {"en": "At the dock.", "fr": "Au quai."}, "roles": ["driver"]}
    await app.answer("admin", "set_chat_settings", {"quick_replies": [own]})
    for code in ("at_the_door", "dock"):
        await app.answer("driver", "send_chat_message", {"order_id": order, "quick_reply": code})
    await app.answer("admin", "set_chat_settings", {})
    texts = {
        language: [each.text for each in await _read_in(app, order, language)] for language in ("fr", "de", "zh-TW")
    }
    assert texts == {
        "fr": ["Je suis devant la porte.", "Au quai."],
        "de": ["Ich stehe vor der Tür.", "At the dock."],
        "zh-TW": ["我已到門口。", "At the dock."],
    }


async def _read_in(app: App, order: int, language: str) -> list[Any]:
    asked = {"order_id": order, "order": "oldest"}
    return (await app.answer("customer", "list_chat_messages", asked, accept_language=language)).messages


async def test_a_quick_reply_of_another_role_is_refused(app: App) -> None:
    order = await make_chat(app)
    result = await app.call("customer", "send_chat_message", {"order_id": order, "quick_reply": "on_my_way"})
    assert result.error
    assert result.error["code"] == "QUICK_REPLY_UNKNOWN"


async def test_a_photo_can_be_opened_by_anyone_with_access_to_the_order(app: App) -> None:
    order = await make_chat(app)
    photo = {"content": PHOTO["content"], "media_type": "image/png"}
    message = (await app.answer("driver", "send_chat_photo", {"order_id": order, **photo})).message
    for who in ("driver", "customer", "employee"):
        opened = await app.rest(who, "GET", f"/v1/files/{message.photo}")
        assert opened.status_code == 200, opened.text
    for who in ("customer2", "driver2", "rival"):
        assert (await app.rest(who, "GET", f"/v1/files/{message.photo}")).status_code == 404
    access = {"access": await recipient_access(app, order), "message_id": message.id}
    assert (await app.answer(None, "get_delivery_chat_photo", access)).content == photo["content"]
    sent = await app.answer(None, "send_delivery_chat_photo", {"access": access["access"], **photo})
    assert (await app.rest("driver", "GET", f"/v1/files/{sent.message.photo}")).status_code == 200


async def test_a_location_keeps_its_accuracy(app: App) -> None:
    order = await make_chat(app)
    place = {"lat": 43.65, "lng": -79.38, "accuracy_m": 12}
    await app.answer("driver", "send_chat_message", {"order_id": order, "location": place})
    (message,) = await read(app, "customer", order)
    assert (message.location.lat, message.location.lng, message.location.accuracy_m) == (43.65, -79.38, 12)


async def test_a_message_has_exactly_one_type_of_content(app: App) -> None:
    order = await make_chat(app)
    for content in ({}, {"text": "a", "quick_reply": "thank_you"}, {"text": "  "}):
        result = await app.call("driver", "send_chat_message", {"order_id": order, **content})
        assert result.status == 422


async def test_a_resent_message_is_stored_once(app: App) -> None:
    order = await make_chat(app)
    first, again = [await said(app, "driver", order, "Hello", client_ref="phone-1") for _ in range(2)]
    assert first.id == again.id
    other = await said(app, "customer", order, "Hello", client_ref="phone-1")
    assert other.id != first.id
    assert (await chat_of(app, "driver", order)).message_count == 2


async def test_concurrent_messages_have_one_order(app: App) -> None:
    order = await make_chat(app)
    await asyncio.gather(*(said(app, who, order, f"{who} {n}") for n in range(5) for who in ("driver", "customer")))
    messages = await read(app, "employee", order)
    assert len({each.text for each in messages}) == 10
    assert [each.id for each in messages] == sorted(each.id for each in messages)
    assert (await chat_of(app, "employee", order)).last_message_id == messages[-1].id


async def test_history_pages_backwards_and_live_updates_continue(app: App) -> None:
    order = await make_chat(app)
    for number in range(5):
        await said(app, "driver", order, str(number))
    pages, cursor = [], None
    while True:
        asked = {"order_id": order, "limit": 2, "cursor": cursor} if cursor else {"order_id": order, "limit": 2}
        page = await app.answer("customer", "list_chat_messages", asked)
        pages.append([each.text for each in page.messages])
        if not (cursor := page.next_cursor):
            break
    assert pages == [["4", "3"], ["2", "1"], ["0"]]
    live = (await app.answer("customer", "list_chat_messages", {"order_id": order, "limit": 1})).live_cursor
    assert await read(app, "customer", order, cursor=live) == []
    await said(app, "driver", order, "new")
    assert [each.text for each in await read(app, "customer", order, cursor=live)] == ["new"]


async def test_users_without_access_to_the_order_cannot_see_its_chat(app: App) -> None:
    order = await make_chat(app)
    await said(app, "driver", order, "Hello")
    await app.answer("rival", "set_feature", {"feature": "order_chat", "enabled": True})
    for who in ("driver2", "customer2", "contractor", "rival", "rival_driver"):
        for operation, values in (
            ("get_order_chat", {}),
            ("list_chat_messages", {}),
            ("send_chat_message", {"text": "x"}),
            ("mark_chat_read", {"read_up_to": 1}),
        ):
            result = await app.call(who, operation, {"order_id": order, **values})
            assert result.status == 404, (who, operation)


async def test_a_driver_who_hands_over_the_order_receives_no_more_messages(app: App) -> None:
    order = await make_chat(app)
    await said(app, "driver", order, "Hello")
    await set_order(app, order, driver_id=app.ids["driver2"])
    assert (await app.call("driver", "list_chat_messages", {"order_id": order})).status == 404
    assert (await app.answer("driver", "list_order_chats")).chats == []
    assert [each.text for each in await read(app, "driver2", order)] == ["Hello"]


async def test_a_business_with_chat_disabled_returns_409(app: App) -> None:
    order = await make_chat(app)
    access = {"access": await recipient_access(app, order)}
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": False})
    signed_in = await app.rest("driver", "GET", f"/v1/order-chats/{order}")
    without = await app.rest(None, "POST", "/v1/tracking/deliveries/chat/read", access)
    for answer in (signed_in, without):
        assert answer.status_code == 409
        assert {"result": False, "feature_enabled": False}.items() <= answer.json().items()


async def test_statement_count_does_not_grow_with_the_chat(app: App) -> None:
    order = await make_chat(app)
    await said(app, "driver", order, "0")
    await said(app, "customer", order, "0")
    before = app.statements
    await read(app, "employee", order)
    few = app.statements - before
    for number in range(30):
        await said(app, "driver", order, str(number))
    before = app.statements
    assert len(await read(app, "employee", order)) == 32
    assert app.statements - before == few


async def test_reusing_a_message_id_with_other_text_is_refused(app: App) -> None:
    order = await make_chat(app)
    message = {"order_id": order, "text": "Hello", "client_ref": "phone-1"}
    await app.answer("customer", "send_chat_message", message)
    for other in (
        {**message, "text": "Bye"},
        {"order_id": order, "client_ref": "phone-1", "location": {"lat": 1, "lng": 2}},
    ):
        refused = await app.call("customer", "send_chat_message", other)
        assert refused.error
        assert (refused.status, refused.error["code"]) == (409, "CLIENT_KEY_REUSED")
        assert "text" in {each["field"] for each in refused.error["errors"]}
