"""Errors of chats: closed chats, blocked users, and recipients without access."""

from typing import Any

from tests.contexts.chat.examples import BROWSER
from tests.contexts.chat.makers import make_chat, recipient_access, said
from tests.invariants.dry_run_steps import PHOTO
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import set_order


async def scene(app: App) -> dict[str, Any]:
    """Create open, closed and blocked chats, and a resolved report."""
    ids: dict[str, Any] = {}
    for name in ("open", "over", "stopped"):
        ids[name] = await make_chat(app)
        ids[f"a_{name}"] = await recipient_access(app, ids[name])
        ids[f"m_{name}"] = (await said(app, "customer", ids[name], "Hello", client_ref="said")).id
    await app.answer(None, "send_delivery_chat_message", {"access": ids["a_stopped"], "text": "Hello"})
    await app.answer(
        None, "send_delivery_chat_message", {"access": ids["a_open"], "text": "Hello", "client_ref": "said"}
    )
    for role in ("customer", "recipient"):
        await app.answer("admin", "block_chat_role", {"order_id": ids["stopped"], "role": role, "blocked": True})
    await app.answer("admin", "set_chat_settings", {"grace_hours": 0})
    await app.answer("admin", "cancel_order", {"order_id": ids["over"]}, confirmed=True)
    await set_order(app, ids["open"], driver_id=app.ids["driver"])
    reported = {"order_id": ids["open"], "message_id": ids["m_open"], "reason": "other"}
    await app.answer("driver", "report_chat_message", reported)
    (report,) = (await app.answer("admin", "list_chat_reports")).reports
    await app.answer("admin", "resolve_chat_report", {"report_id": report.id, "hide": False})
    return {**ids, "report": report.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    guessed = {"access": "hldelivery_guessed_guessed"}
    found: dict[tuple[str, str], Any] = {}
    for code, name in {"CHAT_CLOSED": "over", "CHAT_BLOCKED": "stopped"}.items():
        order, mine = {"order_id": ids[name]}, {"access": ids[f"a_{name}"]}
        found["send_chat_message", code] = ("customer", {**order, "text": "Hello"})
        found["send_chat_photo", code] = ("customer", {**order, **PHOTO})
        found["send_delivery_chat_message", code] = (None, {**mine, "text": "Hello"})
        found["send_delivery_chat_photo", code] = (None, {**mine, **PHOTO})
    order, mine = {"order_id": ids["open"], "client_ref": "said"}, {"access": ids["a_open"], "client_ref": "said"}
    found["send_chat_message", "CLIENT_KEY_REUSED"] = ("customer", {**order, "text": "Bye"})
    found["send_chat_photo", "CLIENT_KEY_REUSED"] = ("customer", {**order, **PHOTO})
    found["send_delivery_chat_message", "CLIENT_KEY_REUSED"] = (None, {**mine, "text": "Bye"})
    found["send_delivery_chat_photo", "CLIENT_KEY_REUSED"] = (None, {**mine, **PHOTO})
    unknown = {"quick_reply": "on_my_way"}
    found["send_chat_message", "QUICK_REPLY_UNKNOWN"] = ("customer", {"order_id": ids["open"], **unknown})
    found["send_delivery_chat_message", "QUICK_REPLY_UNKNOWN"] = (None, {"access": ids["a_open"], **unknown})
    found["resolve_chat_report", "CHAT_REPORT_RESOLVED"] = ("admin", {"report_id": ids["report"], "hide": True})
    mine = {"access": ids["a_open"], "message_id": 2**52}
    found["report_delivery_chat_message", "NOT_FOUND"] = (None, {**mine, "reason": "other"})
    found["get_delivery_chat_photo", "NOT_FOUND"] = (None, mine)
    found["remove_delivery_push_device", "NOT_FOUND"] = (None, {"access": ids["a_open"], "device_id": 2**52})
    app_of = {"kind": "fcm", "address": "a-registration-token"}
    found["register_push_device", "PUSH_KIND_OFF"] = ("driver", app_of)
    found["register_delivery_push_device", "PUSH_KIND_OFF"] = (None, {"access": ids["a_open"], **app_of})
    more: dict[str, dict[str, Any]] = {
        "get_delivery_chat": {},
        "send_delivery_chat_message": {"text": "Hello"},
        "send_delivery_chat_photo": PHOTO,
        "mark_delivery_chat_read": {"read_up_to": 1},
        "report_delivery_chat_message": {"message_id": 1, "reason": "other"},
        "get_delivery_chat_photo": {"message_id": 1},
        "open_delivery_chat_channel": {},
        "register_delivery_push_device": BROWSER,
        "list_delivery_push_devices": {},
        "remove_delivery_push_device": {"device_id": 1},
    }
    for name, words in more.items():
        found[name, "DELIVERY_ACCESS_INVALID"] = (None, {**guessed, **words})
    return found
