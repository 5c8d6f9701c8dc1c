"""Operations on webhooks."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from importlib.resources import files
from secrets import token_urlsafe
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from haulier.contexts.identity.public import get_retention_settings, get_set_up_columns, get_users_by_id
from haulier.contexts.integrations.ports import SecretSealer, WebhookRequest, WebhookResponse, WebhookSender
from haulier.contexts.integrations.webhooks import actions, rules, store
from haulier.contexts.integrations.webhooks.actions import EndpointPrincipals, load_endpoint_principals, may_receive
from haulier.contexts.integrations.webhooks.contract import (
    EmptyRequest,
    GetWebhookGuide,
    ListWebhookDeliveries,
    RecoverWebhookDeliveries,
    RotateWebhookSecret,
    SendTestWebhook,
    UpdateWebhookSettings,
    VerifyWebhookSignature,
    WebhookAttempt,
    WebhookDelivery,
    WebhookDeliveryAnswer,
    WebhookDeliveryDetail,
    WebhookDeliveryList,
    WebhookDeliveryRef,
    WebhookEndpoint,
    WebhookEndpointAnswer,
    WebhookEndpointSettings,
    WebhookEventDescription,
    WebhookEventUrls,
    WebhookGuide,
    WebhookReplayResult,
    WebhookSettings,
    WebhookSignatureResult,
    WebhookTestResult,
)
from haulier.contexts.integrations.webhooks.jobs import DELIVER_JOB, DeliverMessages
from haulier.contexts.integrations.webhooks.rules import (
    DISABLE_AFTER,
    EVENT_CATALOG,
    RETRY_DELAYS_S,
    TEST_EVENT,
    WEBHOOK_ENDPOINT_OFF,
    WEBHOOK_URL_REFUSED,
    CatalogEvent,
    DisableReason,
    EventSubscription,
    WebhookDeliveryStatus,
    check_subscriptions,
    check_webhook_url,
    generate_webhook_secret,
    is_accepted_status,
    is_subscribed,
    list_subscribed_events,
)
from haulier.contexts.integrations.webhooks.serializers import WebhookMessage, describe_event_data, event_records
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind, retention_days
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, SCOPES_EXCEEDED, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import make_cursor, parse_cursor

SETTINGS_PATH = "/v1/webhook-settings"
DEVELOPER = frozenset({McpServer.DEVELOPER})
HEALTHY: dict[str, Any] = {
    "failures": 0,
    "failing_since": None,
    "rests_until": None,
    "disabled_at": None,
    "disabled_why": None,
}


@reads(
    "get_webhook_settings",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_READ},
    interfaces=(
        Rest("GET", SETTINGS_PATH),
        GraphQL("webhookSettings"),
        Mcp("get_webhook_settings", DEVELOPER, title="Get the webhook settings"),
    ),
)
async def get_webhook_settings(call: Call, request: EmptyRequest) -> WebhookSettings:
    """Get the webhook endpoints and their health. Secrets are not shown."""
    return await _webhook_settings(call, await store.list_webhook_endpoint_rows(call.work), {})


@writes(
    "update_webhook_settings",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    replayable=False,
    interfaces=(
        Rest("PUT", SETTINGS_PATH),
        GraphQL("webhookSettingsUpdate"),
        Mcp("update_webhook_settings", DEVELOPER, title="Update the webhook settings"),
    ),
    errors=(WEBHOOK_URL_REFUSED, SCOPES_EXCEEDED),
)
async def update_webhook_settings(call: Call, request: UpdateWebhookSettings) -> WebhookSettings:
    """Replace the webhook endpoints.

    The response shows the secret of each new address, once. An address that was disabled after failures starts over
    when it is enabled again. A new endpoint, more events or enabling an endpoint needs the scopes for reading these
    events' data; the endpoint then belongs to the caller, and stops when their account or API token ends.
    """
    await _require_valid_settings(call, request)
    existing = {row.url: row for row in await store.list_webhook_endpoint_rows(call.work, lock=True)}
    principals = await load_endpoint_principals(call.app, call.work, call.business, existing.values())
    widened = {
        settings.url for settings in request.endpoints if _is_widened(existing.get(settings.url), settings, principals)
    }
    _require_events_readable(call, [settings for settings in request.endpoints if settings.url in widened])
    set_up = await get_set_up_columns(call) if widened else {}
    new = [settings for settings in request.endpoints if settings.url not in existing]
    secrets = {settings.url: generate_webhook_secret() for settings in new}
    await store.delete_webhook_endpoints(
        call.work, [row.id for url, row in existing.items() if url not in {e.url for e in request.endpoints}]
    )
    await store.update_webhook_endpoints(
        call.work,
        [
            _endpoint_changes(existing[settings.url], settings) | (set_up if settings.url in widened else {})
            for settings in request.endpoints
            if settings.url in existing
        ],
    )
    await store.insert_webhook_endpoints(
        call.work, [_endpoint_row(call, settings, secrets[settings.url]) | set_up for settings in new]
    )
    call.add_audit_subjects("client", call.client_id)
    return await _webhook_settings(call, await store.list_webhook_endpoint_rows(call.work), secrets)


def _is_widened(
    row: store.EndpointRow | None, settings: WebhookEndpointSettings, principals: EndpointPrincipals
) -> bool:
    """Return True if settings widen an endpoint, which then belongs to the caller."""
    if row is None or row.customer_id != settings.customer_id:
        return True
    if settings.enabled and (not row.enabled or principals.find(row) is None):
        return True
    return any(not is_subscribed(row.events, name) for name in settings.events)


def _require_events_readable(call: Call, widened: list[WebhookEndpointSettings]) -> None:
    """Raise `SCOPES_EXCEEDED` unless the caller can read the data of events."""
    missing = frozenset[Scope]()
    for settings in widened:
        for entry in list_subscribed_events(settings.events, of_customer=settings.customer_id is not None):
            reader = call.app.registry.get(entry.read_by)
            missing |= (reader.scopes if reader else frozenset()) - call.principal.scopes
    if missing:
        raise SCOPES_EXCEEDED(scopes=", ".join(sorted(missing)))


async def _require_valid_settings(call: Call, request: UpdateWebhookSettings) -> None:
    named = {settings.customer_id for settings in request.endpoints if settings.customer_id is not None}
    users = await get_users_by_id(call, named)
    customers = {id for id, user in users.items() if user.active and user.account is Account.CUSTOMER}
    subscriptions = [
        EventSubscription(url=settings.url, events=settings.events, customer_id=settings.customer_id)
        for settings in request.endpoints
    ]
    errors = tuple(check_subscriptions(subscriptions, customers=customers, private=call.adapter(WebhookSender).private))
    if any(error.field.endswith(".url") for error in errors):
        raise WEBHOOK_URL_REFUSED.for_fields(*errors)
    if errors:
        raise INVALID_REQUEST.for_fields(*errors)


@writes(
    "rotate_webhook_secret",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    replayable=False,
    interfaces=(Rest("POST", f"{SETTINGS_PATH}/{{endpoint_id}}/secret"), GraphQL("webhookSecretRotate")),
    errors=(NOT_FOUND,),
)
async def rotate_webhook_secret(call: Call, request: RotateWebhookSecret) -> WebhookEndpointAnswer:
    """Rotate the secret of an endpoint. The old one signs as well for some hours."""
    row = await store.get_webhook_endpoint_row(call.work, request.endpoint_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    secret = generate_webhook_secret()
    await store.update_webhook_endpoint_secret(
        call.work,
        row.id,
        sealed_secret=actions.seal_endpoint_secret(call.app, call.client_id, secret),
        keyed_at=call.now,
        sealed_old_secret=row.sealed_secret if request.overlap_h else None,
        overlap_until=call.now + timedelta(hours=request.overlap_h) if request.overlap_h else None,
    )
    call.add_audit_subjects("client", call.client_id)
    changed = await store.get_webhook_endpoint_row(call.work, row.id)
    if changed is None:
        raise NOT_FOUND()
    principals = await load_endpoint_principals(call.app, call.work, call.business, [changed])
    return WebhookEndpointAnswer(endpoint=_webhook_endpoint(call, changed, principals, secret))


def _endpoint_row(call: Call, settings: WebhookEndpointSettings, secret: str) -> dict[str, Any]:
    return {
        **_subscription_columns(settings),
        **HEALTHY,
        "url": settings.url,
        "created_at": call.now,
        "sealed_secret": actions.seal_endpoint_secret(call.app, call.client_id, secret),
        "keyed_at": call.now,
        "sealed_old_secret": None,
        "overlap_until": None,
    }


def _endpoint_changes(row: store.EndpointRow, settings: WebhookEndpointSettings) -> dict[str, Any]:
    """Return the changed columns. A re-enabled endpoint counts as healthy."""
    health = HEALTHY if settings.enabled and not row.enabled else {name: getattr(row, name) for name in HEALTHY}
    set_up = {"set_up_by": row.set_up_by, "set_up_with": row.set_up_with}
    return {"id": row.id, **_subscription_columns(settings), **health, **set_up}


def _subscription_columns(settings: WebhookEndpointSettings) -> dict[str, Any]:
    return {
        "events": list(dict.fromkeys(settings.events)),
        "description": settings.description,
        "customer_id": settings.customer_id,
        "enabled": settings.enabled,
    }


async def _webhook_settings(call: Call, rows: list[store.EndpointRow], secrets: dict[str, str]) -> WebhookSettings:
    principals = await load_endpoint_principals(call.app, call.work, call.business, rows)
    enabled = [row for row in rows if row.enabled and principals.find(row)]
    by_event = {
        event.name: [row.url for row in enabled if is_subscribed(row.events, event.name)] for event in EVENT_CATALOG
    }
    return WebhookSettings(
        endpoints=[_webhook_endpoint(call, row, principals, secrets.get(row.url)) for row in rows],
        callbacks=[WebhookEventUrls(event=event, urls=urls) for event, urls in by_event.items() if urls],
        secrets_encrypted=call.adapter(SecretSealer).encrypts,
        private_addresses=call.adapter(WebhookSender).private,
    )


def _webhook_endpoint(
    call: Call, row: store.EndpointRow, principals: EndpointPrincipals, secret: str | None
) -> WebhookEndpoint:
    ended = row.enabled and principals.find(row) is None
    old_secret_until = row.overlap_until if row.overlap_until and row.overlap_until > call.now else None
    return record(
        WebhookEndpoint,
        row,
        secret_set_at=row.keyed_at,
        old_secret_until=old_secret_until,
        disabled_why=DisableReason.SET_UP_ENDED.value if ended else row.disabled_why,
        secret=secret or UNSET,
    )


ANYONE = {Account.PUBLIC}
BAD_SECRET = "bad_secret"


@reads(
    "get_webhook_guide",
    audience=ANYONE,
    interfaces=(
        Rest("GET", "/v1/webhooks/guide"),
        GraphQL("webhookGuide"),
        Mcp("get_webhook_guide", DEVELOPER, title="Get the webhook guide"),
    ),
)
async def get_webhook_guide(call: Call, request: GetWebhookGuide) -> WebhookGuide:
    """Get the guide for webhook receivers. It covers events, requests and retries."""
    text = files("haulier.contexts.integrations.webhooks").joinpath("guide.md").read_text()
    chosen = await get_retention_settings(call.work, call.client_id) if call.principal.business else {}
    records = event_records()
    return WebhookGuide(
        text=text.replace("{base_url}", call.app.base_url),
        events=[
            _event_description(call, entry, records)
            for entry in EVENT_CATALOG
            if request.event in (None, "*", entry.name)
        ],
        headers={
            rules.ID_HEADER: call.translate("webhook_header_id"),
            rules.TIMESTAMP_HEADER: call.translate("webhook_header_timestamp"),
            rules.SIGNATURE_HEADER: call.translate("webhook_header_signature"),
        },
        retries_after_s=list(RETRY_DELAYS_S),
        tolerance_s=rules.TOLERANCE_S,
        disabled_after_days=DISABLE_AFTER.days,
        kept_days=retention_days(RecordKind.WEBHOOK_DELIVERIES, chosen),
    )


def _event_description(
    call: Call, entry: CatalogEvent, records: Mapping[str, type[DomainEvent]]
) -> WebhookEventDescription:
    return WebhookEventDescription(
        name=entry.name,
        meaning=call.translate(entry.text_id),
        subject=f"{entry.kind}:{{{entry.subject_field}}}" if entry.subject_field else UNSET,
        for_customers=entry.for_customers,
        data=describe_event_data(entry, records.get(entry.record_name)),
    )


@reads(
    "verify_webhook_signature",
    audience=ANYONE,
    interfaces=(
        Rest("POST", "/v1/webhooks/verify-signature"),
        GraphQL("webhookSignatureVerify"),
        Mcp("verify_webhook_signature", DEVELOPER, title="Verify the signature of a webhook"),
    ),
    limits=(RateLimit(120, 60, ("address",)),),
)
async def verify_webhook_signature(call: Call, request: VerifyWebhookSignature) -> WebhookSignatureResult:
    """Verify the signature of a webhook request. Returns the reason of a failure."""
    key = rules.decode_secret_key(request.secret.get_secret_value())
    headers = {
        rules.ID_HEADER: request.webhook_id,
        rules.TIMESTAMP_HEADER: request.webhook_timestamp,
        rules.SIGNATURE_HEADER: request.webhook_signature,
    }
    body = request.payload.encode("utf-8", "surrogatepass")
    verdict = rules.verify_signature(headers, body, key, call.now, request.tolerance_s).value if key else BAD_SECRET
    valid = verdict == rules.SignatureVerification.VALID.value
    return WebhookSignatureResult(valid=valid, verdict=verdict, message=call.translate(f"webhook_signature_{verdict}"))


LOGS_PATH = "/v1/webhook-deliveries"
MAX_RECOVERED_AT_ONCE = 500


@reads(
    "get_webhook_delivery_logs",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_READ},
    interfaces=(
        Rest("GET", LOGS_PATH),
        GraphQL("webhookDeliveryLogs"),
        Mcp("get_webhook_delivery_logs", DEVELOPER, title="List webhook deliveries"),
    ),
)
async def get_webhook_delivery_logs(call: Call, request: ListWebhookDeliveries) -> WebhookDeliveryList:
    """List webhook deliveries, newest first. The log is stored for 30 days."""
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await store.list_webhook_delivery_rows(
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
    interfaces=(Rest("GET", f"{LOGS_PATH}/{{delivery_log_id}}"), GraphQL("webhookDeliveryLog")),
    errors=(NOT_FOUND,),
)
async def get_webhook_delivery_log(call: Call, request: WebhookDeliveryRef) -> WebhookDeliveryAnswer:
    """Get a webhook delivery. Returns its body and all attempts with responses."""
    row = await store.get_webhook_delivery_row(call.work, request.delivery_log_id)
    if row is None:
        raise NOT_FOUND()
    attempts = await store.list_delivery_attempt_rows(call.work, row.id)
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
    interfaces=(
        Rest("POST", f"{LOGS_PATH}/{{delivery_log_id}}/replay"),
        GraphQL("webhookDeliveryReplay"),
        Mcp("replay_webhook_delivery", DEVELOPER, title="Replay a webhook delivery"),
    ),
    errors=(NOT_FOUND, WEBHOOK_ENDPOINT_OFF),
)
async def replay_webhook_delivery(call: Call, request: WebhookDeliveryRef) -> WebhookReplayResult:
    """Replay a webhook delivery: same body and webhook-id, newly signed and retried."""
    row = await store.get_webhook_delivery_row(call.work, request.delivery_log_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    await _require_endpoint_enabled(call, row.endpoint_id or 0)
    return await _replay_deliveries(call, [row], more=False)


@writes(
    "recover_webhook_deliveries",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{SETTINGS_PATH}/{{endpoint_id}}/recover"), GraphQL("webhookDeliveriesRecover")),
    errors=(NOT_FOUND, WEBHOOK_ENDPOINT_OFF),
)
async def recover_webhook_deliveries(call: Call, request: RecoverWebhookDeliveries) -> WebhookReplayResult:
    """Recover missed deliveries of an endpoint.

    Posts everything again that the endpoint did not get since a time, oldest first, at most 500 per call.
    """
    if await store.get_webhook_endpoint_row(call.work, request.endpoint_id) is None:
        raise NOT_FOUND()
    await _require_endpoint_enabled(call, request.endpoint_id)
    rows = await store.list_failed_deliveries_since(
        call.work, request.endpoint_id, request.since, MAX_RECOVERED_AT_ONCE + 1
    )
    return await _replay_deliveries(call, rows[:MAX_RECOVERED_AT_ONCE], more=len(rows) > MAX_RECOVERED_AT_ONCE)


async def _require_endpoint_enabled(call: Call, endpoint_id: int) -> None:
    endpoint = await store.get_webhook_endpoint_row(call.work, endpoint_id)
    if endpoint is None or not endpoint.enabled:
        raise WEBHOOK_ENDPOINT_OFF()


async def _replay_deliveries(
    call: Call, rows: Sequence[store.DeliveryRow | store.NewDeliveryRow], *, more: bool
) -> WebhookReplayResult:
    """Enqueue one job per number of attempts; it posts deliveries in order."""
    await store.requeue_deliveries(call.work, [row.id for row in rows], call.now)
    for attempts in sorted({row.attempts for row in rows}):
        ids = [row.id for row in rows if row.attempts == attempts]
        await call.enqueue(DELIVER_JOB, DeliverMessages(delivery_ids=ids, attempt=attempts, replay=True))
    call.add_audit_subjects("webhook_delivery", *(row.id for row in rows))
    message = call.translate("webhook_on_its_way", count=len(rows))
    return WebhookReplayResult(delivery_log_ids=[row.id for row in rows], more=more, message=message)


NOT_SENT = WebhookResponse(status=None, latency_ms=0)


class TrialDelivery(Struct, frozen=True, kw_only=True):
    """A posted test message and its response; empty in a dry run."""

    endpoint: store.EndpointRow | None
    message: WebhookMessage
    body: bytes
    headers: dict[str, str]
    new_secret: str | None
    reply: WebhookResponse


async def prepare_trial_delivery(context: RequestContext, request: SendTestWebhook) -> TrialDelivery:
    """Sign and post a message before any transaction: a receiver may be slow."""
    app, client = context.app, context.principal.business
    assert client is not None
    if reason := check_webhook_url(request.url, private=app.adapter(WebhookSender).private):
        raise WEBHOOK_URL_REFUSED.for_fields(FieldError("url", f"field.webhook_url_{reason}"))
    async with app.database.read(client.id) as work:
        endpoint = await store.find_webhook_endpoint_row_by_url(work, request.url)
    now = app.clock()
    new_secret = rules.generate_webhook_secret() if request.secret is None and endpoint is None else None
    secret = request.secret.get_secret_value() if request.secret else new_secret
    keys = [key] if secret and (key := rules.decode_secret_key(secret)) else []
    if not secret and endpoint:
        keys = actions.list_signing_keys(app, client.id, endpoint, now)
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
    interfaces=(
        Rest("POST", f"{LOGS_PATH}/test"),
        GraphQL("webhookDeliveryTest"),
        Mcp("test_webhook_delivery", DEVELOPER, title="Send a test webhook"),
    ),
    limits=(RateLimit(20, 60, ("user",)),),
    errors=(WEBHOOK_URL_REFUSED, rules.WEBHOOK_SECRET_UNUSABLE),
    prepare=prepare_trial_delivery,
)
async def test_webhook_delivery(call: Call, request: SendTestWebhook) -> WebhookTestResult:
    """Post a signed test message to an address.

    Posts once and returns the result. It is logged like other deliveries. Addresses of private networks are rejected,
    whatever name leads to them, and redirects are not followed.
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
    id = await store.insert_webhook_delivery(
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
    await store.insert_delivery_attempt(
        call.work, delivery_id=id, latency_ms=reply.latency_ms, response=reply.text, **attempt
    )
    return id
