"""Background jobs of webhooks."""

import random
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import groupby
from typing import Any

from msgspec import UNSET, Struct
from prometheus_client import Counter

from haulier.contexts.identity.public import get_customer_principal, list_admin_ids
from haulier.contexts.integrations.ports import WebhookRequest, WebhookResponse, WebhookSender
from haulier.contexts.integrations.webhooks import actions, rules, serializers, store
from haulier.contexts.integrations.webhooks.actions import (
    FAN_OUT_JOB,
    EndpointPrincipals,
    FanOutEvents,
    load_endpoint_principals,
    may_receive,
    stop_endpoint,
)
from haulier.contexts.integrations.webhooks.notifications import NOTIFY_JOB, NotifyEndpointDisabled
from haulier.contexts.integrations.webhooks.rules import (
    EVENT_BY_NAME,
    AttemptOutcome,
    CatalogEvent,
    DisableReason,
    EndpointHealth,
    WebhookDeliveryStatus,
    evaluate_attempt,
    is_subscribed,
    split_event,
)
from haulier.contexts.integrations.webhooks.serializers import PayloadReader
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.principal import Business, Principal, system_principal

DELIVER_JOB = "webhooks.deliver"
DELIVERY_QUEUE = "outside"
"""A separate queue: slow receivers must not delay other jobs."""
FAULT_SECRET_LOST = "secret_lost"
FAULT_DISABLED = "disabled"
FAULT_REMOVED = "removed"
FAULT_NOT_PERMITTED = "not_permitted"


class DeliverMessages(Struct, frozen=True, kw_only=True):
    """Job arguments: deliveries in order.

    `attempt` counts from 0; later attempts are skipped.
    """

    delivery_ids: list[int]
    attempt: int
    replay: bool = False


_ATTEMPTS = Counter("haulier_webhook_attempts_total", "Attempts at webhook deliveries", ("outcome",))
"""Outcomes are the state of the delivery after the attempt: `pending` means that it failed and is retried."""


@job(DELIVER_JOB, DeliverMessages, queue=DELIVERY_QUEUE)
async def deliver_messages(run: JobRun, args: DeliverMessages) -> None:
    """Post messages of one transaction in order. Failed ones are retried by own jobs."""
    for id in args.delivery_ids:
        await _attempt_delivery(run, id, args)


async def _attempt_delivery(run: JobRun, id: int, args: DeliverMessages) -> None:
    assert run.client_id is not None
    now = run.app.clock()
    async with run.app.database.read(run.client_id) as work:
        row = await store.get_delivery_with_endpoint(work, id)
        business = await run.app.identity.business(work, run.client_id) if row and row.set_up_by else None
        principals = await load_endpoint_principals(run.app, work, business, [row]) if row and business else None
    if row is None or row.status != WebhookDeliveryStatus.PENDING or row.attempts != args.attempt:
        return
    if not row.enabled:
        await _skip_delivery(run, row, FAULT_REMOVED if row.enabled is None else FAULT_DISABLED)
    elif principals and not await _is_permitted(run, row, principals.find(row)):
        await _skip_delivery(run, row, FAULT_NOT_PERMITTED)
    elif row.rests_until and now < row.rests_until and not args.replay:
        await _postpone_delivery(run, row, row.rests_until, args)
    else:
        await _record_attempt(run, row, args, await _post_message(run, row))


async def _is_permitted(run: JobRun, row: store.DeliveryToMakeRow, principal: Principal | None) -> bool:
    """Return True if the endpoint's user may still receive the event.

    Disables the endpoint if the user or token has ended.
    """
    if principal is None:
        await stop_endpoint(run, row.endpoint_id or 0, row.url, row)
        return False
    return may_receive(run.app, principal, row.event)


async def _post_message(run: JobRun, row: store.DeliveryToMakeRow) -> WebhookResponse:
    """Sign and post a message, without a transaction or a database connection."""
    app, body = run.app, row.payload.encode()
    now = app.clock()
    keys = actions.list_signing_keys(app, run.client_id or 0, row, now)
    if not keys:
        return WebhookResponse(status=None, latency_ms=0, fault=FAULT_SECRET_LOST)
    headers = rules.signature_headers(row.message_id, now, body, keys)
    return await app.adapter(WebhookSender).post(WebhookRequest(url=row.url, headers=headers, body=body))


async def _skip_delivery(run: JobRun, row: store.DeliveryToMakeRow, fault: str) -> None:
    """Record that the endpoint is deleted or disabled. The delivery can be replayed."""
    async with run.call() as call:
        await store.update_delivery_after_attempt(
            call.work,
            row.id,
            row.attempts,
            status=WebhookDeliveryStatus.SKIPPED.value,
            attempts=row.attempts,
            tries=row.tries,
            next_attempt_at=None,
            ended_at=call.now,
            last_status=row.last_status,
            last_fault=fault,
            last_latency_ms=row.last_latency_ms,
        )


async def _postpone_delivery(
    run: JobRun, row: store.DeliveryToMakeRow, rests_until: datetime, args: DeliverMessages
) -> None:
    """Postpone an attempt until a paused endpoint resumes, without counting it."""
    async with run.call() as call:
        # Up to five seconds are added, so that paused deliveries do not return all at once.
        retry_at = rests_until + timedelta(seconds=random.uniform(0, 5))
        key = f"{row.id}:{args.attempt}:{rests_until.timestamp()}"
        await call.enqueue(
            DELIVER_JOB,
            DeliverMessages(delivery_ids=[row.id], attempt=args.attempt),
            run_at=retry_at,
            idempotency_key=key,
        )


async def _record_attempt(
    run: JobRun, row: store.DeliveryToMakeRow, args: DeliverMessages, reply: WebhookResponse
) -> None:
    """Record an attempt with delivery state, endpoint health and next job.

    In one transaction.
    """
    health = EndpointHealth(failures=row.failures, failing_since=row.failing_since, rests_until=row.rests_until)
    async with run.call() as call:
        tries = row.tries + 1
        outcome = evaluate_attempt(
            health,
            tries=tries,
            status=reply.status,
            retry_after_s=reply.retry_after_s,
            now=call.now,
            jitter=random.uniform(-1, 1),
        )
        ended = None if outcome.status is WebhookDeliveryStatus.PENDING else call.now
        recorded = await store.update_delivery_after_attempt(
            call.work,
            row.id,
            row.attempts,
            status=outcome.status.value,
            attempts=row.attempts + 1,
            tries=tries,
            next_attempt_at=outcome.retry_at,
            ended_at=ended,
            last_status=reply.status,
            last_fault=reply.fault,
            last_latency_ms=reply.latency_ms,
        )
        if recorded:
            _ATTEMPTS.labels(outcome.status.value).inc()
            await _apply_outcome(call, row, args, reply, outcome, health)


async def _apply_outcome(
    call: Call,
    row: store.DeliveryToMakeRow,
    args: DeliverMessages,
    reply: WebhookResponse,
    outcome: AttemptOutcome,
    before: EndpointHealth,
) -> None:
    await store.insert_delivery_attempt(
        call.work,
        delivery_id=row.id,
        number=row.attempts + 1,
        at=call.now,
        status=reply.status,
        fault=reply.fault,
        latency_ms=reply.latency_ms,
        response=reply.text,
        replayed=args.replay,
    )
    if outcome.health != before:
        await store.update_webhook_endpoint_health(call.work, row.endpoint_id or 0, outcome.health)
    if outcome.retry_at:
        retry = DeliverMessages(delivery_ids=[row.id], attempt=row.attempts + 1)
        key = f"{row.id}:{row.attempts + 1}"
        await call.enqueue(DELIVER_JOB, retry, run_at=outcome.retry_at, idempotency_key=key)
    if outcome.disable:
        await _disable_endpoint(call, row, outcome.disable)


async def _disable_endpoint(call: Call, row: store.DeliveryToMakeRow, reason: DisableReason) -> None:
    """Disable an endpoint and notify the admins, once."""
    if await store.disable_webhook_endpoint(call.work, row.endpoint_id or 0, at=call.now, why=reason.value):
        for user_id in await list_admin_ids(call):
            since = row.failing_since or call.now
            await call.enqueue(
                NOTIFY_JOB, NotifyEndpointDisabled(user_id=user_id, url=row.url, why=reason.value, since=since)
            )


DELIVERIES_PER_TRANSACTION = 100
"""Number of deliveries per transaction."""
SEQUENCES_PER_JOB = 2**20
"""Factor of the job's id in a message's sequence, to which the message's number is added."""


class EventMessage(Struct, frozen=True, kw_only=True):
    """One message: its entry in the catalog, the document of the event, and its id."""

    entry: CatalogEvent
    event: dict[str, Any]
    message_id: str
    sequence: int


class EventRecipients:
    """Recipients of a message, each with a reader that sees what the owner may see."""

    def __init__(
        self,
        run: JobRun,
        business: Business,
        active: Iterable[store.ActiveEndpointRow],
        principals: EndpointPrincipals,
    ) -> None:
        self._run = run
        self._business = business
        self._endpoints = list(active)
        self._principals = principals
        self._readers: dict[tuple[int | None, int | None], PayloadReader] = {}
        self._office = PayloadReader(run.app, system_principal(business))
        self._customers: dict[int, PayloadReader | None] = {}

    async def list_recipients(self, message: EventMessage) -> list[tuple[store.ActiveEndpointRow, PayloadReader]]:
        """Return the subscribed endpoints of a message, each with its reader."""
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

    def list_ended(self) -> list[store.ActiveEndpointRow]:
        """Return the endpoints whose user or token has ended."""
        return [row for row in self._endpoints if self._principals.find(row) is None]

    def _may_receive(self, row: store.ActiveEndpointRow, message: EventMessage) -> bool:
        principal = self._principals.find(row)
        return principal is not None and may_receive(self._run.app, principal, message.entry)

    def _reader(self, row: store.ActiveEndpointRow) -> PayloadReader:
        """Return a reader with an endpoint's rights, without hidden prices."""
        who, principal = (row.set_up_by, row.set_up_with), self._principals.find(row)
        if principal is None or row.set_up_by is None:
            return self._office
        if who not in self._readers:
            self._readers[who] = PayloadReader(self._run.app, principal)
        return self._readers[who]

    async def _owner_id(self, message: EventMessage) -> int | None:
        """Return the customer of a message's order, if customers may get the event."""
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
    """Write messages and deliveries.

    Ids are derived, so a second run writes none twice.
    """
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        business = await run.app.identity.business(work, run.client_id)
        active = await store.list_active_webhook_endpoint_rows(work)
        principals = await load_endpoint_principals(run.app, work, business, active)
    recipients = EventRecipients(run, business, active, principals)
    for ended in recipients.list_ended():
        await stop_endpoint(run, ended.id, ended.url, ended)
    rows: list[dict[str, Any]] = []
    for message in _event_messages(run, args):
        for endpoint, reader in await recipients.list_recipients(message):
            data = await serializers.build_event_data(reader, message.entry, message.event)
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
    """Return a token that is stable across attempts of a job.

    It differs for a job with the same number on a restored database.
    """
    return blake2b(f"{run.client_id} {run.job_id} {args.at.isoformat()}".encode(), digest_size=8).hexdigest()


def _delivery_row(
    args: FanOutEvents,
    business: Business,
    message: EventMessage,
    endpoint: store.ActiveEndpointRow,
    data: dict[str, Any],
) -> dict[str, Any]:
    document = serializers.build_message(
        message.entry,
        message.event,
        data,
        id=message.message_id,
        occurred_at=args.at,
        sequence=message.sequence,
        client=business.code,
        test=business.test or UNSET,
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
    """Write deliveries, and enqueue a job per subject and endpoint.

    The job posts them in order.
    """
    async with run.call() as call:
        written = await store.insert_deliveries_if_absent(call.work, rows)
        for ids in _group_by_subject([row for row in written if row.attempts == 0]):
            await call.enqueue(DELIVER_JOB, DeliverMessages(delivery_ids=ids, attempt=0), idempotency_key=f"{ids[0]}:0")


def _group_by_subject(rows: Iterable[store.NewDeliveryRow]) -> Iterator[list[int]]:
    def subject_at_endpoint(row: store.NewDeliveryRow) -> tuple[int, str]:
        return row.endpoint_id or 0, row.subject or f"#{row.id}"

    for _, group in groupby(sorted(rows, key=subject_at_endpoint), key=subject_at_endpoint):
        yield [row.id for row in group]
