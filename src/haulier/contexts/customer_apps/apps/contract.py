"""The bootstrap of an app: requests and answers."""

from typing import Annotated

from haulier.contexts.customer_apps.apps.contract.fields import ClientAppRef, Platform, SemanticVersion
from haulier.kernel.operations.answers import Answer, doc


class GetAppBootstrap(ClientAppRef):
    """An app that opens, before anyone has signed in."""

    platform: Platform | None = None
    """The platform that the app runs on."""
    app_version: SemanticVersion | None = None
    """The app's version, as semver.org writes them."""


class AppFacts(Answer):
    """The app."""

    code: str
    name: str
    type: Annotated[str, doc("Who it is for", "customer")]
    schema_version: Annotated[int, doc("The version of this document's form; it grows only when fields change meaning")]


class AppClient(Answer):
    """The client that the app is bound to."""

    code: str
    display_name: str


class AppMethods(Answer):
    """The ways to sign in that are open."""

    idp: bool
    email: bool
    registration: bool


class IdpFacts(Answer):
    """The identity provider."""

    server_client_id: Annotated[
        str, doc("The audience that an ID token for this app's backend must have; may be empty")
    ]


class RegistrationFacts(Answer):
    """How people register themselves."""

    enabled: bool
    phone_verification_required: bool
    sms_configured: bool
    default_phone_region: Annotated[str, doc("Where numbers without a country code are, ISO 3166-1 alpha-2", "CA")]
    requires_approval: Annotated[bool, doc("Whether the client looks at a registration before it counts")]
    code_length: Annotated[int, doc("Digits of a verification code", 6)]
    resend_after: Annotated[int, doc("Seconds until another code may be asked for", 60)]


class AppAuthentication(Answer):
    """How to sign in."""

    methods: AppMethods
    idp: IdpFacts
    registration: RegistrationFacts


class IdentityContract(Answer):
    """The identity service."""

    source_of_truth: str = "platform"
    shared_with_web: bool = True


class WalletContract(Answer):
    """Where money is kept."""

    source_of_truth: str = "platform"
    ledger_mode: str = "double_entry"


class AppServices(Answer):
    """What the app may rely on about the services behind it."""

    identity: IdentityContract
    wallet: WalletContract


class ServiceContract(Answer):
    """An interface that the app may call with the token of its session."""

    name: Annotated[str, doc("rest or graphql", "rest")]
    version: str
    url: str


class PlatformPolicy(Answer):
    """The versions that the client lets in on one platform."""

    platform: Platform
    minimum: Annotated[str | None, doc("Older ones must update", "1.0.0")]
    recommended: Annotated[str | None, doc("Older ones should update", "1.2.0")]
    blocked: Annotated[list[str], doc("Versions that must update whatever their age")]
    store_url: Annotated[str | None, doc("Where updates are")]


class AppVersionStatus(Answer):
    """The status of the calling version."""

    status: Annotated[str, doc("ok, update_advised or update_required; ok without a platform and version", "ok")]
    update_required: bool
    update_recommended: bool
    platforms: list[PlatformPolicy]


class HomeSettings(Answer):
    """The home page."""

    quick_actions: Annotated[list[str], doc("Shortcuts to show, in this order", ["send", "return"])]


class AppSettings(Answer):
    """How the client wants the app to look."""

    home: HomeSettings


class AppConfiguration(Answer):
    """Everything an app needs to know before anyone has signed in."""

    app: AppFacts
    client: AppClient
    configuration_version: Annotated[int, doc("Grows with every change that the client makes to the app's settings")]
    capabilities: Annotated[dict[str, bool], doc("What is on, by name", {"auth.email": True, "wallet.balance": False})]
    authentication: AppAuthentication
    services: AppServices
    service_contracts: list[ServiceContract]
    settings: AppSettings
    version_policy: AppVersionStatus


class AppBootstrap(Answer):
    """The configuration of an app at a client."""

    result: bool = True
    data: AppConfiguration
