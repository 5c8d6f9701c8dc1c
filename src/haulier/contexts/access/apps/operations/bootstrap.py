"""What an app asks when it opens."""

import hashlib
from collections.abc import Sequence
from typing import Any

from haulier.contexts.access.apps import store
from haulier.contexts.access.apps.contract.bootstrap import (
    AppClient,
    AppFacts,
    AppMethods,
    AppServices,
    AppSettings,
    Authentication,
    Bootstrap,
    Configuration,
    HomeSettings,
    IdentityContract,
    IdpFacts,
    OpenApp,
    PlatformPolicy,
    RegistrationFacts,
    ServiceContract,
    VersionPolicy,
    WalletContract,
)
from haulier.contexts.access.apps.contract.fields import PATH, TAG
from haulier.contexts.access.apps.entrance import Context, enter, policies_of
from haulier.contexts.access.apps.rules.access import APP_UNAVAILABLE
from haulier.contexts.access.apps.rules.codes import DIGITS, RESEND_AFTER_S
from haulier.contexts.access.apps.rules.menu import Method, capabilities, shortcuts
from haulier.contexts.access.apps.rules.versions import Standing, standing
from haulier.kernel.call import Call
from haulier.kernel.codec import encode
from haulier.kernel.declarations import Account
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import Fingerprint, GraphQL, Rest, reads

INTERFACE_VERSION = "1.0"
"""Of the REST description and what is served beside it."""


async def same_configuration(call: Call, request: OpenApp) -> Fingerprint:
    """What tells whether an app has the configuration already: its version, and all else that stands in it."""
    return _fingerprint(await _read(call, request))


@reads(
    "app_bootstrap",
    audience={Account.PUBLIC},
    doors=(Rest("GET", f"{PATH}/bootstrap", tag=TAG), GraphQL("appBootstrap")),
    errors=(NOT_FOUND, APP_UNAVAILABLE),
    fingerprint=same_configuration,
)
async def app_bootstrap(call: Call, request: OpenApp) -> Bootstrap:
    """Everything an app needs to know before anyone has signed in: how to sign in, what is on, whether to update.

    The header ETag changes with the configuration; sent back as If-None-Match, it spares the answer while nothing changed.
    """
    data = await _read(call, request)
    call.fingerprint = _fingerprint(data)
    return Bootstrap(data=data)


async def _read(call: Call, request: OpenApp) -> Configuration:
    context = await enter(call.house, call.work, request)
    rows = await store.policies_at(call.work, context.app_id, context.client_id)
    return _configuration(call, context, rows, request)


def _fingerprint(data: Configuration) -> Fingerprint:
    return Fingerprint(f"{data.configuration_version}-{hashlib.sha256(encode(data)).hexdigest()[:16]}")


def _configuration(call: Call, context: Context, rows: Sequence[Any], request: OpenApp) -> Configuration:
    about = context.about
    on = capabilities(about.capabilities, context.methods)
    return Configuration(
        app=AppFacts(code=about.code, name=about.name, type=about.type, schema_version=about.schema_version),
        client=AppClient(code=about.client_code, display_name=about.client_name),
        configuration_version=about.version,
        capabilities=on,
        authentication=_authentication(context),
        services=AppServices(identity=IdentityContract(), wallet=WalletContract()),
        service_contracts=_contracts(call.house.base_url),
        settings=AppSettings(
            home=HomeSettings(quick_actions=shortcuts(about.quick_actions, about.hidden_quick_actions, on))
        ),
        version_policy=_version_policy(rows, request),
    )


def _authentication(context: Context) -> Authentication:
    about, methods = context.about, context.methods
    return Authentication(
        methods=AppMethods(
            idp=Method.IDP in methods, email=Method.EMAIL in methods, registration=Method.REGISTRATION in methods
        ),
        idp=IdpFacts(server_client_id=about.server_client_id or ""),
        registration=RegistrationFacts(
            enabled=Method.REGISTRATION in methods,
            phone_verification_required=True,
            sms_configured=context.sms,
            default_phone_region=about.default_phone_region,
            requires_approval=about.requires_approval,
            code_length=DIGITS,
            resend_after=RESEND_AFTER_S,
        ),
    )


def _contracts(base_url: str) -> list[ServiceContract]:
    return [
        ServiceContract(name="rest", version=INTERFACE_VERSION, url=f"{base_url}/api/v1"),
        ServiceContract(name="graphql", version=INTERFACE_VERSION, url=f"{base_url}/api/graphql"),
    ]


def _version_policy(rows: Sequence[Any], request: OpenApp) -> VersionPolicy:
    policy = policies_of(rows).get(request.platform) if request.platform else None
    stands = standing(request.app_version, policy)
    return VersionPolicy(
        status=stands.value,
        update_required=stands is Standing.REFUSED,
        update_recommended=stands is not Standing.CURRENT,
        platforms=[platform_policy(row) for row in rows],
    )


def platform_policy(row: Any) -> PlatformPolicy:
    """A version policy as the world sees it."""
    return PlatformPolicy(
        platform=row.platform,
        minimum=row.minimum,
        recommended=row.recommended,
        blocked=row.blocked,
        store_url=row.store_url,
    )
