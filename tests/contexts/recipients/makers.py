"""Setup of recipient tests: mailbox, phone, configured messages and deliveries."""

from typing import Any, TypeVar

from tests.contexts.customer_apps.customer_app import Phones
from tests.contexts.driver_app.makers import make_upload
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App
from tests.support.transport import make_contact, make_started_route

from haulier.contexts.messaging.ports import SmsSender

MAILBOX, PHONE = "ada@home.example", "+14165550123"
EVERY_MESSAGE = (
    "accepted",
    "scheduled",
    "out_for_delivery",
    "stops_before",
    "missed",
    "delivered",
    "returned",
    "cancelled",
    "ready_for_pickup",
)
WINDOW: dict[str, Any] = {"window_start": "2026-06-12T10:00:00-04:00", "window_end": "2026-06-12T12:00:00-04:00"}


PhonesOfAKind = TypeVar("PhonesOfAKind", bound=Phones)


def use_phones(app: App, phones: PhonesOfAKind) -> PhonesOfAKind:
    """From now on texts go to these phones."""
    adapters: Any = app.application.adapters
    adapters[SmsSender] = phones
    return phones


async def tell_recipients(app: App, channel: str = "email", **words: Any) -> None:
    """The business wants every message sent, one way."""
    await app.answer("admin", "set_recipient_messages", {**dict.fromkeys(EVERY_MESSAGE, channel), **words})


def make_recipient(number: int = 0, **words: Any) -> dict[str, Any]:
    """Return a recipient with contact data; other numbers live elsewhere."""
    at = {"email": f"ada{number}@home.example"} if number else {"email": MAILBOX}
    return make_contact(phone=PHONE, **{**at, **words})


async def make_awaited_order(app: App, number: int = 0, who: str = "admin", **words: Any) -> Any:
    """An order whose recipient can be written to."""
    asked = {"consignee": make_recipient(number), "scheduled_date": "2026-06-10", **words}
    return (await app.answer(who, "create_order", asked)).order


async def mails_to(app: App, to: str = MAILBOX) -> list[str]:
    """The subjects of what arrived in a mailbox, oldest first."""
    return [mail.subject for mail in await received_mails(app, to)]


async def messages_about(app: App, order_id: int) -> list[tuple[str, str, str]]:
    """Return message, channel and state of each message, as staff see them."""
    listed = (await app.answer("admin", "list_order_messages", {"order_id": order_id})).messages
    return [(each.message, each.transport, each.state) for each in listed]


async def make_delivered_order(app: App) -> tuple[Any, int]:
    """Create a delivered order of the customer, with its photo."""
    order = await make_awaited_order(app, who="customer")
    route = await make_started_route(app, [order.id])
    photo = await make_upload(app, route.stops[0].id)
    done = {"route_id": route.id, "stop_id": route.stops[0].id, "recipient": "B. Roy", "photos": ["photo-0001"]}
    await app.answer("driver", "rider_deliver", done)
    return order, photo.file_id
