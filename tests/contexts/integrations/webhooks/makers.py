"""Setup of webhook tests: endpoints at a local receiver, and events."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.adapters.fake_webhook_receiver import FakeReceiver, run_receiver
from tests.support.app import App

from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.integrations.ports import WebhookSender

PLACE = {"name": "Ann", "address": "1 Main", "city": "Toronto", "country": "CA"}


@contextmanager
def make_local_receiver(app: App, timeout_s: float = 5.0) -> Iterator[FakeReceiver]:
    """Yield a receiver on this machine that Haulier may post to."""
    app.application.adapters = {
        **app.application.adapters,
        WebhookSender: HttpWebhookSender(private=True, timeout_s=timeout_s),
    }
    with run_receiver() as receiver:
        yield receiver


async def set_endpoints(app: App, *endpoints: dict[str, Any], who: str = "admin") -> Any:
    """The settings after these endpoints were set."""
    return await app.answer(who, "update_webhook_settings", {"endpoints": list(endpoints)})


async def make_endpoint(app: App, url: str, *events: str, who: str = "admin", **words: Any) -> Any:
    """The only endpoint of a client, with its secret."""
    settings = await set_endpoints(app, {"url": url, "events": list(events or ("*",)), **words}, who=who)
    return settings.endpoints[0]


async def make_order(app: App, who: str = "admin", **words: Any) -> Any:
    """A new order."""
    return (await app.answer(who, "create_order", {"consignee": PLACE, **words})).order


async def list_deliveries(app: App, who: str = "admin", **asked: Any) -> list[Any]:
    """The log, newest first."""
    return (await app.answer(who, "get_webhook_delivery_logs", asked)).deliveries


async def get_delivery(app: App, id: int) -> Any:
    """One delivery with its attempts."""
    return (await app.answer("admin", "get_webhook_delivery_log", {"delivery_log_id": id})).delivery
