"""A business with rows in every table, under a name that tests can search."""

from typing import Any

import msgspec
from sqlalchemy import func, select
from tests.contexts.alliances.makers import make_alliance, make_grant, track
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, offer_customer_app
from tests.contexts.customer_apps.registration.steps import waiting
from tests.contexts.identity.invitations.steps import invited
from tests.contexts.messaging.sms.steps import OWN
from tests.contexts.planning.builds.makers import build_and_read, create_orders_around, use_in_process_search
from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline
from tests.invariants.business import MARK, make_business
from tests.invariants.dry_run_day import Known, Step, day, learn, taken
from tests.support.app import App
from tests.support.kept_stream import kept_stream

from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.contexts.alliances.alliances.rules import SharedField
from haulier.contexts.analytics.public import fold_sums
from haulier.contexts.billing import public as billing
from haulier.contexts.control_tower.retention.jobs import schedule_retention
from haulier.contexts.identity import public as access
from haulier.contexts.messaging.ports import SecretVault
from haulier.kernel.call import call_as_system
from haulier.kernel.data.tables import metadata, tenant_tables
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.money import Money

FREE_TEXTS = {"name", "title", "note", "description", "delivery_instruction", "plate", "city"}
"""Fields of a step that may say anything, so that they say the name that is looked for."""
SHOWN_TO_THE_ALLY = {"create_alliance", "update_alliance"}
"""Details of an alliance, which the rival can read as a member."""
SHOWN_TO_THE_PARTNER = {"p1", "p2"}
"""Orders that the day offers to the rival, who may then read of them."""
NAMED_FOR_PROGRAMS = {"create_custom_field", "create_service", "update_service"}
"""Records of these writes have lower-case names."""
ENDS_THE_DAY = {"logout"}
RECORDS = {
    "account_id": "carrier_account",
    "agent_session_id": "agent_session",
    "agent_turn_id": "agent_turn",
    "alliance_id": "alliance",
    "geocoding_id": "dataset_geocoding",
    "grant_id": "tracking_grant",
    "approval_id": "pending_write",
    "build_id": "route_build",
    "carrier_message_id": "tracking_carrier_message",
    "connection_id": "oauth_grant",
    "custom_field_id": "custom_field",
    "dataset_id": "dataset",
    "delivery_log_id": "webhook_delivery",
    "earning_id": "earning",
    "endpoint_id": "webhook_endpoint",
    "entry_id": "cod_entry",
    "group_id": "dataset_group",
    "import_id": "dataset_import",
    "invitation_id": "invitation",
    "job_id": "instant_job",
    "link_id": "sign_in_link",
    "manifest_id": "shipping_manifest",
    "partnership_id": "delivery_partnership",
    "pattern_id": "booking_pattern",
    "provider_id": "provider_key",
    "record_id": "dataset_record",
    "request_id": "personal_data_request",
    "rate_id": "pay_rate",
    "reservation_id": "reservation",
    "rule_id": "contractor_rule",
    "session_id": "access_token",
    "skill_id": "driver_skill",
    "token_id": "access_token",
    "transfer_id": "ledger_transfer",
    "vehicle_id": "vehicle",
    "waiting_entry_id": "waiting_entry",
    "window_id": "booking_window",
    "zone_id": "booking_zone",
    "other_route_id": "route",
}
"""By the name of a field: the table whose newest record it then names. `make_business` knows the others."""
MEANT_BY_A_CONTEXT = {
    ("driver_app", "offer_id"): "instant_offer",
    ("marketplace", "offer_id"): "partner_offer",
    ("customer_apps", "registration_id"): "app_registration",
    ("fleet", "registration_id"): "driver_registration",
    ("places", "import_id"): "address_import",
    ("documents", "document_id"): "issued_document",
    ("warehouse", "transfer_id"): "warehouse_transfer",
}
"""Fields that mean another record in each context."""


async def make_full_business(app: App) -> dict[str, Any]:
    """Create rows of the demo client in every table and return the ids.

    The keys are field names, or `context.field` where the meaning depends on the context.
    """
    await make_day(app)
    await some_sums(app)
    await make_second_driver(app)
    known = await make_business(app)
    await papers(app, known)
    await make_app_of_customers(app)
    await news(app, known["number"])
    await make_plan(app)
    await make_office(app)
    await some_money(app)
    await make_ally(app, known["number"])
    await app.work_off()
    return {**known, "contractor_id": known["broker_id"], "day": "2026-06-10", **await newest_records(app)}


def known_to(operation: Operation[Any, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the known ids with those that the operation's context gives its fields."""
    context = operation.handler.__module__.split(".")[2]
    own = {field: known[f"{of}.{field}"] for of, field in MEANT_BY_A_CONTEXT if of == context}
    return {name: value for name, value in known.items() if "." not in name} | own


async def some_money(app: App) -> None:
    """Give a customer credit and hold a part of it."""
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        money, about = Money(5000, "CAD"), billing.MoneySubject("order", 1)
        await billing.top_up(call, app.ids["customer"], money * 2, key="first", reason=MARK)
        await billing.charge(call, app.ids["customer"], money, key="bought", subject=about)
        await billing.hold_credit(call, app.ids["customer"], money, key="promised", subject=about)


async def some_sums(app: App) -> None:
    """Fold some of the day's entries into the sums."""
    async with app.database.write(app.clients["demo"]) as work:
        await fold_sums(work, 5)


async def make_day(app: App) -> None:
    """Run the whole dry-run day with the mark in its texts."""
    known: Known = dict(app.ids)
    for one in day():
        if one.operation in ENDS_THE_DAY:
            continue
        await learn(app, one, known)
        done = await app.answer(one.who, one.operation, marked(one, one.asked(known)))
        known.update({name: taken(msgspec.to_builtins(done), path) for name, path in one.brings.items()})
    await app.work_off()


def marked(one: Step, asked: dict[str, Any]) -> dict[str, Any]:
    shown = one.operation in SHOWN_TO_THE_ALLY | NAMED_FOR_PROGRAMS or asked.get("order_ref") in SHOWN_TO_THE_PARTNER
    if shown or (one.who or "").startswith("rival"):
        return asked
    return _marked(asked)


def _marked(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {part: _marked(each, part) for part, each in value.items()}
    if isinstance(value, list):
        return [_marked(each, name) for each in value]
    return f"{MARK} {value}" if name in FREE_TEXTS and isinstance(value, str) else value


async def make_second_driver(app: App) -> None:
    """Create a driver account for `make_business`, as the day uses all others."""
    words = {"client_id": app.clients["demo"], "account": Account.DRIVER, "now": app.clock.now}
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        app.ids["driver"] = await access.provision_user(work, email="third@demo.example", name=MARK, **words)


async def papers(app: App, known: dict[str, Any]) -> None:
    """Create master data: rules, prices and permissions."""
    await app.answer("admin", "create_contractor_rule", {"contractor_id": known["broker_id"], "name": MARK})
    zones = [{"code": "city", "up_to_m": 500_000, "base": 799}]
    services = [{"code": "standard", "name": MARK, "percent": 100}]
    await app.answer("admin", "set_rate_card", {"rate_card": {"zones": zones, "services": services}})
    await app.answer("admin", "set_permissions", {"user_id": known["user_id"], "role": "dispatcher"})
    await app.answer("admin", "export_personal_data", {"user_id": known["user_id"]})
    await schedule_retention.handler(app.application)


async def make_office(app: App) -> None:
    """Create an invitation, a password reset and a messaging account of the client."""
    await invited(app, name=MARK)
    await app.answer("admin", "set_weekly_report", {"enabled": True})
    await app.answer(None, "request_password_reset", {"email": "admin@demo.example"})
    adapters: Any = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
    await app.answer("admin", "set_sms_account", OWN)


async def make_ally(app: App, number: str) -> None:
    """Let the rival track a parcel with all fields, and track it once.

    No other operation may show the parcel to the rival.
    """
    alliance_id = await make_alliance(app, "rival")
    listed = {"numbers": "listed", "tracking_numbers": [number], "fields": list(SharedField)}
    await make_grant(app, alliance_id, **listed)
    assert (await track(app, number)).answer.trackings


async def make_app_of_customers(app: App) -> None:
    """Create a customer signed in to the app, and an approved registration."""
    oldest = [{"platform": "ios", "minimum": "1.0.0"}]
    phones = await offer_customer_app(app, requires_approval=True, version_policies=oldest)
    cleo = {"email": "cleo@demo.example", "password": "correct horse battery"}
    await app.answer("admin", "create_user", {"name": MARK, "account": "customer", **cleo})
    await app.answer(None, "sign_in_to_app_with_email", {**CLIENT_APP, **DEVICE, **cleo})
    admitted = await waiting(app, phones, name=MARK)
    await app.answer("admin", "approve_app_registration", {"registration_id": admitted})


async def news(app: App, number: str) -> None:
    """Send carrier events of a parcel, one retracted and one rejected."""
    app.tokens["carrier"] = await make_key(app, name=MARK)
    await app.answer("admin", "entrust_parcels", {"tracking_numbers": [number], "carrier": MARK})
    wrong = make_event("delivered", 1, event_id="e-1")
    await app.answer("carrier", "ingest_timelines", make_timeline(wrong, number=number))
    said = {"event_id": "e-1", "declared_at": make_event(hours=2)["occurred_at"], "reason": "incorrect_data"}
    taken_back = make_timeline(voided=[{"event": wrong, "correction": said}], number=number)
    taken_back["subject"]["external_tracking_number"] = f"{MARK}-carrier"
    await app.answer("carrier", "ingest_timelines", taken_back)
    differs = make_timeline(make_event("sorted", 3, event_id="e-1"), number=number)
    unknown = {"resource_type": "API_NEW", "data": {"tracking_number": number, "text": MARK}}
    await app.answer("carrier", "ingest_timelines", unknown)
    with kept_stream(app.application) as broker:
        await app.answer("carrier", "ingest_timelines", differs, texts={"prefer": "respond-async"})
        await broker.write()


async def make_plan(app: App) -> None:
    """Create a completed build."""
    use_in_process_search(app)
    await create_orders_around(app, 3)
    await build_and_read(app)


async def newest_records(app: App) -> dict[str, int]:
    """Return the newest record of the demo client in each table that a field names."""
    named = RECORDS | {f"{context}.{field}": table for (context, field), table in MEANT_BY_A_CONTEXT.items()}
    async with app.database.read(app.clients["demo"]) as work:
        return {
            field: await work.value(select(func.max(metadata.tables[table].c.id))) for field, table in named.items()
        }


async def empty_tables(app: App) -> set[str]:
    """Return the tenant tables without a row of the demo client."""
    async with app.database.read(app.clients["demo"]) as work:
        return {
            table.name for table in tenant_tables() if not await work.value(select(func.count()).select_from(table))
        }
