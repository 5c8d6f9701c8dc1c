"""News becomes messages: one for each thing that happened, and a delivery of it for every endpoint that wants it."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.identity.public import get_customer_principal
from haulier.contexts.integrations.webhooks.actions.collect import FAN_OUT_JOB, FanOutEvents
from haulier.contexts.integrations.webhooks.jobs.deliver import DELIVER_JOB, DeliverMessages
from haulier.contexts.integrations.webhooks.rules.event_catalog import (
    EVENT_BY_NAME,
    CatalogEvent,
    is_subscribed,
    split_event,
)
from haulier.contexts.integrations.webhooks.rules.retries import WebhookDeliveryStatus
from haulier.contexts.integrations.webhooks.serializers import payloads
from haulier.contexts.integrations.webhooks.serializers.payloads import PayloadReader
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun
from haulier.kernel.principal import Business, system_principal

DELIVERIES_PER_TRANSACTION = 100
"""So many deliveries are written in one transaction."""
SEQUENCES_PER_JOB = 2**20
"""Messages of a job are numbered below this, so that jobs in their order give messages in theirs."""


class EventMessage(Struct, frozen=True, kw_only=True):
    """One thing that happened, and what it is called."""

    known: CatalogEvent
    news: dict[str, Any]
    message_id: str
    sequence: int


class EventRecipients:
    """Who is told, and how each of them sees it."""

    def __init__(self, run: JobRun, business: Business, listening: Iterable[Any]) -> None:
        self._run = run
        self._business = business
        self._endpoints = list(listening)
        self._office = PayloadReader(run.app, system_principal(business))
        self._customers: dict[int, PayloadReader | None] = {}

    async def list_recipients(self, piece: EventMessage) -> list[tuple[Any, PayloadReader]]:
        """The endpoints that want a piece of news, each with what its reader is shown."""
        wanting = [each for each in self._endpoints if is_subscribed(each.events, piece.known.name)]
        found = [(each, self._office) for each in wanting if each.customer_id is None]
        theirs = [each for each in wanting if each.customer_id is not None]
        owner = await self._owner(piece) if theirs else None
        sight = await self._customer(owner) if owner else None
        return found + [(each, sight) for each in theirs if sight and each.customer_id == owner]

    async def _owner(self, piece: EventMessage) -> int | None:
        """The customer whose order it is about, if it is news for customers."""
        order_id = piece.news.get("order_id")
        order = await self._office.order(order_id) if piece.known.for_customers and order_id else None
        return order["customer_id"] if order else None

    async def _customer(self, id: int) -> PayloadReader | None:
        if id not in self._customers:
            async with self._run.app.database.read(self._business.id) as work:
                principal = await get_customer_principal(work, self._business, id)
            self._customers[id] = PayloadReader(self._run.app, principal) if principal else None
        return self._customers[id]


@job(FAN_OUT_JOB, FanOutEvents)
async def fan_out_events(run: JobRun, args: FanOutEvents) -> None:
    """Make the messages and their deliveries. Made twice, each is there once: it is called the same both times."""
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        business = await run.app.identity.business(work, run.client_id)
        listening = await endpoints.list_active_webhook_endpoint_rows(work)
    audience = EventRecipients(run, business, listening)
    rows: list[dict[str, Any]] = []
    for piece in _event_messages(run, args):
        for endpoint, sight in await audience.list_recipients(piece):
            told = await payloads.build_event_data(sight, piece.known, piece.news)
            if told is not None:
                rows.append(_delivery_row(args, business, piece, endpoint, told))
    for start in range(0, len(rows), DELIVERIES_PER_TRANSACTION):
        await _write_deliveries(run, rows[start : start + DELIVERIES_PER_TRANSACTION])


def _event_messages(run: JobRun, args: FanOutEvents) -> Iterator[EventMessage]:
    flat = [
        (known, each)
        for told in args.told
        if (known := EVENT_BY_NAME.get(told.event))
        for each in split_event(known, told.news)
    ]
    for number, (known, each) in enumerate(flat):
        sequence = run.job_id * SEQUENCES_PER_JOB + number
        yield EventMessage(known=known, news=each, message_id=f"msg_{args.token}_{number}", sequence=sequence)


def _delivery_row(
    args: FanOutEvents, business: Business, piece: EventMessage, endpoint: Any, told: dict[str, Any]
) -> dict[str, Any]:
    words = {"id": piece.message_id, "occurred_at": args.at, "sequence": piece.sequence, "client": business.code}
    document = payloads.build_message(piece.known, piece.news, told, **words)
    return {
        "endpoint_id": endpoint.id,
        "url": endpoint.url,
        "message_id": piece.message_id,
        "event": piece.known.name,
        "subject": None if document.subject is UNSET else document.subject,
        "sequence": piece.sequence,
        "payload": document.encoded().decode(),
        "status": WebhookDeliveryStatus.PENDING.value,
        "attempts": 0,
        "tries": 0,
        "created_at": args.at,
        "next_attempt_at": args.at,
    }


async def _write_deliveries(run: JobRun, rows: list[dict[str, Any]]) -> None:
    """Write deliveries and ask for them: what is about one subject goes to an endpoint in one errand, in order."""
    async with run.call() as call:
        written = [row for row in await deliveries.insert_deliveries_if_absent(call.work, rows) if row.attempts == 0]
        for ids in _group_by_subject(written):
            await call.enqueue(DELIVER_JOB, DeliverMessages(delivery_ids=ids, attempt=0), idempotency_key=f"{ids[0]}:0")


def _group_by_subject(rows: Iterable[Any]) -> Iterator[list[int]]:
    def line(row: Any) -> tuple[int, str]:
        return row.endpoint_id, row.subject or f"#{row.id}"

    for _, together in groupby(sorted(rows, key=line), key=line):
        yield [row.id for row in together]
