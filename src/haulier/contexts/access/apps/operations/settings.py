"""How a client sets up the platform's apps."""

from typing import Any

from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.apps import store
from haulier.contexts.access.apps.contract.fields import TAG, ThisApp
from haulier.contexts.access.apps.contract.settings import (
    AppList,
    AppRecord,
    AppSetUp,
    ListApps,
    OneAppSetUp,
    UpdateAppSettings,
)
from haulier.contexts.access.apps.operations.bootstrap import platform_policy
from haulier.contexts.access.apps.rules.menu import Method, QuickAction
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

REGION_OF_NOBODY = "US"
"""Where a client without a home country is taken to be, for phone numbers without a country code."""


@reads(
    "list_apps",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/apps", tag=TAG), GraphQL("apps")),
)
async def list_apps(call: Call, request: ListApps) -> AppList:
    """The platform's apps, and which of them this client has on."""
    rows, total = await store.page(call.work, limit=request.per_page, offset=request.offset)
    return AppList(total=total, page=request.page, per_page=request.per_page, apps=[_record(row) for row in rows])


@reads(
    "get_app_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/apps/{appCode}/settings", tag=TAG), GraphQL("appSettings")),
    errors=(NOT_FOUND,),
)
async def get_app_settings(call: Call, request: ThisApp) -> OneAppSetUp:
    """How this client has set up an app."""
    return await _answer(call, request.app_code)


@writes(
    "update_app_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/apps/{appCode}/settings", tag=TAG), GraphQL("updateAppSettings")),
    errors=(NOT_FOUND,),
)
async def update_app_settings(call: Call, request: UpdateAppSettings) -> OneAppSetUp:
    """Change how this client offers an app: on or off, ways to sign in, what it can do, shortcuts, versions let in.

    The configuration's version grows by one, so that apps notice.
    """
    row = await store.one(call.work, request.app_code)
    if row is None:
        raise NOT_FOUND()
    chosen = request.model_dump(mode="json", include=set(store.CHOSEN), exclude_none=True)
    values = {name: sorted(value) if name in _UNORDERED else value for name, value in chosen.items()}
    if row.assignment_id is None:
        client = await client_store.one(call.work, call.client_id)
        first = as_first_offered(client.country) | values
        await store.assign(call.work, app_id=row.app_id, **first, version=1, updated_at=call.now)
    else:
        await store.change(call.work, row.assignment_id, **values, updated_at=call.now)
    if request.version_policies:
        policies = [policy.model_dump(mode="json") for policy in request.version_policies]
        await store.put_policies(call.work, row.app_id, policies)
    call.concerns("app", row.app_id)
    return await _answer(call, request.app_code)


_UNORDERED = ("methods", "capabilities", "hidden_quick_actions")


def as_first_offered(country: str | None) -> dict[str, Any]:
    """How an app is before a client sets it up: off, with the way in that every user has."""
    return {
        "enabled": False,
        "methods": [Method.EMAIL.value],
        "capabilities": [],
        "quick_actions": [action.value for action in QuickAction],
        "hidden_quick_actions": [],
        "default_phone_region": country or REGION_OF_NOBODY,
        "requires_approval": False,
    }


async def _answer(call: Call, code: str) -> OneAppSetUp:
    row = await store.one(call.work, code)
    if row is None:
        raise NOT_FOUND()
    country = (await client_store.one(call.work, call.client_id)).country
    policies = await store.policies_at(call.work, row.app_id, call.client_id)
    values = {name: getattr(row, name) for name in store.CHOSEN} if row.assignment_id else as_first_offered(country)
    values.pop("enabled")
    return OneAppSetUp(
        settings=AppSetUp(
            app=_record(row),
            **values,
            version_policies=[platform_policy(policy) for policy in policies],
            updated_at=row.updated_at,
        )
    )


def _record(row: Any) -> AppRecord:
    return AppRecord(
        code=row.code, name=row.name, type=row.type, enabled=bool(row.enabled), configuration_version=row.version or 0
    )
