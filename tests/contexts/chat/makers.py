"""Setup of chat tests: a business with chat, an order with a driver, and messages."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_order, set_order

POSTAL_CODE = "M5V 2T6"


async def make_chat(app: App, **words: Any) -> int:
    """Create an order with a driver at a business with chat; return its id."""
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": True})
    order_id = await make_order(app, who="customer", **words)
    await set_order(app, order_id, driver_id=app.ids["driver"])
    return order_id


async def said(app: App, who: str, order_id: int, text: str, **words: Any) -> Any:
    """Send a message as a user."""
    asked = {"order_id": order_id, "text": text, **words}
    return (await app.answer(who, "send_chat_message", asked)).message


async def read(app: App, who: str, order_id: int, **words: Any) -> list[Any]:
    """Return the messages as a user sees them, oldest first."""
    asked = {"order_id": order_id, "order": "oldest", **words}
    return (await app.answer(who, "list_chat_messages", asked)).messages


async def chat_of(app: App, who: str, order_id: int) -> Any:
    """Return the chat as a user sees it."""
    return (await app.answer(who, "get_order_chat", {"order_id": order_id})).chat


async def recipient_access(app: App, order_id: int) -> str:
    """The recipient's access to their delivery, after the proof on the tracking page."""
    number = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.tracking_number
    opened = await app.answer(None, "open_delivery", {"number": number, "proof": POSTAL_CODE})
    return opened.access
