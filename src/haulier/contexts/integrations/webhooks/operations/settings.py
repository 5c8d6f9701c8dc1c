"""The endpoints of a client: show them, set them, replace a secret."""

from datetime import timedelta
from typing import Any

from msgspec import UNSET

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.integrations.ports import SecretSealer, WebhookSender
from haulier.contexts.integrations.webhooks.actions import signing_keys
from haulier.contexts.integrations.webhooks.contract.settings import (
    EmptyRequest,
    RotateWebhookSecret,
    UpdateWebhookSettings,
    WebhookEndpoint,
    WebhookEndpointAnswer,
    WebhookEndpointSettings,
    WebhookEventUrls,
    WebhookSettings,
)
from haulier.contexts.integrations.webhooks.rules.addresses import WEBHOOK_URL_REFUSED
from haulier.contexts.integrations.webhooks.rules.event_catalog import EVENT_CATALOG, is_subscribed
from haulier.contexts.integrations.webhooks.rules.signatures import generate_webhook_secret
from haulier.contexts.integrations.webhooks.rules.subscriptions import EventSubscription, check_subscriptions
from haulier.contexts.integrations.webhooks.store import endpoints as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND
from haulier.kernel.operations.records import record

PATH = "/v1/webhook-settings"
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
    doors=(
        Rest("GET", PATH),
        GraphQL("webhookSettings"),
        Mcp("get_webhook_settings", DEVELOPER, title="Show where webhooks go"),
    ),
)
async def get_webhook_settings(call: Call, request: EmptyRequest) -> WebhookSettings:
    """Show which events are posted to which addresses, and the health of each. Secrets are not shown."""
    return _webhook_settings(call, await store.list_webhook_endpoint_rows(call.work), {})


@writes(
    "update_webhook_settings",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    replayable=False,
    doors=(
        Rest("PUT", PATH),
        GraphQL("webhookSettingsUpdate"),
        Mcp("update_webhook_settings", DEVELOPER, title="Set where webhooks go"),
    ),
    errors=(WEBHOOK_URL_REFUSED,),
)
async def update_webhook_settings(call: Call, request: UpdateWebhookSettings) -> WebhookSettings:
    """Set which events are posted to which addresses, all at once.

    The answer shows the secret of each address that is new, once. An address that was switched off after failures begins anew
    when it is enabled again.
    """
    await _require_valid_settings(call, request)
    existing = {row.url: row for row in await store.list_webhook_endpoint_rows(call.work, lock=True)}
    new = [settings for settings in request.endpoints if settings.url not in existing]
    secrets = {settings.url: generate_webhook_secret() for settings in new}
    await store.delete_webhook_endpoints(
        call.work, [row.id for url, row in existing.items() if url not in {e.url for e in request.endpoints}]
    )
    await store.update_webhook_endpoints(
        call.work,
        [
            _endpoint_changes(existing[settings.url], settings)
            for settings in request.endpoints
            if settings.url in existing
        ],
    )
    await store.insert_webhook_endpoints(
        call.work, [_endpoint_row(call, settings, secrets[settings.url]) for settings in new]
    )
    call.add_audit_subjects("client", call.client_id)
    return _webhook_settings(call, await store.list_webhook_endpoint_rows(call.work), secrets)


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
    doors=(Rest("POST", f"{PATH}/{{endpoint_id}}/secret"), GraphQL("webhookSecretRotate")),
    errors=(NOT_FOUND,),
)
async def rotate_webhook_secret(call: Call, request: RotateWebhookSecret) -> WebhookEndpointAnswer:
    """Give an endpoint another secret, shown in this answer alone. For some hours the old one signs beside it."""
    row = await store.get_webhook_endpoint_row(call.work, request.endpoint_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    secret = generate_webhook_secret()
    await store.update_webhook_endpoint_secret(
        call.work,
        row.id,
        sealed_secret=signing_keys.seal_endpoint_secret(call.app, call.client_id, secret),
        keyed_at=call.now,
        sealed_old_secret=row.sealed_secret if request.overlap_h else None,
        overlap_until=call.now + timedelta(hours=request.overlap_h) if request.overlap_h else None,
    )
    call.add_audit_subjects("client", call.client_id)
    changed = await store.get_webhook_endpoint_row(call.work, row.id)
    if changed is None:
        raise NOT_FOUND()
    return WebhookEndpointAnswer(endpoint=_webhook_endpoint(call, changed, secret))


def _endpoint_row(call: Call, settings: WebhookEndpointSettings, secret: str) -> dict[str, Any]:
    return {
        **_subscription_columns(settings),
        **HEALTHY,
        "url": settings.url,
        "created_at": call.now,
        "sealed_secret": signing_keys.seal_endpoint_secret(call.app, call.client_id, secret),
        "keyed_at": call.now,
        "sealed_old_secret": None,
        "overlap_until": None,
    }


def _endpoint_changes(row: store.EndpointRow, settings: WebhookEndpointSettings) -> dict[str, Any]:
    """The columns to change. An endpoint that is switched on again counts as healthy."""
    health = HEALTHY if settings.enabled and not row.enabled else {name: getattr(row, name) for name in HEALTHY}
    return {"id": row.id, **_subscription_columns(settings), **health}


def _subscription_columns(settings: WebhookEndpointSettings) -> dict[str, Any]:
    return {
        "events": list(dict.fromkeys(settings.events)),
        "description": settings.description,
        "customer_id": settings.customer_id,
        "enabled": settings.enabled,
    }


def _webhook_settings(call: Call, rows: list[store.EndpointRow], secrets: dict[str, str]) -> WebhookSettings:
    enabled = [row for row in rows if row.enabled]
    by_event = {
        event.name: [row.url for row in enabled if is_subscribed(row.events, event.name)] for event in EVENT_CATALOG
    }
    return WebhookSettings(
        endpoints=[_webhook_endpoint(call, row, secrets.get(row.url)) for row in rows],
        callbacks=[WebhookEventUrls(event=event, urls=urls) for event, urls in by_event.items() if urls],
        secrets_encrypted=call.adapter(SecretSealer).encrypts,
        private_addresses=call.adapter(WebhookSender).private,
    )


def _webhook_endpoint(call: Call, row: store.EndpointRow, secret: str | None) -> WebhookEndpoint:
    old_secret_until = row.overlap_until if row.overlap_until and row.overlap_until > call.now else None
    return record(
        WebhookEndpoint,
        row,
        secret_set_at=row.keyed_at,
        old_secret_until=old_secret_until,
        secret=secret or UNSET,
    )
