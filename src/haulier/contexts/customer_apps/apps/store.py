"""Tables and statements of apps. Sessions and registrations join their app."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, UniqueConstraint, and_, bindparam, func, select, true, update

from haulier.contexts.customer_apps.apps.rules import VERSION_MAX
from haulier.contexts.identity.accounts.store.tables import clients
from haulier.contexts.messaging.sms.store import sms_accounts
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, directory_table, shared_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

apps = shared_table(
    "platform_app",
    Column("code", String(50), nullable=False, unique=True),
    Column("name", String(120), nullable=False),
    Column("type", String(20), nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("roles", Json, nullable=False),
    Column("idp_issuer", String(255)),
    Column("server_client_id", String(255)),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
)
"""Apps of the platform. Only the operator sets the trusted identity provider: a client could use it to sign in as anyone."""
plain_columns(apps, "code", "name", "type", "roles", "idp_issuer", "server_client_id")

assignments = directory_table(
    "platform_app_client",
    Column("app_id", Id, nullable=False, index=True),
    Column("enabled", Boolean, nullable=False),
    Column("methods", Json, nullable=False),
    Column("capabilities", Json, nullable=False),
    Column("quick_actions", Json, nullable=False),
    Column("hidden_quick_actions", Json, nullable=False),
    Column("default_phone_region", String(2), nullable=False),
    Column("requires_approval", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "app_id"),
    why="the path names an app and a client by their codes, before sign-in",
)
"""An app as one client offers it. `version` is the `configuration_version` of the bootstrap."""
plain_columns(assignments, "methods", "capabilities", "quick_actions", "hidden_quick_actions", "default_phone_region")

policies = tenant_table(
    "app_version_policy",
    Column("app_id", Id, nullable=False),
    Column("platform", String(10), nullable=False),
    Column("minimum", String(VERSION_MAX)),
    Column("recommended", String(VERSION_MAX)),
    Column("blocked", Json, nullable=False),
    Column("store_url", String(500)),
    UniqueConstraint("client_id", "app_id", "platform"),
)
plain_columns(policies, "platform", "minimum", "recommended", "blocked", "store_url")


SETTINGS_COLUMNS = (
    "enabled",
    "methods",
    "capabilities",
    "quick_actions",
    "hidden_quick_actions",
    "default_phone_region",
    "requires_approval",
)


class PlatformAppRow(Row):
    """An app of the platform as a client offers it.

    Client settings are null before the first change.
    """

    app_id: int
    code: str
    name: str
    type: str
    schema_version: int
    assignment_id: int | None
    enabled: bool | None
    version: int | None
    updated_at: datetime | None


class AppAtClientRow(Row):
    """An app and a client, found by their codes."""

    app_id: int
    code: str
    name: str
    type: str
    schema_version: int
    active: bool
    roles: list[str]
    idp_issuer: str | None
    server_client_id: str | None
    client_id: int
    client_code: str
    client_name: str
    time_zone: str
    sms_account_id: int | None


class ClientAppRow(AppAtClientRow):
    """An app and a client, whether or not the client offers the app."""

    assignment_id: int | None
    enabled: bool | None


class AvailableAppRow(AppAtClientRow):
    """An app that its client offers, with the settings of the client."""

    assignment_id: int
    version: int
    methods: list[str]
    capabilities: list[str]
    quick_actions: list[str]
    hidden_quick_actions: list[str]
    default_phone_region: str
    requires_approval: bool


class VersionPolicyRow(Row):
    """The versions of an app that a client lets in on a platform."""

    platform: str
    minimum: str | None
    recommended: str | None
    blocked: list[str]
    store_url: str | None


_app = (apps.c.id.label("app_id"), apps.c.code, apps.c.name, apps.c.type, apps.c.active, apps.c.schema_version)
_trust = (apps.c.roles, apps.c.idp_issuer, apps.c.server_client_id)
_set_up = (*(assignments.c[name] for name in SETTINGS_COLUMNS), assignments.c.version, assignments.c.updated_at)
_context = (
    select(
        *_app,
        *_trust,
        *_set_up,
        assignments.c.id.label("assignment_id"),
        clients.c.id.label("client_id"),
        clients.c.code.label("client_code"),
        clients.c.name.label("client_name"),
        clients.c.time_zone,
        sms_accounts.c.id.label("sms_account_id"),
    )
    .join_from(apps, clients, true())
    .outerjoin(assignments, and_(assignments.c.app_id == apps.c.id, assignments.c.client_id == clients.c.id))
    .outerjoin(sms_accounts, sms_accounts.c.client_id == clients.c.id)
    .where(apps.c.code == bindparam("app"), clients.c.code == bindparam("client"))
)
_lock = select(assignments.c.id).where(assignments.c.id == bindparam("assignment")).with_for_update()
_policies_of = (
    select(policies)
    .where(policies.c.app_id == bindparam("app"), policies.c.client_id == bindparam("client"))
    .order_by(policies.c.platform)
)
_joined = select(*_app, *_trust, *_set_up, assignments.c.id.label("assignment_id")).outerjoin_from(
    apps, assignments, assignments.c.app_id == apps.c.id
)
_one = _joined.where(apps.c.code == bindparam("app"), apps.c.active.is_(True))
_page = (
    _joined.where(apps.c.active.is_(True))
    .order_by(apps.c.code)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(apps).where(apps.c.active.is_(True))


async def get_client_app_row(work: UnitOfWork, app_code: str, client_code: str) -> ClientAppRow | None:
    """Return an app and a client with their assignment in one statement, or None."""
    wide = work.without_tenant_filter("the path names the client, before sign-in")
    return await wide.first(_context, ClientAppRow, app=app_code, client=client_code)


async def lock_app_assignment(work: UnitOfWork, assignment_id: int) -> None:
    """Lock an assignment until the transaction ends, so that calls count one by one."""
    await work.without_tenant_filter("used before sign-in").value(_lock, assignment=assignment_id)


async def list_version_policies(work: UnitOfWork, app_id: int, client_id: int) -> Sequence[VersionPolicyRow]:
    """The version policies of an app at a client."""
    return await work.without_tenant_filter("used before sign-in").all(
        _policies_of, VersionPolicyRow, app=app_id, client=client_id
    )


async def get_app_row(work: UnitOfWork, code: str) -> PlatformAppRow | None:
    """An app as this client has it, or None."""
    return await work.first(_one, PlatformAppRow, app=code)


async def list_app_rows(work: UnitOfWork, *, limit: int, offset: int) -> tuple[Sequence[PlatformAppRow], int]:
    """A page of the platform's apps as this client has them, and how many there are."""
    return await work.all(_page, PlatformAppRow, page_size=limit, skipped=offset), await work.value(_count)


async def insert_app(work: UnitOfWork, **values: Any) -> int:
    """Write an app of the platform. Raises `UniqueConflict` when the code is taken."""
    return await work.insert(apps, **values)


async def insert_app_assignment(work: UnitOfWork, **values: Any) -> int:
    """Assign an app to this client. Raises `UniqueConflict` when it has it."""
    return await work.insert(assignments, **values)


async def update_app_assignment(work: UnitOfWork, assignment_id: int, **values: Any) -> None:
    """Change how this client offers an app; its version grows by one."""
    statement = update(assignments).where(assignments.c.id == bindparam("assignment"))
    await work.run(statement.values(**values, version=assignments.c.version + 1), assignment=assignment_id)


async def upsert_version_policies(work: UnitOfWork, app_id: int, rows: Sequence[dict[str, Any]]) -> None:
    """Set the version policies of some platforms for this client."""
    await work.upsert_many(policies, ("app_id", "platform"), [{"app_id": app_id, **row} for row in rows])
