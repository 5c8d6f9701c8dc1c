"""A test delivery: one signed message to an address, and the response."""

from secrets import token_urlsafe

from msgspec import UNSET, Struct

from haulier.contexts.integrations.ports import WebhookRequest, WebhookResponse, WebhookSender
from haulier.contexts.integrations.webhooks.actions import signing_keys
from haulier.contexts.integrations.webhooks.contract.logs import SendTestWebhook, WebhookTestResult
from haulier.contexts.integrations.webhooks.operations.logs import PATH
from haulier.contexts.integrations.webhooks.operations.settings import DEVELOPER
from haulier.contexts.integrations.webhooks.rules import signatures as rules
from haulier.contexts.integrations.webhooks.rules.addresses import WEBHOOK_URL_REFUSED, check_webhook_url
from haulier.contexts.integrations.webhooks.rules.event_catalog import TEST_EVENT
from haulier.contexts.integrations.webhooks.rules.retries import WebhookDeliveryStatus, is_accepted_status
from haulier.contexts.integrations.webhooks.serializers.payloads import WebhookMessage
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.request_context import RequestContext

NOT_SENT = WebhookResponse(status=None, latency_ms=0)


class TrialDelivery(Struct, frozen=True, kw_only=True):
    """What was posted, and the response; a dry run posts nothing."""

    endpoint: endpoints.EndpointRow | None
    message: WebhookMessage
    body: bytes
    headers: dict[str, str]
    new_secret: str | None
    reply: WebhookResponse


async def prepare_trial_delivery(context: RequestContext, request: SendTestWebhook) -> TrialDelivery:
    """Sign a message and post it, before any transaction begins: a receiver may take its time."""
    app, client = context.app, context.principal.business
    assert client is not None
    if reason := check_webhook_url(request.url, private=app.adapter(WebhookSender).private):
        raise WEBHOOK_URL_REFUSED.for_fields(FieldError("url", f"field.webhook_url_{reason}"))
    async with app.database.read(client.id) as work:
        endpoint = await endpoints.find_webhook_endpoint_row_by_url(work, request.url)
    now = app.clock()
    new_secret = rules.generate_webhook_secret() if request.secret is None and endpoint is None else None
    secret = request.secret.get_secret_value() if request.secret else new_secret
    keys = [key] if secret and (key := rules.decode_secret_key(secret)) else []
    if not secret and endpoint:
        keys = signing_keys.list_signing_keys(app, client.id, endpoint, now)
    if not keys:
        raise rules.WEBHOOK_SECRET_UNUSABLE()
    id = f"test_{token_urlsafe(12)}"
    data = {"message": app.catalogues.translate("en", "webhook_test")}
    message = WebhookMessage(
        id=id, event=TEST_EVENT, occurred_at=now, sequence=0, client=client.code, test=True, data=data
    )
    body = message.encoded()
    headers = rules.signature_headers(id, now, body, keys)
    webhook_request = WebhookRequest(url=request.url, headers=headers, body=body)
    reply = NOT_SENT if context.dry_run else await app.adapter(WebhookSender).post(webhook_request)
    return TrialDelivery(
        endpoint=endpoint, message=message, body=body, headers=headers, new_secret=new_secret, reply=reply
    )


@writes(
    "test_webhook_delivery",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    replayable=False,
    doors=(
        Rest("POST", f"{PATH}/test"),
        GraphQL("webhookDeliveryTest"),
        Mcp("test_webhook_delivery", DEVELOPER, title="Post a test webhook to an address"),
    ),
    limits=(RateLimit(20, 60, ("user",)),),
    errors=(WEBHOOK_URL_REFUSED, rules.WEBHOOK_SECRET_UNUSABLE),
    prepare=prepare_trial_delivery,
)
async def test_webhook_delivery(call: Call, request: SendTestWebhook) -> WebhookTestResult:
    """Post a test message to an address, signed, once, and tell how it was accepted. It is logged like every delivery.

    Addresses of private networks are refused, whatever the name in the address leads to, and redirects are not followed.
    """
    tried: TrialDelivery = call.prepared
    accepted = is_accepted_status(tried.reply.status)
    id = await _log_trial_delivery(call, request.url, tried, accepted)
    return WebhookTestResult(
        delivered=accepted,
        delivery_log_id=id,
        status=tried.reply.status,
        fault=tried.reply.fault,
        latency_ms=tried.reply.latency_ms,
        response=tried.reply.text,
        headers=tried.headers,
        body=tried.body.decode(),
        secret=tried.new_secret or UNSET,
    )


async def _log_trial_delivery(call: Call, url: str, tried: TrialDelivery, accepted: bool) -> int:
    reply = tried.reply
    id = await deliveries.insert_webhook_delivery(
        call.work,
        endpoint_id=tried.endpoint.id if tried.endpoint else None,
        url=url,
        message_id=tried.message.id,
        event=TEST_EVENT,
        subject=None,
        sequence=0,
        payload=tried.body.decode(),
        status=(WebhookDeliveryStatus.DELIVERED if accepted else WebhookDeliveryStatus.FAILED).value,
        attempts=1,
        tries=1,
        created_at=call.now,
        next_attempt_at=None,
        ended_at=call.now,
        last_status=reply.status,
        last_fault=reply.fault,
        last_latency_ms=reply.latency_ms,
    )
    attempt = {"number": 1, "at": call.now, "status": reply.status, "fault": reply.fault, "replayed": False}
    await deliveries.insert_delivery_attempt(
        call.work, delivery_id=id, latency_ms=reply.latency_ms, response=reply.text, **attempt
    )
    return id
