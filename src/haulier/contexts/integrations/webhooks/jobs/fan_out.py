"""Fan out: events become messages, and each message a delivery for every endpoint that subscribed to it."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.identity.public import get_customer_principal
from haulier.contexts.integrations.webhooks.actions.collect import FAN_OUT_JOB, FanOutEvents
from haulier.contexts.integrations.webhooks.actions.recipients import (
    EndpointPrincipals,
    load_endpoint_principals,
    may_receive,
    stop_endpoint,
)
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
"""How many deliveries one transaction writes."""
SEQUENCES_PER_JOB = 2**20
"""The sequence of a message is the job's id times this, plus the message's number, so it grows with both."""


class EventMessage(Struct, frozen=True, kw_only=True):
    """One message: its entry in the catalog, the document of the event, and its id."""

    entry: CatalogEvent
    event: dict[str, Any]
    message_id: str
    sequence: int


class EventRecipients:
    """The endpoints that get a message, each with a reader that sees what the endpoint's owner may see."""

    def __init__(
        self,
        run: JobRun,
        business: Business,
        active: Iterable[endpoints.ActiveEndpointRow],
        principals: EndpointPrincipals,
    ) -> None:
        self._run = run
        self._business = business
        self._endpoints = list(active)
        self._principals = principals
        self._readers: dict[tuple[int | None, int | None], PayloadReader] = {}
        self._office = PayloadReader(run.app, system_principal(business))
        self._customers: dict[int, PayloadReader | None] = {}

    async def list_recipients(self, message: EventMessage) -> list[tuple[endpoints.ActiveEndpointRow, PayloadReader]]:
        """The endpoints that subscribed to a message, each with its reader."""
        subscribed = [
            row
            for row in self._endpoints
            if is_subscribed(row.events, message.entry.name) and self._may_receive(row, message)
        ]
        recipients = [(row, self._reader(row)) for row in subscribed if row.customer_id is None]
        of_customers = [row for row in subscribed if row.customer_id is not None]
        owner_id = await self._owner_id(message) if of_customers else None
        reader = await self._customer_reader(owner_id) if owner_id else None
        return recipients + [(row, reader) for row in of_customers if reader and row.customer_id == owner_id]

    def list_ended(self) -> list[endpoints.ActiveEndpointRow]:
        """The endpoints whose user or token has ended."""
        return [row for row in self._endpoints if self._principals.find(row) is None]

    def _may_receive(self, row: endpoints.ActiveEndpointRow, message: EventMessage) -> bool:
        principal = self._principals.find(row)
        return principal is not None and may_receive(self._run.app, principal, message.entry)

    def _reader(self, row: endpoints.ActiveEndpointRow) -> PayloadReader:
        """A reader that sees what the principal behind an endpoint sees, without the prices that are hidden from them."""
        who, principal = (row.set_up_by, row.set_up_with), self._principals.find(row)
        if principal is None or row.set_up_by is None:
            return self._office
        if who not in self._readers:
            self._readers[who] = PayloadReader(self._run.app, principal)
        return self._readers[who]

    async def _owner_id(self, message: EventMessage) -> int | None:
        """The customer of the order that a message is about, for an event that customers may get."""
        order_id = message.event.get("order_id")
        order = await self._office.order(order_id) if message.entry.for_customers and order_id else None
        return order["customer_id"] if order else None

    async def _customer_reader(self, id: int) -> PayloadReader | None:
        if id not in self._customers:
            async with self._run.app.database.read(self._business.id) as work:
                principal = await get_customer_principal(work, self._business, id)
            self._customers[id] = PayloadReader(self._run.app, principal) if principal else None
        return self._customers[id]


@job(FAN_OUT_JOB, FanOutEvents)
async def fan_out_events(run: JobRun, args: FanOutEvents) -> None:
    """Write the messages and their deliveries. Message ids are derived, so a second run writes none twice."""
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        business = await run.app.identity.business(work, run.client_id)
        active = await endpoints.list_active_webhook_endpoint_rows(work)
        principals = await load_endpoint_principals(run.app, work, business, active)
    recipients = EventRecipients(run, business, active, principals)
    for ended in recipients.list_ended():
        await stop_endpoint(run, ended.id, ended.url, ended)
    rows: list[dict[str, Any]] = []
    for message in _event_messages(run, args):
        for endpoint, reader in await recipients.list_recipients(message):
            data = await payloads.build_event_data(reader, message.entry, message.event)
            if data is not None:
                rows.append(_delivery_row(args, business, message, endpoint, data))
    for start in range(0, len(rows), DELIVERIES_PER_TRANSACTION):
        await _write_deliveries(run, rows[start : start + DELIVERIES_PER_TRANSACTION])


def _event_messages(run: JobRun, args: FanOutEvents) -> Iterator[EventMessage]:
    documents = [
        (entry, document)
        for collected in args.events
        if (entry := EVENT_BY_NAME.get(collected.event))
        for document in split_event(entry, collected.record)
    ]
    token = args.token or _job_token(run, args)
    for number, (entry, document) in enumerate(documents):
        sequence = run.job_id * SEQUENCES_PER_JOB + number
        yield EventMessage(entry=entry, event=document, message_id=f"msg_{token}_{number}", sequence=sequence)


def _job_token(run: JobRun, args: FanOutEvents) -> str:
    """The same in each attempt at a job; another one for a job with its number on a database that was restored."""
    return blake2b(f"{run.client_id} {run.job_id} {args.at.isoformat()}".encode(), digest_size=8).hexdigest()


def _delivery_row(
    args: FanOutEvents,
    business: Business,
    message: EventMessage,
    endpoint: endpoints.ActiveEndpointRow,
    data: dict[str, Any],
) -> dict[str, Any]:
    document = payloads.build_message(
        message.entry,
        message.event,
        data,
        id=message.message_id,
        occurred_at=args.at,
        sequence=message.sequence,
        client=business.code,
    )
    return {
        "endpoint_id": endpoint.id,
        "url": endpoint.url,
        "message_id": message.message_id,
        "event": message.entry.name,
        "subject": None if document.subject is UNSET else document.subject,
        "sequence": message.sequence,
        "payload": document.encoded().decode(),
        "status": WebhookDeliveryStatus.PENDING.value,
        "attempts": 0,
        "tries": 0,
        "created_at": args.at,
        "next_attempt_at": args.at,
    }


async def _write_deliveries(run: JobRun, rows: list[dict[str, Any]]) -> None:
    """Write deliveries, and enqueue one job for each subject at an endpoint, which posts them in order."""
    async with run.call() as call:
        written = await deliveries.insert_deliveries_if_absent(call.work, rows)
        for ids in _group_by_subject([row for row in written if row.attempts == 0]):
            await call.enqueue(DELIVER_JOB, DeliverMessages(delivery_ids=ids, attempt=0), idempotency_key=f"{ids[0]}:0")


def _group_by_subject(rows: Iterable[deliveries.NewDeliveryRow]) -> Iterator[list[int]]:
    def subject_at_endpoint(row: deliveries.NewDeliveryRow) -> tuple[int, str]:
        return row.endpoint_id or 0, row.subject or f"#{row.id}"

    for _, group in groupby(sorted(rows, key=subject_at_endpoint), key=subject_at_endpoint):
        yield [row.id for row in group]
