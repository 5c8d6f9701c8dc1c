"""Operations that list, show and replay deliveries."""

from collections.abc import Sequence

import msgspec

from haulier.contexts.integrations.webhooks.actions.recipients import may_receive
from haulier.contexts.integrations.webhooks.contract.logs import (
    ListWebhookDeliveries,
    RecoverWebhookDeliveries,
    WebhookAttempt,
    WebhookDelivery,
    WebhookDeliveryAnswer,
    WebhookDeliveryDetail,
    WebhookDeliveryList,
    WebhookDeliveryRef,
    WebhookReplayResult,
)
from haulier.contexts.integrations.webhooks.jobs.deliver import DELIVER_JOB, DeliverMessages
from haulier.contexts.integrations.webhooks.operations.settings import DEVELOPER
from haulier.contexts.integrations.webhooks.operations.settings import PATH as SETTINGS
from haulier.contexts.integrations.webhooks.rules.retries import WEBHOOK_ENDPOINT_OFF
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor

PATH = "/v1/webhook-deliveries"
MAX_RECOVERED_AT_ONCE = 500


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
async def get_webhook_delivery_logs(call: Call, request: ListWebhookDeliveries) -> WebhookDeliveryList:
    """List deliveries with their outcome, newest first. The log is kept for 30 days."""
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await deliveries.list_webhook_delivery_rows(
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
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.limit else None
    return WebhookDeliveryList(deliveries=[record(WebhookDelivery, row) for row in page], next_cursor=next_cursor)


@reads(
    "get_webhook_delivery_log",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_READ},
    doors=(Rest("GET", f"{PATH}/{{delivery_log_id}}"), GraphQL("webhookDeliveryLog")),
    errors=(NOT_FOUND,),
)
async def get_webhook_delivery_log(call: Call, request: WebhookDeliveryRef) -> WebhookDeliveryAnswer:
    """Show a delivery: its body, and every attempt with the receiver's response."""
    row = await deliveries.get_webhook_delivery_row(call.work, request.delivery_log_id)
    if row is None:
        raise NOT_FOUND()
    attempts = await deliveries.list_delivery_attempt_rows(call.work, row.id)
    log = [record(WebhookAttempt, attempt) for attempt in attempts]
    payload, hidden = msgspec.json.decode(row.payload), not may_receive(call.app, call.principal, row.event)
    shown = {**payload, "data": {}} if hidden else payload
    return WebhookDeliveryAnswer(
        delivery=record(WebhookDeliveryDetail, row, payload=shown, data_hidden=hidden, log=log)
    )


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
async def replay_webhook_delivery(call: Call, request: WebhookDeliveryRef) -> WebhookReplayResult:
    """Post a delivery once more, whatever became of it: the same body under the same webhook-id, signed anew.

    It is tried again like a new one when the receiver does not take it.
    """
    row = await deliveries.get_webhook_delivery_row(call.work, request.delivery_log_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    await _require_endpoint_enabled(call, row.endpoint_id or 0)
    return await _replay_deliveries(call, [row], more=False)


@writes(
    "recover_webhook_deliveries",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{SETTINGS}/{{endpoint_id}}/recover"), GraphQL("webhookDeliveriesRecover")),
    errors=(NOT_FOUND, WEBHOOK_ENDPOINT_OFF),
)
async def recover_webhook_deliveries(call: Call, request: RecoverWebhookDeliveries) -> WebhookReplayResult:
    """Post everything once more that an endpoint did not get since a time, oldest first, at most 500 at once."""
    if await endpoints.get_webhook_endpoint_row(call.work, request.endpoint_id) is None:
        raise NOT_FOUND()
    await _require_endpoint_enabled(call, request.endpoint_id)
    rows = await deliveries.list_failed_deliveries_since(
        call.work, request.endpoint_id, request.since, MAX_RECOVERED_AT_ONCE + 1
    )
    return await _replay_deliveries(call, rows[:MAX_RECOVERED_AT_ONCE], more=len(rows) > MAX_RECOVERED_AT_ONCE)


async def _require_endpoint_enabled(call: Call, endpoint_id: int) -> None:
    endpoint = await endpoints.get_webhook_endpoint_row(call.work, endpoint_id)
    if endpoint is None or not endpoint.enabled:
        raise WEBHOOK_ENDPOINT_OFF()


async def _replay_deliveries(
    call: Call, rows: Sequence[deliveries.DeliveryRow | deliveries.NewDeliveryRow], *, more: bool
) -> WebhookReplayResult:
    """One job for all with the same number of attempts; it posts them in their order."""
    await deliveries.requeue_deliveries(call.work, [row.id for row in rows], call.now)
    for attempts in sorted({row.attempts for row in rows}):
        ids = [row.id for row in rows if row.attempts == attempts]
        await call.enqueue(DELIVER_JOB, DeliverMessages(delivery_ids=ids, attempt=attempts, replay=True))
    call.add_audit_subjects("webhook_delivery", *(row.id for row in rows))
    message = call.translate("webhook_on_its_way", count=len(rows))
    return WebhookReplayResult(delivery_log_ids=[row.id for row in rows], more=more, message=message)
