"""Messages are posted: tried, written down, tried again, given up. An endpoint that never answers is switched off."""

import random
from datetime import timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.access.public import admins
from haulier.contexts.integrations.ports import Callbacks, Letterhead, Reply
from haulier.contexts.integrations.webhooks import signing
from haulier.contexts.integrations.webhooks.rules import signing as rules
from haulier.contexts.integrations.webhooks.rules.retrying import DeliveryStatus, Health, Verdict, Why, verdict
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.contexts.integrations.webhooks.telling import LETTER, TellOfEndpoint
from haulier.kernel.call import Call
from haulier.kernel.errands import errand
from haulier.kernel.run import Run

DELIVER = "webhooks.deliver"
LANE = "outside"
"""A lane of its own: receivers that do not answer must not hold up other jobs."""
SECRET_LOST = "secret_lost"
DISABLED = "disabled"
REMOVED = "removed"


class Deliver(Struct, frozen=True, kw_only=True):
    """Deliveries to make one after the other, and which attempt at them it is, from 0: a later one makes this one moot."""

    delivery_ids: list[int]
    attempt: int
    replay: bool = False


@errand(DELIVER, Deliver, lane=LANE)
async def deliver(run: Run, args: Deliver) -> None:
    """Post messages of one transaction, in their order. One that fails is tried again by itself, and the next is posted."""
    for id in args.delivery_ids:
        await _attempt(run, id, args)


async def _attempt(run: Run, id: int, args: Deliver) -> None:
    assert run.client_id is not None
    now = run.house.clock()
    async with run.house.database.read(run.client_id) as work:
        row = await deliveries.due(work, id)
    if row is None or row.status != DeliveryStatus.PENDING or row.attempts != args.attempt:
        return
    if not row.enabled:
        await _skip(run, row, REMOVED if row.enabled is None else DISABLED)
    elif row.rests_until and now < row.rests_until and not args.replay:
        await _put_off(run, row, args)
    else:
        await _write_down(run, row, args, await _posted(run, row))


async def _posted(run: Run, row: Any) -> Reply:
    """Sign and post a message. Nothing is held meanwhile: neither a transaction nor a connection to the database."""
    house, body = run.house, row.payload.encode()
    now = house.clock()
    keys = signing.keys(house, run.client_id or 0, row, now)
    if not keys:
        return Reply(status=None, latency_ms=0, fault=SECRET_LOST)
    headers = rules.headers(row.message_id, now, body, keys)
    return await house.adapter(Callbacks).post(Letterhead(url=row.url, headers=headers, body=body))


async def _skip(run: Run, row: Any, why: str) -> None:
    """Nobody is there to get it. It can be replayed."""
    async with run.call() as call:
        words = {"attempts": row.attempts, "tries": row.tries, "next_attempt_at": None, "ended_at": call.now}
        last = {"last_status": row.last_status, "last_fault": why, "last_latency_ms": row.last_latency_ms}
        await deliveries.note(call.work, row.id, row.attempts, status=DeliveryStatus.SKIPPED.value, **words, **last)


async def _put_off(run: Run, row: Any, args: Deliver) -> None:
    """The endpoint is left alone for a moment: this attempt is made afterwards, and does not count before."""
    async with run.call() as call:
        at = row.rests_until + timedelta(seconds=random.uniform(0, 5))
        key = f"{row.id}:{args.attempt}:{row.rests_until.timestamp()}"
        await call.post(DELIVER, Deliver(delivery_ids=[row.id], attempt=args.attempt), run_at=at, idempotency_key=key)


async def _write_down(run: Run, row: Any, args: Deliver, reply: Reply) -> None:
    """The attempt, how the delivery stands, how the endpoint fares and the next attempt: all of it or nothing."""
    health = Health(failures=row.failures, failing_since=row.failing_since, rests_until=row.rests_until)
    async with run.call() as call:
        tries = row.tries + 1
        found = verdict(
            health,
            tries=tries,
            status=reply.status,
            retry_after_s=reply.retry_after_s,
            now=call.now,
            jitter=random.uniform(-1, 1),
        )
        ended = None if found.status is DeliveryStatus.PENDING else call.now
        mine = await deliveries.note(
            call.work,
            row.id,
            row.attempts,
            status=found.status.value,
            attempts=row.attempts + 1,
            tries=tries,
            next_attempt_at=found.again_at,
            ended_at=ended,
            last_status=reply.status,
            last_fault=reply.fault,
            last_latency_ms=reply.latency_ms,
        )
        if mine:
            await _follow_up(call, row, args, reply, found, health)


async def _follow_up(call: Call, row: Any, args: Deliver, reply: Reply, found: Verdict, before: Health) -> None:
    await deliveries.add_attempt(
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
    if found.health != before:
        await endpoints.note_health(call.work, row.endpoint_id, found.health)
    if found.again_at:
        again = Deliver(delivery_ids=[row.id], attempt=row.attempts + 1)
        key = f"{row.id}:{row.attempts + 1}"
        await call.post(DELIVER, again, run_at=found.again_at, idempotency_key=key)
    if found.disable:
        await _disable(call, row, found.disable)


async def _disable(call: Call, row: Any, why: Why) -> None:
    """Switch an endpoint off and tell the admins, once."""
    if await endpoints.disable(call.work, row.endpoint_id, at=call.now, why=why.value):
        for user_id in await admins(call):
            letter = TellOfEndpoint(user_id=user_id, url=row.url, why=why.value, since=row.failing_since or call.now)
            await call.post(LETTER, letter)
