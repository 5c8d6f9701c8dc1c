"""The configuration that an app reads when it opens."""

import hashlib
from collections.abc import Sequence

from haulier.contexts.customer_apps.apps.contract.bootstrap import (
    AppAuthentication,
    AppBootstrap,
    AppClient,
    AppConfiguration,
    AppFacts,
    AppMethods,
    AppServices,
    AppSettings,
    AppVersionStatus,
    GetAppBootstrap,
    HomeSettings,
    IdentityContract,
    IdpFacts,
    RegistrationFacts,
    ServiceContract,
    WalletContract,
)
from haulier.contexts.customer_apps.apps.contract.fields import PATH
from haulier.contexts.customer_apps.apps.queries import ClientApp, get_client_app, to_version_policies
from haulier.contexts.customer_apps.apps.rules.access import APP_UNAVAILABLE
from haulier.contexts.customer_apps.apps.rules.capabilities import SignInMethod, capability_flags, visible_quick_actions
from haulier.contexts.customer_apps.apps.rules.verification_codes import CODE_DIGITS, RESEND_AFTER_S
from haulier.contexts.customer_apps.apps.rules.versions import AppVersionState, version_state
from haulier.contexts.customer_apps.apps.serializers import to_platform_policy
from haulier.contexts.customer_apps.apps.store import apps as store
from haulier.contexts.customer_apps.apps.store.apps import VersionPolicyRow
from haulier.kernel.call import Call
from haulier.kernel.operations.caching import Fingerprint, Http
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND

INTERFACE_VERSION = "1.0"
"""The version of the REST and GraphQL interfaces."""


async def bootstrap_fingerprint(call: Call, request: GetAppBootstrap) -> Fingerprint:
    """The fingerprint of the configuration: its version, and a digest of all that it holds."""
    return _fingerprint(await _read_configuration(call, request))


@reads(
    "app_bootstrap",
    audience={Account.PUBLIC},
    doors=(Rest("GET", f"{PATH}/bootstrap"), GraphQL("appBootstrap")),
    errors=(NOT_FOUND, APP_UNAVAILABLE),
    http=Http(fingerprint=bootstrap_fingerprint),
)
async def app_bootstrap(call: Call, request: GetAppBootstrap) -> AppBootstrap:
    """Everything an app needs to know before anyone has signed in: how to sign in, what is on, whether to update.

    The header ETag changes with the configuration; sent back as If-None-Match, it spares the answer while nothing changed.
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
