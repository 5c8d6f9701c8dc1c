"""What stands in a message: the news, and the record it is about as its reader would get it from us if they asked.

It is asked for through the pipeline, as whoever the endpoint is for: what they may not see is not found, and prices that are
hidden from them are taken out of it, like in every answer.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, to_builtins

from haulier.contexts.integrations.webhooks.rules.event_catalog import CatalogEvent, message_subject
from haulier.kernel.application import Application
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.principal import Principal

MESSAGE_VERSION = 1
NOT_VISIBLE_STATUSES = (401, 403, 404)


class WebhookMessage(Struct, kw_only=True, omit_defaults=True):
    """The document that is posted. Its form is stable: fields may be added, none is taken away or changes its meaning."""

    id: str
    event: str
    occurred_at: datetime
    sequence: int
    client: str
    version: int = msgspec.field(default_factory=lambda: MESSAGE_VERSION)
    subject: str | UnsetType = UNSET
    test: bool | UnsetType = UNSET
    data: dict[str, Any]

    def encoded(self) -> bytes:
        """The bytes that are signed and posted."""
        return msgspec.json.encode(self)


class RecordNotReady(Exception):
    """A record could not be read just now; the errand tries again."""


class PayloadReader:
    """What one reader is shown. It remembers what it has read: several messages may be about one order."""

    def __init__(self, app: Application, reader: Principal) -> None:
        self._app = app
        self._reader = reader
        self._seen: dict[tuple[str, Any], Any] = {}

    async def order(self, id: int) -> dict[str, Any] | None:
        """An order as it is now, or None for one that the reader may not see."""
        answer = await self._read_once("get_order_detail", {"order_id": id})
        return answer and answer["order"]

    async def tracked(self, number: str) -> dict[str, Any] | None:
        """A tracking number with its whole timeline, or None."""
        answer = await self._read_once("get_operation_events", {"tracking_numbers": [number]})
        return next(iter(answer["trackings"]), None) if answer else None

    async def _read_once(self, operation: str, values: dict[str, Any]) -> Any:
        key = operation, str(values)
        if key not in self._seen:
            self._seen[key] = await self._read(operation, values)
        return self._seen[key]

    async def _read(self, operation: str, values: dict[str, Any]) -> Any:
        operation_request = OperationRequest(
            operation=self._app.registry[operation],
            door="webhook",
            request_id=f"webhook-{operation}",
            body=msgspec.json.encode(values),
            principal=self._reader,
        )
        outcome = await handle_request(self._app, operation_request)
        if outcome.answer is None and outcome.status not in NOT_VISIBLE_STATUSES:
            raise RecordNotReady(f"{operation} answered {outcome.status}")
        return None if outcome.answer is None else to_builtins(outcome.answer)


async def build_event_data(sight: PayloadReader, known: CatalogEvent, news: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a message says to a reader; None when it is about something that they may not see."""
    if known.kind == "order":
        order = await sight.order(news["order_id"])
        return None if order is None else {**news, "order": order}
    if known.kind == "tracking":
        tracked = await sight.tracked(news["tracking_number"])
        return None if tracked is None else _tracking_data(news, tracked)
    return dict(news)


def _tracking_data(news: Mapping[str, Any], tracked: dict[str, Any]) -> dict[str, Any]:
    """Where the number stands now, and the event that is new, in the protocol's native form."""
    timeline = tracked["timeline"]
    names = ("current_status", "current_phase", "delivered", "terminal")
    told = {
        "tracking_number": tracked["tracking_number"],
        "order_id": tracked["order_id"],
        "order_ref": tracked["order_ref"],
        **{name: timeline[name] for name in names if name in timeline},
    }
    event = next((each for each in timeline["events"] if each["event_id"] == news.get("event_id")), None)
    return {**told, "event": event} if event else told


def build_message(known: CatalogEvent, news: Mapping[str, Any], data: dict[str, Any], **words: Any) -> WebhookMessage:
    """The document of a piece of news."""
    return WebhookMessage(event=known.name, subject=message_subject(known, news) or UNSET, data=data, **words)
