"""Deliver: messages are posted, each attempt is recorded, and failed ones are retried or given up."""

import random
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.identity.public import list_admin_ids
from haulier.contexts.integrations.ports import WebhookRequest, WebhookResponse, WebhookSender
from haulier.contexts.integrations.webhooks.actions import signing_keys
from haulier.contexts.integrations.webhooks.actions.recipients import (
    load_endpoint_principals,
    may_receive,
    stop_endpoint,
)
from haulier.contexts.integrations.webhooks.notifications import NOTIFY_JOB, NotifyEndpointDisabled
from haulier.contexts.integrations.webhooks.rules import signatures as rules
from haulier.contexts.integrations.webhooks.rules.retries import (
    AttemptOutcome,
    DisableReason,
    EndpointHealth,
    WebhookDeliveryStatus,
    evaluate_attempt,
)
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.principal import Principal

DELIVER_JOB = "webhooks.deliver"
DELIVERY_LANE = "outside"
"""A queue of its own: receivers that do not answer must not delay other jobs."""
FAULT_SECRET_LOST = "secret_lost"
FAULT_DISABLED = "disabled"
FAULT_REMOVED = "removed"
FAULT_NOT_PERMITTED = "not_permitted"


class DeliverMessages(Struct, frozen=True, kw_only=True):
    """The job of making deliveries one after the other. `attempt` counts from 0; the job does nothing for a later attempt."""

    delivery_ids: list[int]
    attempt: int
    replay: bool = False


@job(DELIVER_JOB, DeliverMessages, lane=DELIVERY_LANE)
async def deliver_messages(run: JobRun, args: DeliverMessages) -> None:
    """Post messages of one transaction, in their order. A failed one is retried by a job of its own."""
    for id in args.delivery_ids:
        await _attempt_delivery(run, id, args)


async def _attempt_delivery(run: JobRun, id: int, args: DeliverMessages) -> None:
    assert run.client_id is not None
    now = run.app.clock()
    async with run.app.database.read(run.client_id) as work:
        row = await deliveries.get_delivery_with_endpoint(work, id)
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


async def _is_permitted(run: JobRun, row: deliveries.DeliveryToMakeRow, principal: Principal | None) -> bool:
    """Return True if whoever set the endpoint up may still receive the event. Stops the endpoint if they have ended."""
    if principal is None:
        await stop_endpoint(run, row.endpoint_id or 0, row.url, row)
        return False
    return may_receive(run.app, principal, row.event)


async def _post_message(run: JobRun, row: deliveries.DeliveryToMakeRow) -> WebhookResponse:
    """Sign and post a message, without a transaction or a database connection."""
    app, body = run.app, row.payload.encode()
    now = app.clock()
    keys = signing_keys.list_signing_keys(app, run.client_id or 0, row, now)
    if not keys:
        return WebhookResponse(status=None, latency_ms=0, fault=FAULT_SECRET_LOST)
    headers = rules.signature_headers(row.message_id, now, body, keys)
    return await app.adapter(WebhookSender).post(WebhookRequest(url=row.url, headers=headers, body=body))


async def _skip_delivery(run: JobRun, row: deliveries.DeliveryToMakeRow, fault: str) -> None:
    """Record that the endpoint is deleted or switched off. The delivery can be replayed."""
    async with run.call() as call:
        await deliveries.update_delivery_after_attempt(
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
    run: JobRun, row: deliveries.DeliveryToMakeRow, rests_until: datetime, args: DeliverMessages
) -> None:
    """The endpoint is paused after failures: make this attempt afterwards, without counting it now."""
    async with run.call() as call:
        # Why: up to five seconds are added, so that paused deliveries do not come back all at once.
        retry_at = rests_until + timedelta(seconds=random.uniform(0, 5))
        key = f"{row.id}:{args.attempt}:{rests_until.timestamp()}"
        await call.enqueue(
            DELIVER_JOB,
            DeliverMessages(delivery_ids=[row.id], attempt=args.attempt),
            run_at=retry_at,
            idempotency_key=key,
        )


async def _record_attempt(
    run: JobRun, row: deliveries.DeliveryToMakeRow, args: DeliverMessages, reply: WebhookResponse
) -> None:
    """Write the attempt, the state of the delivery, the health of the endpoint and the next job, in one transaction."""
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
        recorded = await deliveries.update_delivery_after_attempt(
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
            await _apply_outcome(call, row, args, reply, outcome, health)


async def _apply_outcome(
    call: Call,
    row: deliveries.DeliveryToMakeRow,
    args: DeliverMessages,
    reply: WebhookResponse,
    outcome: AttemptOutcome,
    before: EndpointHealth,
) -> None:
    await deliveries.insert_delivery_attempt(
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
        await endpoints.update_webhook_endpoint_health(call.work, row.endpoint_id or 0, outcome.health)
    if outcome.retry_at:
        retry = DeliverMessages(delivery_ids=[row.id], attempt=row.attempts + 1)
        key = f"{row.id}:{row.attempts + 1}"
        await call.enqueue(DELIVER_JOB, retry, run_at=outcome.retry_at, idempotency_key=key)
    if outcome.disable:
        await _disable_endpoint(call, row, outcome.disable)


async def _disable_endpoint(call: Call, row: deliveries.DeliveryToMakeRow, reason: DisableReason) -> None:
    """Switch an endpoint off and notify the admins, once."""
    if await endpoints.disable_webhook_endpoint(call.work, row.endpoint_id or 0, at=call.now, why=reason.value):
        for user_id in await list_admin_ids(call):
            since = row.failing_since or call.now
            await call.enqueue(
                NOTIFY_JOB, NotifyEndpointDisabled(user_id=user_id, url=row.url, why=reason.value, since=since)
            )
