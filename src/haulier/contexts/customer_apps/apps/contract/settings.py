"""How a client sets up an app: requests and answers."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.customer_apps.apps.contract.bootstrap import PlatformPolicy
from haulier.contexts.customer_apps.apps.contract.fields import AppRef, Platform, SemanticVersion
from haulier.contexts.customer_apps.apps.rules.capabilities import AppCapability, QuickAction, SignInMethod
from haulier.contexts.customer_apps.apps.rules.versions import contradicting_field
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

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
    """Which versions are let in on one platform."""

    platform: Platform
    """The platform."""
    minimum: SemanticVersion | None = None
    """Older versions must update before anyone can sign in."""
    recommended: SemanticVersion | None = None
    """Older versions are told that there is a newer one. Not below the minimum, and not blocked."""
    blocked: Annotated[tuple[SemanticVersion, ...], Field(max_length=BLOCKED_MAX)] = ()
    """Versions that must update whatever their age."""
    store_url: Annotated[str, Field(max_length=500, pattern="^https://[^\\x00-\\x20]+$")] | None = None
    """Where updates are."""

    @model_validator(mode="after")
    def _can_be_satisfied(self) -> Self:
        if field := contradicting_field(self.minimum, self.recommended, self.blocked):
            raise PydanticCustomError("version_policy", "Contradiction at {field}", {"field": field})
        return self


PlatformPolicies = Annotated[
    tuple[PlatformPolicyInput, ...], Field(max_length=2), AfterValidator(_require_distinct_platforms)
]


class UpdateAppSettings(AppRef):
    """What to change about an app; what is left out stays."""

    enabled: bool | None = None
    """False switches the app off for the client: it cannot be opened, and sign-in is refused."""
    methods: Annotated[frozenset[SignInMethod], EachOnce, Field(max_length=len(SignInMethod))] | None = None
    """The ways to sign in."""
    capabilities: Annotated[frozenset[AppCapability], EachOnce, Field(max_length=len(AppCapability))] | None = None
    """What the app can do."""
    quick_actions: QuickActions | None = None
    """The shortcuts of the home page, in their order."""
    hidden_quick_actions: Annotated[frozenset[QuickAction], EachOnce, Field(max_length=len(QuickAction))] | None = None
    """Shortcuts that are not shown, though they keep their place in the order."""
    default_phone_region: CountryCode | None = None
    """Where phone numbers without a country code are, ISO 3166-1 alpha-2."""
    requires_approval: bool | None = None
    """Whether the business approves registrations."""
    version_policies: PlatformPolicies | None = None
    """The versions that are let in. A platform that is named gets this policy instead of the one it had."""


class ListApps(PageRequest):
    """Which page of the apps."""


class AppRecord(Answer):
    """An app of the platform, as this client has it."""

    code: str
    name: str
    type: Annotated[str, doc("Who it is for", "customer")]
    enabled: Annotated[bool, doc("Whether this client's people may use it")]
    configuration_version: Annotated[int, doc("0 while the client has never set it up")]


class AppList(PagedAnswer):
    """A page of apps, by code."""

    apps: list[AppRecord]


class AppSettingsRecord(Answer):
    """How this client has set up an app. What a client chose may be more than works: see the app's bootstrap."""

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
