"""Chat messages about an order of `business.py`."""

from typing import Any

from tests.contexts.chat.examples import BROWSER
from tests.support.app import App

from haulier.contexts.messaging.public import TicketHolder, issue_ticket, make_topic
from haulier.kernel.call import call_as_system

MARK = "Only-For-Demo-Eyes"


async def chats(app: App, order_id: int) -> dict[str, Any]:
    """Create a reported message, quick replies and a chat with the broker."""
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": True})
    reply = {"code": "demo", "texts": {"en": MARK}, "roles": ["driver"]}
    await app.answer("admin", "set_chat_settings", {"quick_replies": [reply]})
    named = {"order_id": order_id}
    message = (await app.answer("admin", "send_chat_message", {**named, "text": MARK})).message
    reported = {**named, "message_id": message.id, "reason": "other", "note": MARK}
    await app.answer("admin", "report_chat_message", reported)
    (report,) = (await app.answer("admin", "list_chat_reports", {"status": "open"})).reports[:1]
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        holder = TicketHolder(about="order_chat", about_id=order_id, holder="dispatcher:1")
        await issue_ticket(call, holder, subscribe=[make_topic("haulier", "order-chat", call.client_id, order_id)])
    device = (await app.answer("admin", "register_push_device", {**BROWSER, "name": MARK})).device
    return {"push_device_id": device.id, "message_id": message.id, "report_id": report.id}
