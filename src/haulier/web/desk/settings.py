"""Settings: one page with the current value of each."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.billing.charges.operations import get_charging_policy, set_charging_policy
from haulier.contexts.billing.identities.operations import get_billing_identity, set_billing_identity
from haulier.contexts.billing.invoices.operations import get_invoicing_settings, set_invoicing_settings
from haulier.contexts.billing.taxes.operations import get_tax_settings, list_tax_rates, set_tax_settings
from haulier.contexts.booking.reservations.operations.zones import list_booking_windows, list_booking_zones
from haulier.contexts.control_tower.approvals.operations import get_approval_policy, set_approval_policy
from haulier.contexts.control_tower.audit_log.operations import list_audit_entries
from haulier.contexts.control_tower.personal_data.operations import list_personal_data_requests
from haulier.contexts.control_tower.retention.operations import get_retention
from haulier.contexts.control_tower.sample_data.operations import load_sample_data
from haulier.contexts.custom_fields.definitions.operations import list_custom_fields
from haulier.contexts.fleet.depots.operations import list_depots
from haulier.contexts.fleet.driver_documents.operations import get_driver_policy, set_driver_policy
from haulier.contexts.identity.accounts.operations import (
    get_client,
    list_api_tokens,
    list_users,
    set_module,
    update_client,
)
from haulier.contexts.identity.invitations.operations import invite_user, list_invitations
from haulier.contexts.identity.members.operations import list_roles
from haulier.contexts.integrations.webhooks.operations import get_webhook_settings, update_webhook_settings
from haulier.contexts.messaging.sms.operations import get_sms_settings, set_sms_account
from haulier.contexts.orders.quotes.operations import get_rate_card, set_rate_card
from haulier.contexts.orders.redelivery.operations import get_redelivery_policy, set_redelivery_policy
from haulier.contexts.places.zone_maps.operations import list_zone_maps
from haulier.contexts.recipients.brand.operations import get_brand, set_brand
from haulier.contexts.recipients.messages.operations import (
    get_recipient_messages,
    preview_recipient_messages,
    set_recipient_messages,
)
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.message_texts import MESSAGES, SETTINGS
from haulier.web.desk.module_switches import ORDER
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import act_address
from haulier.web.i18n import NATIVE_LANGUAGE_NAMES
from haulier.web.session import app_of

Op = Operation[Any, Any]


class SettingRow(Struct, frozen=True):
    """A setting with its current value and the page that changes it."""

    name: str
    summary: str
    address: str
    links: Sequence[tuple[str, str]] = ()
    """Further pages: text and address."""


class SettingGroup(Struct, frozen=True):
    """Settings that belong together."""

    name: str
    rows: Sequence[SettingRow]


async def settings_page(desk: DeskRequest) -> Response:
    """Show the settings that the caller may read, each with its value."""
    if not desk.session.office:
        return not_found(desk)
    groups = [SettingGroup(name, [row for row in await load(desk) if row]) for name, load in GROUPS.items()]
    return desk.page(
        "desk_settings.html",
        groups=[group for group in groups if group.rows],
        offers_samples=desk.may(load_sample_data),
        done=desk.places.registry.get(desk.request.query_params.get("done", "")),
    )


Rows = Iterable[SettingRow | None]


def _edit(
    desk: DeskRequest, name: str, write: Op | None, summary: str, links: Sequence[tuple[str, str]] = ()
) -> SettingRow | None:
    """Return a row that an operation changes, or None if its read is refused."""
    if write is None or not desk.may(write):
        return None
    return SettingRow(name, summary or desk.say("settings_page.not_set"), act_address(write, back=SETTINGS), links)


def _list(desk: DeskRequest, name: str, read: Op | None, address: str, summary: str) -> SettingRow | None:
    """Return a row of a list, or None if it is not for the caller."""
    return SettingRow(name, summary, address) if desk.may(read) else None


def _counts(desk: DeskRequest, *parts: tuple[str, Any]) -> str:
    """Return counts with their names: `Drivers: 4 · Invited: 1`."""
    return _joined(f"{desk.say(f'settings_page.{name}')}: {count}" for name, count in parts)


def _joined(parts: Iterable[Any]) -> str:
    return " · ".join(str(part) for part in parts if part)


def _shown(desk: DeskRequest, record: Mapping[str, Any], *names: str) -> str:
    """Return values of a record as its page shows them."""
    return _joined(desk.reader.cell(name, record[name], record).text for name in names if record.get(name))


async def _business(desk: DeskRequest) -> Rows:
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    identity = await desk.read_if_allowed(get_billing_identity)
    brand = (await desk.read_if_allowed(get_brand)).get("brand") or {}
    enabled, loaded = client.get("modules") or [], app_of(desk.request).loaded
    modules = [desk.say(f"modules.{each.value}") for each in ORDER if each.value in loaded and each.value in enabled]
    legal = _joined([_shown(desk, identity, "legal_name", "street", "city"), identity.get("vat_number")])
    return [
        _edit(
            desk,
            "business",
            update_client,
            _shown(desk, client, "name", "country", "currency", "time_zone", "language"),
        ),
        _edit(desk, "modules", set_module, ", ".join(modules) or desk.say("settings_page.no_modules")),
        _edit(desk, "brand", set_brand, _shown(desk, brand, "name", "website", "contact_email", "contact_phone")),
        _edit(desk, "legal", set_billing_identity, legal),
    ]


async def _team(desk: DeskRequest) -> Rows:
    admins = await desk.read_if_allowed(list_users, account="client_admin", per_page=1)
    staff = await desk.read_if_allowed(list_users, account="employee", per_page=1)
    invited = await desk.read_if_allowed(list_invitations, status="pending", per_page=1)
    roles = (await desk.read_if_allowed(list_roles)).get("roles") or []
    policy = await desk.read_if_allowed(get_approval_policy)
    people = [
        ("admins", admins.get("total", 0)),
        ("staff", staff.get("total", 0)),
        ("invited", invited.get("total", 0)),
    ]
    invite = (
        [(desk.say("settings_page.invite"), act_address(invite_user, back=SETTINGS))] if desk.may(invite_user) else []
    )
    own = desk.say("settings_page.own_approvals" if policy.get("own_allowed") else "settings_page.second_person")
    return [
        SettingRow("team", _counts(desk, *people), "/desk/users", invite) if desk.may(list_users) else None,
        _list(
            desk,
            "roles",
            list_roles,
            act_address(list_roles),
            ", ".join(desk.reader.choice(each["name"]).text for each in roles),
        ),
        _edit(desk, "approvals", set_approval_policy, _joined([own, _shown(desk, policy, "expires_after_h")])),
    ]


async def _messages(desk: DeskRequest) -> Rows:
    found = await desk.read_if_allowed(get_recipient_messages)
    sent = [
        name
        for name, channel in (found.get("messages") or {}).items()
        if channel not in {"none", 3} and name != "stops"
    ]
    sms = await desk.read_if_allowed(get_sms_settings)
    through = desk.say("settings_page.sms_own" if sms.get("through") == "own" else "settings_page.sms_platform")
    previews = [(name, f"{MESSAGES}?language={code}") for code, name in NATIVE_LANGUAGE_NAMES.items()]
    names = ", ".join(desk.reader.label(name).text for name in sent)
    return [
        _edit(
            desk, "messages", set_recipient_messages, names, previews if desk.may(preview_recipient_messages) else ()
        ),
        _edit(desk, "sms", set_sms_account, _joined([through, _shown(desk, sms, "sender")])),
    ]


async def _prices(desk: DeskRequest) -> Rows:
    card = await desk.read_if_allowed(get_rate_card)
    charging = await desk.read_if_allowed(get_charging_policy)
    invoicing = await desk.read_if_allowed(get_invoicing_settings)
    taxes = await desk.read_if_allowed(get_tax_settings)
    rates = (await desk.read_if_allowed(list_tax_rates)).get("tax_rates") or []
    terms = _shown(desk, invoicing, "payment_terms_days")
    tax = f"{invoicing.get('tax_name', '')} {_shown(desk, invoicing, 'tax_rate_bp')}".strip()
    return [
        _edit(desk, "prices", set_rate_card, _price_range(desk, card.get("rate_card") or {})),
        _edit(desk, "charging", set_charging_policy, desk.reader.choice(charging.get("deliveries", "")).text),
        _edit(
            desk,
            "taxes",
            set_tax_settings,
            _joined([_shown(desk, taxes, "country"), tax, _counts(desk, ("rates", len(rates)))]),
        ),
        _edit(desk, "invoicing", set_invoicing_settings, _joined([invoicing.get("invoice_prefix"), terms])),
    ]


def _price_range(desk: DeskRequest, card: Mapping[str, Any]) -> str:
    """Return the lowest and highest base price, and the number of price zones."""
    bases = [zone["base"] for zone in card.get("zones") or []]
    if not bases:
        return ""
    beside = {"currency": desk.session.currency}
    shown = [desk.reader.cell("base", each, beside).text for each in dict.fromkeys((min(bases), max(bases)))]
    return _joined([" – ".join(shown), _counts(desk, ("price_zones", len(bases)))])


async def _areas(desk: DeskRequest) -> Rows:
    maps = await desk.read_if_allowed(list_zone_maps, per_page=1)
    booking = await desk.read_if_allowed(list_booking_zones, per_page=1)
    coming = await desk.read_if_allowed(list_booking_windows, per_page=1)
    depots = await desk.read_if_allowed(list_depots, per_page=1)
    attempts = await desk.read_if_allowed(get_redelivery_policy)
    policy = await desk.read_if_allowed(get_driver_policy)
    required = ", ".join(desk.reader.choice(kind).text for kind in policy.get("required") or [])
    offered = _counts(desk, ("areas", booking.get("total", 0)), ("windows", coming.get("total", 0)))
    return [
        _list(desk, "zones", list_zone_maps, "/desk/zone-maps", _counts(desk, ("maps", maps.get("total", 0)))),
        _list(desk, "delivery_windows", list_booking_windows, "/desk/bookings", offered),
        _list(desk, "depots", list_depots, "/desk/depots", _counts(desk, ("depots", depots.get("total", 0)))),
        _edit(
            desk, "redelivery", set_redelivery_policy, _counts(desk, ("attempts", attempts.get("max_attempts", "—")))
        ),
        _edit(desk, "driver_documents", set_driver_policy, required or desk.say("settings_page.none_required")),
    ]


async def _shipping(desk: DeskRequest) -> Rows:
    rules, accounts = desk.find("list_shipping_rules"), desk.find("list_carrier_accounts")
    listed = (await desk.read_if_allowed(rules)).get("rules") or []
    carriers = (await desk.read_if_allowed(accounts)).get("accounts") or []
    told = [
        ("enabled", sum(rule["enabled"] for rule in listed)),
        ("disabled", sum(not rule["enabled"] for rule in listed)),
    ]
    names = ", ".join(each["name"] for each in carriers) or desk.say("settings_page.not_set")
    return [
        _list(desk, "shipping_rules", rules, "/desk/shipping-rules", _counts(desk, *told)),
        _list(desk, "carriers", accounts, "/desk/carrier-accounts", names),
    ]


async def _integrations(desk: DeskRequest) -> Rows:
    hooks = await desk.read_if_allowed(get_webhook_settings)
    tokens = await desk.read_if_allowed(list_api_tokens, per_page=1)
    endpoints = len(hooks.get("endpoints") or [])
    return [
        _edit(desk, "webhooks", update_webhook_settings, _counts(desk, ("endpoints", endpoints))),
        _list(desk, "api_keys", list_api_tokens, "/desk/api-tokens", _counts(desk, ("keys", tokens.get("total", 0)))),
        _list(
            desk,
            "developers",
            get_webhook_settings,
            "/desk/sections/developers",
            desk.say("settings_page.developers_text"),
        ),
    ]


async def _data(desk: DeskRequest) -> Rows:
    fields = (await desk.read_if_allowed(list_custom_fields)).get("custom_fields") or []
    kinds = (await desk.read_if_allowed(get_retention)).get("kinds") or []
    requests = await desk.read_if_allowed(list_personal_data_requests, per_page=1)
    limited = sum(each["days"] is not None for each in kinds)
    asked = _counts(desk, ("requests", requests.get("total", 0)))
    return [
        _list(desk, "custom_fields", list_custom_fields, "/desk/custom-fields", _counts(desk, ("fields", len(fields)))),
        _list(desk, "retention", get_retention, "/desk/retention", _counts(desk, ("retained", limited))),
        _list(desk, "personal_data", list_personal_data_requests, "/desk/personal-data-requests", asked),
        _list(desk, "audit", list_audit_entries, "/desk/audit-entries", desk.say("settings_page.audit_text")),
    ]


GROUPS: Mapping[str, Callable[[DeskRequest], Awaitable[Rows]]] = {
    "group_business": _business,
    "group_team": _team,
    "group_prices": _prices,
    "group_areas": _areas,
    "group_shipping": _shipping,
    "group_messages": _messages,
    "group_integrations": _integrations,
    "group_data": _data,
}
"""Groups in the order of the page."""
