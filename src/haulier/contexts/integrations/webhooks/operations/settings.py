"""Where a client wants to be told of what: see it, set it, replace a secret."""

from datetime import timedelta
from typing import Any

from msgspec import UNSET

from haulier.contexts.access.public import users
from haulier.contexts.integrations.ports import Callbacks, Secrets
from haulier.contexts.integrations.webhooks import signing
from haulier.contexts.integrations.webhooks.contract.settings import (
    EventCallbacks,
    Nothing,
    RotateWebhookSecret,
    UpdateWebhookSettings,
    WantedEndpoint,
    WebhookEndpoint,
    WebhookEndpointAnswer,
    WebhookSettings,
)
from haulier.contexts.integrations.webhooks.rules.addresses import WEBHOOK_URL_REFUSED
from haulier.contexts.integrations.webhooks.rules.codebook import CODEBOOK, wants
from haulier.contexts.integrations.webhooks.rules.signing import new_secret
from haulier.contexts.integrations.webhooks.rules.wishes import Wish, faults
from haulier.contexts.integrations.webhooks.store import endpoints as store
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope, Server
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads, writes

PATH = "/v1/webhook-settings"
DEVELOPER = frozenset({Server.DEVELOPER})
WELL: dict[str, Any] = {
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
async def get_webhook_settings(call: Call, request: Nothing) -> WebhookSettings:
    """Show which addresses are told of which events, and how each of them fares. Secrets are not part of it."""
    return _settings(call, await store.every(call.work), {})


@writes(
    "update_webhook_settings",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    keeps_answer=False,
    doors=(
        Rest("PUT", PATH),
        GraphQL("webhookSettingsUpdate"),
        Mcp("update_webhook_settings", DEVELOPER, title="Set where webhooks go"),
    ),
    errors=(WEBHOOK_URL_REFUSED,),
)
async def update_webhook_settings(call: Call, request: UpdateWebhookSettings) -> WebhookSettings:
    """Set which addresses are told of which events, all of them at once.

    The answer shows the secret of each address that is new, once. An address that was switched off after failures begins anew
    when it is enabled again.
    """
    await _demand_possible(call, request)
    there = {row.url: row for row in await store.every(call.work, lock=True)}
    new = [each for each in request.endpoints if each.url not in there]
    secrets = {each.url: new_secret() for each in new}
    await store.remove(
        call.work, [row.id for url, row in there.items() if url not in {e.url for e in request.endpoints}]
    )
    await store.change(call.work, [_changed(there[each.url], each) for each in request.endpoints if each.url in there])
    await store.add(call.work, [_row(call, each, secrets[each.url]) for each in new])
    call.concerns("client", call.client_id)
    return _settings(call, await store.every(call.work), secrets)


async def _demand_possible(call: Call, request: UpdateWebhookSettings) -> None:
    asked = {each.customer_id for each in request.endpoints if each.customer_id is not None}
    people = await users(call, asked)
    customers = {id for id, user in people.items() if user.active and user.account is Account.CUSTOMER}
    wishes = [Wish(url=each.url, events=each.events, customer_id=each.customer_id) for each in request.endpoints]
    found = tuple(faults(wishes, customers=customers, private=call.adapter(Callbacks).private))
    if any(fault.field.endswith(".url") for fault in found):
        raise WEBHOOK_URL_REFUSED.at(*found)
    if found:
        raise INVALID_REQUEST.at(*found)


@writes(
    "rotate_webhook_secret",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    keeps_answer=False,
    doors=(Rest("POST", f"{PATH}/{{endpoint_id}}/secret"), GraphQL("webhookSecretRotate")),
    errors=(NOT_FOUND,),
)
async def rotate_webhook_secret(call: Call, request: RotateWebhookSecret) -> WebhookEndpointAnswer:
    """Give an endpoint another secret, shown in this answer alone. For some hours the old one signs beside it."""
    row = await store.one(call.work, request.endpoint_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    secret = new_secret()
    await store.rotate(
        call.work,
        row.id,
        sealed_secret=signing.seal(call.house, call.client_id, secret),
        keyed_at=call.now,
        sealed_old_secret=row.sealed_secret if request.overlap_h else None,
        overlap_until=call.now + timedelta(hours=request.overlap_h) if request.overlap_h else None,
    )
    call.concerns("client", call.client_id)
    changed = await store.one(call.work, row.id)
    return WebhookEndpointAnswer(endpoint=_shown(call, changed, secret))


def _row(call: Call, wanted: WantedEndpoint, secret: str) -> dict[str, Any]:
    return {
        **_wish(wanted),
        **WELL,
        "url": wanted.url,
        "created_at": call.now,
        "sealed_secret": signing.seal(call.house, call.client_id, secret),
        "keyed_at": call.now,
        "sealed_old_secret": None,
        "overlap_until": None,
    }


def _changed(row: Any, wanted: WantedEndpoint) -> dict[str, Any]:
    """Whoever switches an endpoint on again says that it is well; else it fares as it did."""
    fares = WELL if wanted.enabled and not row.enabled else {name: getattr(row, name) for name in WELL}
    return {"id": row.id, **_wish(wanted), **fares}


def _wish(wanted: WantedEndpoint) -> dict[str, Any]:
    return {
        "events": list(dict.fromkeys(wanted.events)),
        "description": wanted.description,
        "customer_id": wanted.customer_id,
        "enabled": wanted.enabled,
    }


def _settings(call: Call, rows: list[Any], secrets: dict[str, str]) -> WebhookSettings:
    on = [row for row in rows if row.enabled]
    by_event = {known.name: [row.url for row in on if wants(row.events, known.name)] for known in CODEBOOK}
    return WebhookSettings(
        endpoints=[_shown(call, row, secrets.get(row.url)) for row in rows],
        callbacks=[EventCallbacks(event=event, urls=urls) for event, urls in by_event.items() if urls],
        secrets_encrypted=call.adapter(Secrets).encrypts,
        private_addresses=call.adapter(Callbacks).private,
    )


def _shown(call: Call, row: Any, secret: str | None) -> WebhookEndpoint:
    names = ("id", "url", "events", "description", "customer_id", "created_at", "failures")
    more = ("failing_since", "disabled_at", "disabled_why")
    facts = {name: getattr(row, name) for name in (*names, *more)}
    until = row.overlap_until if row.overlap_until and row.overlap_until > call.now else None
    return WebhookEndpoint(
        **facts,
        enabled=bool(row.enabled),
        secret_set_at=row.keyed_at,
        old_secret_until=until,
        secret=secret or UNSET,
    )
