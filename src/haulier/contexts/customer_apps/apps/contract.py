"""Request and response models of apps."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError, PydanticKnownError
from semver import Version

from haulier.contexts.customer_apps.apps.rules import (
    GRAMMAR,
    VERSION_MAX,
    AppCapability,
    QuickAction,
    SignInMethod,
    contradicting_field,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce
from haulier.kernel.operations.ids import OwnDeviceId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PATH = "/v1/apps/{appCode}/clients/{clientCode}"
"""Path of the operations of an app at a client."""

PRINTABLE_PATTERN = r"^[^\x00-\x1f]+$"
"""Text without control characters, which no device name has and databases cannot store."""

AppCode = Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTABLE_PATTERN, examples=["customer-app"])]
ClientCode = Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTABLE_PATTERN, examples=["demo"])]
Platform = Literal["ios", "android"]


def _require_semantic_version(text: str) -> str:
    if not Version.is_valid(text):
        raise PydanticKnownError("string_pattern_mismatch", {"pattern": GRAMMAR})
    return text


SemanticVersion = Annotated[
    str,
    StringConstraints(max_length=VERSION_MAX),
    AfterValidator(_require_semantic_version),
    Field(examples=["1.4.0", "2.0.0-beta.1"], json_schema_extra={"pattern": GRAMMAR}),
]
DeviceId = Annotated[
    OwnDeviceId, Field(min_length=1, max_length=191, pattern=PRINTABLE_PATTERN, examples=["6f1c2a9e-phone"])
]


class AppRef(Request):
    """Reference to an app."""

    app_code: AppCode = Field(alias="appCode")
    """Code of the app."""


class ClientAppRef(AppRef):
    """Reference to an app at a client.

    The codes identify a configuration and grant no access.
    """

    client_code: ClientCode = Field(alias="clientCode")
    """The client's code."""


class DeviceRequest(ClientAppRef):
    """A call that an app makes from a device."""

    device_id: DeviceId
    """Identifier of the device in the app. The session is bound to it."""
    device_platform: Platform
    """Platform of the device."""
    app_version: SemanticVersion | None = None
    """Version of the app in semantic versioning (semver.org)."""


class GetAppBootstrap(ClientAppRef):
    """An app that opens, before anyone has signed in."""

    platform: Platform | None = None
    """Platform of the app."""
    app_version: SemanticVersion | None = None
    """Version of the app in semantic versioning (semver.org)."""


class AppFacts(Answer):
    """The app."""

    code: str
    name: str
    type: Annotated[str, doc("Users of the app", "customer")]
    schema_version: Annotated[int, doc("Version of the document format; it increases only when fields change meaning")]


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

    server_client_id: Annotated[str, doc("Required audience of an ID token for the app's backend; may be empty")]


class RegistrationFacts(Answer):
    """Settings of self-registration."""

    enabled: bool
    phone_verification_required: bool
    sms_configured: bool
    default_phone_region: Annotated[
        str, doc("Country of phone numbers without a country code (ISO 3166-1 alpha-2)", "CA")
    ]
    requires_approval: Annotated[bool, doc("True if registrations require approval")]
    code_length: Annotated[int, doc("Number of digits of a verification code", 6)]
    resend_after: Annotated[int, doc("Seconds until another code may be asked for", 60)]


class AppAuthentication(Answer):
    """Sign-in methods."""

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
    """Properties of the services behind the app."""

    identity: IdentityContract
    wallet: WalletContract


class ServiceContract(Answer):
    """An interface that the app may call with the token of its session."""

    name: Annotated[str, doc("Interface: rest or graphql", "rest")]
    version: str
    url: str


class PlatformPolicy(Answer):
    """The versions that the client lets in on one platform."""

    platform: Platform
    minimum: Annotated[str | None, doc("Minimum version; older ones must update", "1.0.0")]
    recommended: Annotated[str | None, doc("Recommended version; older ones should update", "1.2.0")]
    blocked: Annotated[list[str], doc("Blocked versions, which must update")]
    store_url: Annotated[str | None, doc("Address of updates in the app store")]


class AppVersionStatus(Answer):
    """The status of the calling version."""

    status: Annotated[str, doc("One of ok, update_advised or update_required; ok without a platform and version", "ok")]
    update_required: bool
    update_recommended: bool
    platforms: list[PlatformPolicy]


class HomeSettings(Answer):
    """The home page."""

    quick_actions: Annotated[list[str], doc("Visible shortcuts, in order", ["send", "return"])]


class AppSettings(Answer):
    """Appearance of the app for the client."""

    home: HomeSettings


class AppConfiguration(Answer):
    """Everything an app needs to know before anyone has signed in."""

    app: AppFacts
    client: AppClient
    configuration_version: Annotated[int, doc("Version of the settings, increased with every change")]
    capabilities: Annotated[
        dict[str, bool], doc("Enabled features by name", {"auth.email": True, "wallet.balance": False})
    ]
    authentication: AppAuthentication
    services: AppServices
    service_contracts: list[ServiceContract]
    settings: AppSettings
    version_policy: AppVersionStatus


class AppBootstrap(Answer):
    """The configuration of an app at a client."""

    result: bool = True
    data: AppConfiguration


BLOCKED_MAX = 100


def _require_distinct_actions(actions: tuple[QuickAction, ...]) -> tuple[QuickAction, ...]:
    if len(set(actions)) < len(actions):
        raise PydanticCustomError("each_once", "Each may be named once")
    return actions


def _require_distinct_platforms(policies: "tuple[PlatformPolicyInput, ...]") -> "tuple[PlatformPolicyInput, ...]":
    if len({policy.platform for policy in policies}) < len(policies):
        raise PydanticCustomError("each_once", "Each may be named once")
    return policies


QuickActions = Annotated[
    tuple[QuickAction, ...], Field(max_length=len(QuickAction)), AfterValidator(_require_distinct_actions)
]


class PlatformPolicyInput(Request):
    """Allowed versions on one platform."""

    platform: Platform
    """The platform."""
    minimum: SemanticVersion | None = None
    """Minimum version. Older versions must update before sign-in."""
    recommended: SemanticVersion | None = None
    """Recommended version. Older versions show a notice. Not below the minimum, and not blocked."""
    blocked: Annotated[tuple[SemanticVersion, ...], Field(max_length=BLOCKED_MAX)] = ()
    """Blocked versions, which must update."""
    store_url: Annotated[str, Field(max_length=500, pattern="^https://[^\\x00-\\x20]+$")] | None = None
    """Address of updates in the app store."""

    @model_validator(mode="after")
    def _can_be_satisfied(self) -> Self:
        if field := contradicting_field(self.minimum, self.recommended, self.blocked):
            raise PydanticCustomError("version_policy", "Contradiction at {field}", {"field": field})
        return self


PlatformPolicies = Annotated[
    tuple[PlatformPolicyInput, ...], Field(max_length=2), AfterValidator(_require_distinct_platforms)
]


class UpdateAppSettings(AppRef):
    """Changes to an app. Omitted fields are unchanged."""

    enabled: bool | None = None
    """If false, the app is disabled for the client: it cannot be opened, and sign-in is refused."""
    methods: Annotated[frozenset[SignInMethod], EachOnce, Field(max_length=len(SignInMethod))] | None = None
    """Sign-in methods."""
    capabilities: Annotated[frozenset[AppCapability], EachOnce, Field(max_length=len(AppCapability))] | None = None
    """Capabilities of the app."""
    quick_actions: QuickActions | None = None
    """Shortcuts of the home page, in order."""
    hidden_quick_actions: Annotated[frozenset[QuickAction], EachOnce, Field(max_length=len(QuickAction))] | None = None
    """Hidden shortcuts. They keep their position in the order."""
    default_phone_region: CountryCode | None = None
    """Country of phone numbers without a country code (ISO 3166-1 alpha-2)."""
    requires_approval: bool | None = None
    """If true, the business approves registrations."""
    version_policies: PlatformPolicies | None = None
    """Version policies. The policy of a listed platform is replaced."""


class ListApps(PageRequest):
    """Page of the app list."""


class AppRecord(Answer):
    """An app of the platform, as this client has it."""

    code: str
    name: str
    type: Annotated[str, doc("Users of the app", "customer")]
    enabled: Annotated[bool, doc("True if users of this client can use the app")]
    configuration_version: Annotated[int, doc("Version of the settings; 0 before the first change")]


class AppList(PagedAnswer):
    """A page of apps, by code."""

    apps: list[AppRecord]


class AppSettingsRecord(Answer):
    """Settings of an app for this client.

    Chosen settings may not all be available: see the app's bootstrap.
    """

    app: AppRecord
    methods: list[str]
    capabilities: list[str]
    quick_actions: list[str]
    hidden_quick_actions: list[str]
    default_phone_region: str
    requires_approval: bool
    version_policies: list[PlatformPolicy]
    updated_at: datetime | None


class AppSettingsDetail(Answer):
    """The settings of an app."""

    result: bool = True
    settings: AppSettingsRecord
