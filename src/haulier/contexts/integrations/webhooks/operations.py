"""The endpoints of a client: show them, set them, replace a secret."""

from datetime import timedelta
from typing import Any

from msgspec import UNSET

from haulier.contexts.identity.public import get_set_up_columns, get_users_by_id
from haulier.contexts.integrations.ports import SecretSealer, WebhookSender
from haulier.contexts.integrations.webhooks.actions import signing_keys
from haulier.contexts.integrations.webhooks.actions.recipients import EndpointPrincipals, load_endpoint_principals
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
from haulier.contexts.integrations.webhooks.rules.event_catalog import (
    EVENT_CATALOG,
    is_subscribed,
    list_subscribed_events,
)
from haulier.contexts.integrations.webhooks.rules.retries import DisableReason
from haulier.contexts.integrations.webhooks.rules.signatures import generate_webhook_secret
from haulier.contexts.integrations.webhooks.rules.subscriptions import EventSubscription, check_subscriptions
from haulier.contexts.integrations.webhooks.store import endpoints as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, SCOPES_EXCEEDED
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
    return await _webhook_settings(call, await store.list_webhook_endpoint_rows(call.work), {})


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
    errors=(WEBHOOK_URL_REFUSED, SCOPES_EXCEEDED),
)
async def update_webhook_settings(call: Call, request: UpdateWebhookSettings) -> WebhookSettings:
    """Set which events are posted to which addresses, all at once.

    The answer shows the secret of each address that is new, once. An address that was switched off after failures begins anew
    when it is enabled again. A new endpoint, more events or enabling an endpoint needs the scopes that reading these events'
    data needs; the endpoint then belongs to the caller, and stops when their account or API token ends.
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
    """Return True if settings make an endpoint receive more than it did: it then belongs to the caller."""
    if row is None or row.customer_id != settings.customer_id:
        return True
    if settings.enabled and (not row.enabled or principals.find(row) is None):
        return True
    return any(not is_subscribed(row.events, name) for name in settings.events)


def _require_events_readable(call: Call, widened: list[WebhookEndpointSettings]) -> None:
    """Check that the caller can read the data of the events. Raises `SCOPES_EXCEEDED` with the missing scopes."""
    missing = frozenset[Scope]()
    for settings in widened:
        for entry in list_subscribed_events(settings.events, of_customer=settings.customer_id is not None):
            missing |= call.app.registry[entry.read_by].scopes - call.principal.scopes
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
    principals = await load_endpoint_principals(call.app, call.work, call.business, [changed])
    return WebhookEndpointAnswer(endpoint=_webhook_endpoint(call, changed, principals, secret))


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
