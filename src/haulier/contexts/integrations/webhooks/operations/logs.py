"""What was posted and how it was taken: listed, looked at, done again."""

from typing import Any

import msgspec

from haulier.contexts.integrations.webhooks.contract.logs import (
    ListWebhookDeliveries,
    RecoverDeliveries,
    TheDelivery,
    WebhookAttempt,
    WebhookDeliveries,
    WebhookDelivery,
    WebhookDeliveryAnswer,
    WebhookDeliveryDetail,
    WebhookReplayed,
)
from haulier.contexts.integrations.webhooks.delivering import DELIVER, Deliver
from haulier.contexts.integrations.webhooks.operations.settings import DEVELOPER
from haulier.contexts.integrations.webhooks.operations.settings import PATH as SETTINGS
from haulier.contexts.integrations.webhooks.rules.retrying import WEBHOOK_ENDPOINT_OFF
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.pages import cursor_after, key_of

PATH = "/v1/webhook-deliveries"
RECOVERED_AT_ONCE = 500


@reads(
    "get_webhook_delivery_logs",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_READ},
    doors=(
        Rest("GET", PATH),
        GraphQL("webhookDeliveryLogs"),
        Mcp("get_webhook_delivery_logs", DEVELOPER, title="List webhook deliveries"),
    ),
)
async def get_webhook_delivery_logs(call: Call, request: ListWebhookDeliveries) -> WebhookDeliveries:
    """List what was posted to whom and how it was taken, newest first. The log is kept for 30 days."""
    after = key_of(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await deliveries.page(
        call.work,
        request.limit + 1,
        after=after,
        since=request.since,
        endpoint_id=request.endpoint_id,
        event=request.event,
        status=request.status and request.status.value,
        subject=request.subject,
        message_id=request.message_id,
    )
    page = rows[: request.limit]
    more = cursor_after(page[-1].id) if len(rows) > request.limit else None
    return WebhookDeliveries(deliveries=[WebhookDelivery(**_facts(row)) for row in page], next_cursor=more)


@reads(
    "get_webhook_delivery_log",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_READ},
    doors=(Rest("GET", f"{PATH}/{{delivery_log_id}}"), GraphQL("webhookDeliveryLog")),
    errors=(NOT_FOUND,),
)
async def get_webhook_delivery_log(call: Call, request: TheDelivery) -> WebhookDeliveryAnswer:
    """Show a delivery: its body, and every attempt with what the receiver said."""
    row = await deliveries.one(call.work, request.delivery_log_id)
    if row is None:
        raise NOT_FOUND()
    log = [_attempt(each) for each in await deliveries.attempts_of(call.work, row.id)]
    payload = msgspec.json.decode(row.payload)
    return WebhookDeliveryAnswer(delivery=WebhookDeliveryDetail(**_facts(row), payload=payload, log=log))


@writes(
    "replay_webhook_delivery",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", f"{PATH}/{{delivery_log_id}}/replay"),
        GraphQL("webhookDeliveryReplay"),
        Mcp("replay_webhook_delivery", DEVELOPER, title="Post a webhook once more"),
    ),
    errors=(NOT_FOUND, WEBHOOK_ENDPOINT_OFF),
)
async def replay_webhook_delivery(call: Call, request: TheDelivery) -> WebhookReplayed:
    """Post a delivery once more, whatever became of it: the same body under the same webhook-id, signed anew.

    It is tried again like a new one when the receiver does not take it.
    """
    row = await deliveries.one(call.work, request.delivery_log_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    await _demand_on(call, row.endpoint_id or 0)
    return await _again(call, [row], more=False)


@writes(
    "recover_webhook_deliveries",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{SETTINGS}/{{endpoint_id}}/recover"), GraphQL("webhookDeliveriesRecover")),
    errors=(NOT_FOUND, WEBHOOK_ENDPOINT_OFF),
)
async def recover_webhook_deliveries(call: Call, request: RecoverDeliveries) -> WebhookReplayed:
    """Post everything once more that an endpoint did not get since a time, oldest first, at most 500 at once."""
    if await endpoints.one(call.work, request.endpoint_id) is None:
        raise NOT_FOUND()
    await _demand_on(call, request.endpoint_id)
    rows = await deliveries.failed_since(call.work, request.endpoint_id, request.since, RECOVERED_AT_ONCE + 1)
    return await _again(call, rows[:RECOVERED_AT_ONCE], more=len(rows) > RECOVERED_AT_ONCE)


async def _demand_on(call: Call, endpoint_id: int) -> None:
    endpoint = await endpoints.one(call.work, endpoint_id)
    if endpoint is None or not endpoint.enabled:
        raise WEBHOOK_ENDPOINT_OFF()


async def _again(call: Call, rows: list[Any], *, more: bool) -> WebhookReplayed:
    """One errand for all that were tried equally often: they come in their order."""
    await deliveries.put_again(call.work, [row.id for row in rows], call.now)
    for attempts in sorted({row.attempts for row in rows}):
        ids = [row.id for row in rows if row.attempts == attempts]
        await call.post(DELIVER, Deliver(delivery_ids=ids, attempt=attempts, replay=True))
    call.concerns("webhook_delivery", *(row.id for row in rows))
    said = call.say("webhook_on_its_way", count=len(rows))
    return WebhookReplayed(delivery_log_ids=[row.id for row in rows], more=more, message=said)


def _facts(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in WebhookDelivery.__struct_fields__}


def _attempt(row: Any) -> WebhookAttempt:
    names = ("number", "at", "status", "fault", "latency_ms", "response")
    facts: dict[str, Any] = {name: getattr(row, name) for name in names}
    return WebhookAttempt(**facts, replayed=bool(row.replayed))
