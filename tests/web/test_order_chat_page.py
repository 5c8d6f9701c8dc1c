"""The chat of an order as a page, and beside the journey for its recipient."""

from typing import Any

import httpx
from tests.contexts.chat.makers import make_chat, said
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App
from tests.web.page_client import get_page, page_text, session_cookie

from haulier.web.session import csrf_token_of


async def ask(app: App, who: str, order_id: int, operation: str, **values: Any) -> httpx.Response:
    app.http.cookies.clear()
    headers = {"cookie": session_cookie(app, who), "x-csrf": csrf_token_of(app.tokens[who])}
    path = f"/orders/{order_id}/chat/ask/{operation}"
    return await app.http.post(path, json={"order_id": order_id, **values}, headers=headers)


async def test_users_with_access_to_the_order_can_open_its_chat_page(app: App) -> None:
    order = await make_chat(app)
    for who in ("employee", "driver", "customer"):
        page = await get_page(app, f"/orders/{order}/chat", who)
        assert page.status_code == 200
        assert f"Chat about order {order}" in page_text(page)
    assert (await get_page(app, f"/orders/{order}/chat", "driver2")).status_code == 404
    assert (await get_page(app, f"/orders/{order}/chat")).status_code == 303
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": False})
    assert (await get_page(app, f"/orders/{order}/chat", "employee")).status_code == 409


async def test_the_page_script_reads_and_writes_only_for_its_session(app: App) -> None:
    order = await make_chat(app)
    sent = await ask(app, "employee", order, "send_chat_message", text="Which door?")
    assert sent.status_code == 200, sent.text
    listed = await ask(app, "driver", order, "list_chat_messages")
    assert [each["text"] for each in listed.json()["messages"]] == ["Which door?"]
    assert (await ask(app, "driver2", order, "list_chat_messages")).status_code == 404
    assert (await ask(app, "employee", order, "cancel_order")).status_code == 404
    path = f"/orders/{order}/chat/ask/send_chat_message"
    forged = await app.http.post(path, json={}, headers={"cookie": session_cookie(app, "employee"), "x-csrf": "guess"})
    assert forged.status_code == 403


async def test_a_photo_is_shown_to_users_with_access_to_the_order(app: App) -> None:
    order = await make_chat(app)
    photo = {"content": PHOTO["content"], "media_type": "image/png"}
    file_id = (await app.answer("driver", "send_chat_photo", {"order_id": order, **photo})).message.photo
    path = f"/orders/{order}/chat/photos/{file_id}"
    shown = await get_page(app, path, "customer")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    assert (await get_page(app, path, "customer2")).status_code == 404


async def test_a_verified_recipient_can_chat_on_the_tracking_page(app: App) -> None:
    order = await make_chat(app)
    number = (await app.answer("admin", "get_order_detail", {"order_id": order})).order.tracking_number
    path = f"/track/{number}"
    app.http.cookies.clear()
    assert "Write to the driver" not in page_text(await app.http.get(path))
    assert (await app.http.post(f"{path}/open", data={"proof": "M5V 2T6"})).status_code == 303
    page = await app.http.get(path)
    assert "Write to the driver and the dispatcher" in page_text(page)
    csrf = {"x-csrf": csrf_token_of(app.http.cookies["haulier_delivery"])}
    asked = f"{path}/chat/ask/send_delivery_chat_message"
    assert (await app.http.post(asked, json={"text": "Blue door"})).status_code == 401
    assert (await app.http.post(asked, json={"text": "Blue door"}, headers=csrf)).status_code == 200
    assert (await app.http.post(asked, content=b"[", headers=csrf)).status_code == 422
    await said(app, "driver", order, "Thank you")
    read = await app.http.post(f"{path}/chat/ask/get_delivery_chat", json={"order": "oldest"}, headers=csrf)
    assert [each["text"] for each in read.json()["page"]["messages"]] == ["Blue door", "Thank you"]
    photo = {"content": PHOTO["content"], "media_type": "image/png"}
    message = (await app.answer("driver", "send_chat_photo", {"order_id": order, **photo})).message
    assert (await app.http.get(f"{path}/chat/photos/{message.id}")).headers["content-type"] == "image/png"
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": False})
    assert "Write to the driver" not in page_text(await app.http.get(path))


async def test_chat_links_are_shown_where_the_business_uses_chat(app: App) -> None:
    order = await make_chat(app)
    pages = {"/go": "driver", "/dispatch": "employee", f"/desk/orders/{order}": "employee"}
    marks = {
        "/go": 'name="order-chat"',
        "/dispatch": 'id="chosen-chat"',
        f"/desk/orders/{order}": f"/orders/{order}/chat",
    }
    for enabled in (True, False):
        await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": enabled})
        shown = {path: marks[path] in (await get_page(app, path, who)).text for path, who in pages.items()}
        assert shown == dict.fromkeys(pages, enabled)


async def test_the_settings_offer_push_notifications(app: App) -> None:
    settings = "/desk/sections/messages"
    assert 'id="alerts"' not in (await get_page(app, settings, "admin")).text, "the business does not chat yet"
    await make_chat(app)
    for who in ("admin", "customer"):
        page = (await get_page(app, settings, who)).text
        assert '<section id="alerts" aria-labelledby="alerts-title" hidden>' in page, "a script shows it"
    driver = (await get_page(app, settings, "driver")).text
    assert 'href="/go#offers"' in driver
    assert "alerts-place" not in driver, "one device is not told twice"
    worker = await app.http.get("/push/worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert '"fetch"' not in worker.text, "it answers for no page"
    assert '"fetch"' in (await app.http.get("/go/worker.js")).text
