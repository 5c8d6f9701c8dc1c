"""How a client sets up the platform's apps."""

from haulier.contexts.customer_apps.apps.contract.fields import AppRef
from haulier.contexts.customer_apps.apps.contract.settings import (
    AppList,
    AppRecord,
    AppSettingsDetail,
    AppSettingsRecord,
    ListApps,
    UpdateAppSettings,
)
from haulier.contexts.customer_apps.apps.rules.capabilities import default_app_settings
from haulier.contexts.customer_apps.apps.serializers import to_platform_policy
from haulier.contexts.customer_apps.apps.store import apps as store
from haulier.contexts.customer_apps.apps.store.apps import PlatformAppRow
from haulier.contexts.identity.public import require_client
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@reads(
    "list_apps",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/apps"), GraphQL("apps")),
)
async def list_apps(call: Call, request: ListApps) -> AppList:
    """The platform's apps, and which of them this client has on."""
    rows, total = await store.list_app_rows(call.work, limit=request.per_page, offset=request.offset)
    return AppList(total=total, page=request.page, per_page=request.per_page, apps=[_app_record(row) for row in rows])


@reads(
    "get_app_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/apps/{appCode}/settings"), GraphQL("appSettings")),
    errors=(NOT_FOUND,),
)
async def get_app_settings(call: Call, request: AppRef) -> AppSettingsDetail:
    """How this client has set up an app."""
    return await _app_settings_detail(call, request.app_code)


@writes(
    "update_app_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/apps/{appCode}/settings"), GraphQL("updateAppSettings")),
    errors=(NOT_FOUND,),
)
async def update_app_settings(call: Call, request: UpdateAppSettings) -> AppSettingsDetail:
    """Change how this client offers an app: on or off, ways to sign in, what it can do, shortcuts, versions let in.

    The configuration's version grows by one, so that apps notice.
    """
    row = await store.get_app_row(call.work, request.app_code)
    if row is None:
        raise NOT_FOUND()
    chosen = request.model_dump(mode="json", include=set(store.SETTINGS_COLUMNS), exclude_none=True)
    values = {name: sorted(value) if name in _UNORDERED else value for name, value in chosen.items()}
    if row.assignment_id is None:
        client = await require_client(call.work, call.client_id)
        settings = default_app_settings(client.country) | values
        await store.insert_app_assignment(call.work, app_id=row.app_id, **settings, version=1, updated_at=call.now)
    else:
        await store.update_app_assignment(call.work, row.assignment_id, **values, updated_at=call.now)
    if request.version_policies:
        policies = [policy.model_dump(mode="json") for policy in request.version_policies]
        await store.upsert_version_policies(call.work, row.app_id, policies)
    call.add_audit_subjects("app", row.app_id)
    return await _app_settings_detail(call, request.app_code)


_UNORDERED = ("methods", "capabilities", "hidden_quick_actions")


async def _app_settings_detail(call: Call, code: str) -> AppSettingsDetail:
    row = await store.get_app_row(call.work, code)
    if row is None:
        raise NOT_FOUND()
    country = (await require_client(call.work, call.client_id)).country
    policies = await store.list_version_policies(call.work, row.app_id, call.client_id)
    values = (
        {name: getattr(row, name) for name in store.SETTINGS_COLUMNS}
        if row.assignment_id
        else default_app_settings(country)
    )
    values.pop("enabled")
    return AppSettingsDetail(
        settings=AppSettingsRecord(
            app=_app_record(row),
            **values,
            version_policies=[to_platform_policy(policy) for policy in policies],
            updated_at=row.updated_at,
        )
    )


def _app_record(row: PlatformAppRow) -> AppRecord:
    return record(AppRecord, row, enabled=bool(row.enabled), configuration_version=row.version or 0)
