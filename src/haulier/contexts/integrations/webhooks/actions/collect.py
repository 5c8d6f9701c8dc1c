"""Collect: the events of a transaction that some endpoint subscribed to become one job, enqueued in that transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, to_builtins

from haulier.contexts.integrations.webhooks.rules.event_catalog import EVENT_BY_RECORD, is_subscribed
from haulier.contexts.integrations.webhooks.store import endpoints
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

FAN_OUT_JOB = "webhooks.fan_out"


class OutboxEvent(Struct, frozen=True, kw_only=True):
    """A domain event as a document, under its name in the event catalog."""

    event: str
    record: dict[str, Any]


class FanOutEvents(Struct, frozen=True, kw_only=True):
    """The job for the events of one transaction. The ids of their messages derive from the job's own.

    Why nothing random is in it: a preview of a write shows this job, and approval compares it with what the write does then.
    """

    at: datetime
    events: list[OutboxEvent]
    token: str | None = None
    """Of jobs that earlier versions enqueued: what the ids of their messages derive from."""


@before_commit(DomainEvent)
async def collect_events(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue one job for the events that some endpoint subscribed to. One read of the client's endpoints."""
    client_id = call.principal.client_id
    entries = [(EVENT_BY_RECORD[name], event) for event in events if (name := type(event).__name__) in EVENT_BY_RECORD]
    if client_id is None or not entries:
        return
    own = call.work.client_id == client_id
    work = call.work if own else call.work.for_tenant(client_id, "the events of a client go to its own endpoints")
    subscriptions = [endpoint.events for endpoint in await endpoints.list_active_webhook_endpoint_rows(work)]
    collected = [
        OutboxEvent(event=entry.name, record=to_builtins(event))
        for entry, event in entries
        if any(is_subscribed(names, entry.name) for names in subscriptions)
    ]
    if collected:
        await call.enqueue(FAN_OUT_JOB, FanOutEvents(at=call.now, events=collected))
