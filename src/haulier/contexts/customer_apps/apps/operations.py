"""Operations on apps."""

import hashlib
from collections.abc import Sequence

from haulier.contexts.customer_apps.apps import store
from haulier.contexts.customer_apps.apps.contract import (
    PATH,
    AppAuthentication,
    AppBootstrap,
    AppClient,
    AppConfiguration,
    AppFacts,
    AppList,
    AppMethods,
    AppRecord,
    AppRef,
    AppServices,
    AppSettings,
    AppSettingsDetail,
    AppSettingsRecord,
    AppVersionStatus,
    GetAppBootstrap,
    HomeSettings,
    IdentityContract,
    IdpFacts,
    ListApps,
    RegistrationFacts,
    ServiceContract,
    UpdateAppSettings,
    WalletContract,
)
from haulier.contexts.customer_apps.apps.queries import ClientApp, get_client_app, to_version_policies
from haulier.contexts.customer_apps.apps.rules import (
    APP_UNAVAILABLE,
    CODE_DIGITS,
    RESEND_AFTER_S,
    AppVersionState,
    SignInMethod,
    capability_flags,
    default_app_settings,
    version_state,
    visible_quick_actions,
)
from haulier.contexts.customer_apps.apps.serializers import to_platform_policy
from haulier.contexts.customer_apps.apps.store import PlatformAppRow, VersionPolicyRow
from haulier.contexts.identity.public import require_client
from haulier.kernel.call import Call
from haulier.kernel.operations.caching import Fingerprint, Http
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

INTERFACE_VERSION = "1.0"
"""The version of the REST and GraphQL interfaces."""


async def bootstrap_fingerprint(call: Call, request: GetAppBootstrap) -> Fingerprint:
    """Return the fingerprint of the configuration: its version, and a digest."""
    return _fingerprint(await _read_configuration(call, request))


@reads(
    "app_bootstrap",
    audience={Account.PUBLIC},
    interfaces=(Rest("GET", f"{PATH}/bootstrap"), GraphQL("appBootstrap")),
    errors=(NOT_FOUND, APP_UNAVAILABLE),
    http=Http(fingerprint=bootstrap_fingerprint),
)
async def app_bootstrap(call: Call, request: GetAppBootstrap) -> AppBootstrap:
    """Get the configuration of an app before sign-in.

    Returns the ways to sign in, enabled features, and required updates. The ETag header changes with the configuration.
    Send it as If-None-Match to receive no body while nothing has changed.
    """
    data = await _read_configuration(call, request)
    call.fingerprint = _fingerprint(data)
    return AppBootstrap(data=data)


async def _read_configuration(call: Call, request: GetAppBootstrap) -> AppConfiguration:
    context = await get_client_app(call.app, call.work, request)
    rows = await store.list_version_policies(call.work, context.app_id, context.client_id)
    return _configuration(call, context, rows, request)


def _fingerprint(data: AppConfiguration) -> Fingerprint:
    return Fingerprint(f"{data.configuration_version}-{hashlib.sha256(encode_json(data)).hexdigest()[:16]}")


def _configuration(
    call: Call, context: ClientApp, rows: Sequence[VersionPolicyRow], request: GetAppBootstrap
) -> AppConfiguration:
    about = context.about
    capabilities = capability_flags(about.capabilities, context.methods)
    return AppConfiguration(
        app=AppFacts(code=about.code, name=about.name, type=about.type, schema_version=about.schema_version),
        client=AppClient(code=about.client_code, display_name=about.client_name),
        configuration_version=about.version,
        capabilities=capabilities,
        authentication=_authentication(context),
        services=AppServices(identity=IdentityContract(), wallet=WalletContract()),
        service_contracts=_service_contracts(call.app.base_url),
        settings=AppSettings(
            home=HomeSettings(
                quick_actions=visible_quick_actions(about.quick_actions, about.hidden_quick_actions, capabilities)
            )
        ),
        version_policy=_version_policy(rows, request),
    )


def _authentication(context: ClientApp) -> AppAuthentication:
    about, methods = context.about, context.methods
    return AppAuthentication(
        methods=AppMethods(
            idp=SignInMethod.IDP in methods,
            email=SignInMethod.EMAIL in methods,
            registration=SignInMethod.REGISTRATION in methods,
        ),
        idp=IdpFacts(server_client_id=about.server_client_id or ""),
        registration=RegistrationFacts(
            enabled=SignInMethod.REGISTRATION in methods,
            phone_verification_required=True,
            sms_configured=context.sms,
            default_phone_region=about.default_phone_region,
            requires_approval=about.requires_approval,
            code_length=CODE_DIGITS,
            resend_after=RESEND_AFTER_S,
        ),
    )


def _service_contracts(base_url: str) -> list[ServiceContract]:
    return [
        ServiceContract(name="rest", version=INTERFACE_VERSION, url=f"{base_url}/api/v1"),
        ServiceContract(name="graphql", version=INTERFACE_VERSION, url=f"{base_url}/api/graphql"),
    ]


def _version_policy(rows: Sequence[VersionPolicyRow], request: GetAppBootstrap) -> AppVersionStatus:
    policy = to_version_policies(rows).get(request.platform) if request.platform else None
    state = version_state(request.app_version, policy)
    return AppVersionStatus(
        status=state.value,
        update_required=state is AppVersionState.REFUSED,
        update_recommended=state is not AppVersionState.CURRENT,
        platforms=[to_platform_policy(row) for row in rows],
    )


@reads(
    "list_apps",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/apps"), GraphQL("apps")),
)
async def list_apps(call: Call, request: ListApps) -> AppList:
    """List the platform's apps.

    Includes whether each app is enabled for this client.
    """
    rows, total = await store.list_app_rows(call.work, limit=request.per_page, offset=request.offset)
    return AppList(total=total, page=request.page, per_page=request.per_page, apps=[_app_record(row) for row in rows])


@reads(
    "get_app_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/apps/{appCode}/settings"), GraphQL("appSettings")),
    errors=(NOT_FOUND,),
)
async def get_app_settings(call: Call, request: AppRef) -> AppSettingsDetail:
    """Settings of an app."""
    return await _app_settings_detail(call, request.app_code)


@writes(
    "update_app_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/apps/{appCode}/settings"), GraphQL("updateAppSettings")),
    errors=(NOT_FOUND,),
)
async def update_app_settings(call: Call, request: UpdateAppSettings) -> AppSettingsDetail:
    """Update how this client offers an app.

    Changes its availability, ways to sign in, capabilities, shortcuts and allowed versions. The version of the
    configuration increases by one, so that apps notice the change.
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
