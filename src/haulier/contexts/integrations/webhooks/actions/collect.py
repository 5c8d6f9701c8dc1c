"""News is passed on: whatever a transaction announces that some endpoint of the client wants becomes one errand in it."""

from collections.abc import Sequence
from datetime import datetime
from secrets import token_urlsafe
from typing import Any

from msgspec import Struct, to_builtins

from haulier.contexts.integrations.webhooks.rules.event_catalog import EVENT_BY_RECORD, is_subscribed
from haulier.contexts.integrations.webhooks.store import endpoints
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

FAN_OUT_JOB = "webhooks.fan_out"


class OutboxEvent(Struct, frozen=True, kw_only=True):
    """A piece of news under the name that the codebook has for it."""

    event: str
    news: dict[str, Any]


class FanOutEvents(Struct, frozen=True, kw_only=True):
    """What happened in one transaction. Messages are called after the `token`, however often they are made."""

    token: str
    at: datetime
    told: list[OutboxEvent]


@before_commit
async def collect_events(call: Call, events: Sequence[DomainEvent]) -> None:
    """Put what somebody wants into the outbox: one look at the client's endpoints, and one errand for all of it."""
    client_id = call.principal.client_id
    known = [(EVENT_BY_RECORD[name], event) for event in events if (name := type(event).__name__) in EVENT_BY_RECORD]
    if client_id is None or not known:
        return
    own = call.work.client_id == client_id
    work = call.work if own else call.work.for_tenant(client_id, "the news of a client is for its own endpoints")
    wanted = [endpoint.events for endpoint in await endpoints.list_active_webhook_endpoint_rows(work)]
    told = [
        OutboxEvent(event=each.name, news=to_builtins(event))
        for each, event in known
        if any(is_subscribed(events, each.name) for events in wanted)
    ]
    if told:
        await call.enqueue(FAN_OUT_JOB, FanOutEvents(token=token_urlsafe(12), at=call.now, told=told))
