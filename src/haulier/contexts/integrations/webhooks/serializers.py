"""Answers about webhooks.

The record is read through the pipeline as the owner of the endpoint: what they may not see is not found, and hidden
prices are omitted, as in every answer.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, to_builtins

from haulier.contexts.integrations.webhooks.rules import CatalogEvent, message_subject
from haulier.kernel.application import Application
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.principal import Principal

MESSAGE_VERSION = 1
DELIVERED = "DELIVERED"
STATUS_CHANGED = "order.status_changed"
"""The event whose data has the outcome of a delivery."""
NOT_VISIBLE_STATUSES = (401, 403, 404)
EMBEDDED_RECORDS: Mapping[str, tuple[str, str]] = {
    "order": ("order", "The order, as GET /api/v1/orders/{order_id} answers."),
    "tracking": ("event", "The event that is new, in the native form of OTEP."),
}
"""Record that `data` contains besides the event itself."""
OUTCOME_DESCRIPTION = (
    "The outcome of a delivery; null where none was reported: handed_to, name, left_at and pieces "
    "(total, delivered, left)."
)


class WebhookMessage(Struct, kw_only=True, omit_defaults=True):
    """The posted document.

    Its format is stable: fields are added, but never removed or changed.
    """

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
        """Return the bytes that are signed and posted."""
        return msgspec.json.encode(self)


class RecordNotReady(Exception):
    """A record could not be read now; the job is retried."""


class PayloadReader:
    """Cached reads of records for one reader: several messages can be about one order."""

    def __init__(self, app: Application, reader: Principal) -> None:
        self._app = app
        self._reader = reader
        self._seen: dict[tuple[str, Any], Any] = {}

    async def order(self, id: int) -> dict[str, Any] | None:
        """Return a current order, or None if the reader may not see it."""
        answer = await self._read_once("get_order_detail", {"order_id": id})
        return answer and answer["order"]

    async def tracked(self, number: str) -> dict[str, Any] | None:
        """Return a tracking number with its whole timeline, or None."""
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
            interface="webhook",
            request_id=f"webhook-{operation}",
            body=msgspec.json.encode(values),
            principal=self._reader,
        )
        result = await handle_request(self._app, operation_request)
        if result.answer is None and result.status not in NOT_VISIBLE_STATUSES:
            raise RecordNotReady(f"{operation} answered {result.status}")
        return None if result.answer is None else to_builtins(result.answer)


async def build_event_data(
    reader: PayloadReader, entry: CatalogEvent, event: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the data of a message for a reader; None if they may not see its record."""
    if entry.kind == "order":
        order = await reader.order(event["order_id"])
        if order is None:
            return None
        data = {**event, "order": order}
        return data if entry.name != STATUS_CHANGED else {**data, "outcome": await _delivery_outcome(reader, order)}
    if entry.kind == "tracking":
        tracked = await reader.tracked(event["tracking_number"])
        return None if tracked is None else _tracking_data(event, tracked)
    return dict(event)


async def _delivery_outcome(reader: PayloadReader, order: dict[str, Any]) -> dict[str, Any] | None:
    """Return the outcome of an order's delivery, None where none was reported."""
    if order["status"] != DELIVERED:
        return None
    tracked = await reader.tracked(order["tracking_number"])
    events = tracked["timeline"]["events"] if tracked else ()
    return next((each["outcome"] for each in reversed(events) if "outcome" in each), None)


def _tracking_data(update: Mapping[str, Any], tracked: dict[str, Any]) -> dict[str, Any]:
    """Return the current status of the number, and the new event in native form."""
    timeline = tracked["timeline"]
    names = ("current_status", "current_phase", "delivered", "terminal")
    data = {
        "tracking_number": tracked["tracking_number"],
        "order_id": tracked["order_id"],
        "order_ref": tracked["order_ref"],
        **{name: timeline[name] for name in names if name in timeline},
    }
    event = next((event for event in timeline["events"] if event["event_id"] == update.get("event_id")), None)
    return {**data, "event": event} if event else data


def build_message(entry: CatalogEvent, event: Mapping[str, Any], data: dict[str, Any], **fields: Any) -> WebhookMessage:
    """Return the document of a message.

    `fields` are its id, time, sequence and client.
    """
    return WebhookMessage(event=entry.name, subject=message_subject(entry, event) or UNSET, data=data, **fields)


def event_records() -> dict[str, type[DomainEvent]]:
    """Return the domain events of all contexts by class name."""
    kinds = DomainEvent.__subclasses__()
    return {kind.__name__: kind for kind in kinds if kind.__module__.startswith("haulier.contexts.")}


def describe_event_data(entry: CatalogEvent, record: type[DomainEvent] | None) -> dict[str, Any]:
    """Return the schema of `data`: the event, or one item of its list, and the record."""
    if record is None:
        return {"type": "object"}
    (whole,), parts = msgspec.json.schema_components([record], ref_template="{name}")
    schema = parts[whole["$ref"]]
    if entry.items_field:
        item = schema["properties"][entry.items_field]["items"]
        schema = parts[item["$ref"]] if "$ref" in item else {"properties": {str(entry.subject_field): item}}
    beside = EMBEDDED_RECORDS.get(entry.kind or "")
    more: dict[str, Any] = (
        {beside[0]: {"type": "object", "description": beside[1]}}
        if beside and entry.name != "tracking.corrected"
        else {}
    )
    if entry.name == STATUS_CHANGED:
        more["outcome"] = {"type": ["object", "null"], "description": OUTCOME_DESCRIPTION}
    return {"type": "object", "properties": {**schema["properties"], **more}}
