"""Request and response models of accounts."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.identity.accounts.rules import TokenState, TokenStateFilter
from haulier.contexts.identity.fields import (
    Email,
    Language,
    Name,
    Password,
    TimeZone,
    UserAccount,
)
from haulier.contexts.identity.ports import LeftBehind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account, Feature, Module, PriceFamily, Scope
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ClientFacts(Answer):
    """Facts about the business for programs."""

    code: str
    name: str
    time_zone: Annotated[str, doc("Time zone (IANA name).", "America/Toronto")]
    currency: Annotated[str, doc("Currency, ISO 4217.", "CAD")]
    country: Annotated[str | UnsetType, doc("Country code, ISO 3166-1 alpha-2.", "CA")] = UNSET
    modules: Annotated[list[str], doc("Modules that are enabled.")]
    features: Annotated[list[str], doc("Opt-in features that are enabled.")]
    language: Annotated[str, doc("Default language of emails, BCP 47.", "en")]
    test: Annotated[bool, doc("The business is a test business: nothing in it is real.")]


class ClientProfile(Answer):
    """The business that the caller belongs to."""

    result: bool = True
    client: ClientFacts


class ModuleChange(ClientProfile):
    """The business after a module was switched, and the affected work."""

    left_behind: LeftBehind


class UpdateClient(Request):
    """Fields of the business to change. Omitted fields keep their values."""

    name: Name | None = None
    """Name that customers see."""
    time_zone: TimeZone | None = None
    """The business's time zone, an IANA name."""
    currency: Currency | None = None
    """The currency of prices, ISO 4217. It stays once the business has orders."""
    country: CountryCode | None = None
    """The home country, ISO 3166-1 alpha-2."""
    language: Language | None = None
    """Default language of emails."""


class SetModule(Request):
    """A module to enable or disable."""

    module: Module
    """The module."""
    enabled: bool
    """If true, enable it."""
    give_back: bool = False
    """If true, disable it although work depends on it. That work is released."""


class SetFeature(Request):
    """An opt-in feature to enable or disable."""

    feature: Feature
    """Feature to enable or disable."""
    enabled: bool
    """If true, enable it."""


class CustomerRef(Request):
    """Reference to a customer."""

    customer_id: RecordId
    """User ID of the customer."""


class SetPriceVisibility(CustomerRef):
    """Prices hidden from a customer."""

    hidden: Annotated[frozenset[PriceFamily], EachOnce, Field(max_length=len(PriceFamily))]
    """Order families whose prices are hidden from this customer. All others are shown."""


class PriceVisibility(Answer):
    """Prices hidden from a customer."""

    result: bool = True
    customer_id: int
    hidden: list[str]


class IssueApiToken(Request):
    """A new API token.

    Scopes are listed, or come from a profile. Without either it may read operations only.
    """

    name: Name
    """Purpose of the token, shown in the list."""
    profile: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(PROFILES)})] | None = None
    """Named set of scopes. The token gets those that the caller has."""
    scopes: Annotated[frozenset[Scope], EachOnce, Field(min_length=1, max_length=len(Scope))] | None = None
    """Scopes, which the caller must have. They take precedence over the profile."""
    expires_in_days: Annotated[int, Field(ge=1, le=730)] = 90
    """Lifetime of the token in days. Never longer than the token that issues it."""
    provider_id: RecordId | None = None
    """Client admins only: the provider account that the token is for, instead of the caller."""
    test: bool = False
    """Issue the token for your test business. Its text begins with `hltest_`."""


class IssuedApiToken(Answer):
    """A new token."""

    result: bool = True
    id: int
    access_token: Annotated[str, doc("Token text, shown once. Only its digest is stored.")]
    token_type: str = "Bearer"
    scopes: list[str]
    expires_at: datetime
    test: Annotated[bool, doc("The token is for the test business.")] = False


class ListTokens(PageRequest):
    """Filters and paging for tokens."""

    state: TokenStateFilter = TokenStateFilter.ACTIVE
    """Filter by state: active, expired, revoked, or any."""
    search: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    """Part of a name."""


class ListApiTokens(ListTokens):
    """Filters for API tokens."""

    user_id: UserId | None = None
    """Client admins only: the user whose tokens are listed, instead of the caller."""
    all_users: bool = False
    """Client admins only: the tokens of every user of the client."""
    scope: Scope | None = None
    """Only tokens that hold this scope."""
    profile: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(PROFILES)})] | None = None
    """Only tokens that hold every scope of this profile."""


class ApiToken(Answer):
    """A token for a program."""

    id: int
    user_id: Annotated[UserId, doc("User in whose name the program acts.")]
    user_name: str
    name: str | None
    state: Annotated[TokenState, doc("State of the token.")]
    parent_id: Annotated[int | None, doc("Token that issued it and with which it ends; null if a signed-in user did.")]
    scopes: list[str]
    created_at: datetime
    expires_at: datetime
    revoked_at: Annotated[datetime | None, doc("Time of revocation; null if it is not revoked.")]
    last_used_at: Annotated[datetime | None, doc("Time of last use, to the hour; null if never used.")]


class ApiTokenList(PagedAnswer):
    """A page of tokens, newest first."""

    tokens: list[ApiToken]


class ApiTokenRef(Request):
    """Reference to an API token."""

    token_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """ID of the token."""


class RotateApiToken(ApiTokenRef):
    """A token to rotate, and the overlap of the old text."""

    overlap_min: Annotated[int, Field(ge=0, le=1440)] = 0
    """Minutes for which the old token keeps working. 0 ends it immediately."""
    expires_in_days: Annotated[int, Field(ge=1, le=730)] = 90
    """Lifetime of the new token in days. Never longer than that of the token it replaces."""


class UserRef(Request):
    """Reference to a user."""

    user_id: UserId
    """ID of the user."""


class CreateUser(Request):
    """A new user of the client."""

    name: Name
    """Display name."""
    email: Email
    """Email address for sign-in. Unique on the platform."""
    account: UserAccount
    """Account type. Only client admins and employees can be converted into each other."""
    password: Password | None = None
    """Password of at least ten characters. Without one, the user cannot sign in until an admin sets it. Providers need none."""


class UpdateUser(UserRef):
    """Fields of a user to change. Omitted fields keep their values."""

    name: Name | None = None
    """Display name."""
    email: Email | None = None
    """Email address for sign-in."""
    account: UserAccount | None = None
    """Client admin or employee, for a user who is one of the two."""


class ListUsers(PageRequest):
    """Filters for users."""

    account: UserAccount | None = None
    """Only accounts of this kind."""
    active: bool | None = None
    """Only active or only disabled users."""
    search: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    """Part of a name or email address."""


class UserRecord(Answer):
    """A user of the client."""

    id: Annotated[int, doc("Id of the user.", 17)]
    name: str
    email: Annotated[str | None, doc("Email address; null for drivers who sign in with links only.")]
    account: Annotated[str, doc("Kind of account.", Account.EMPLOYEE.value)]
    active: Annotated[bool, doc("False if the user may no longer sign in.")]
    hidden_prices: Annotated[
        list[str], doc("Order families whose prices this customer does not see", [PriceFamily.LABEL_SERVICE.value])
    ]
    created_at: datetime


class UserDetail(Answer):
    """One user."""

    result: bool = True
    user: UserRecord


class DisabledUser(UserDetail):
    """A disabled user, and the affected work."""

    left_behind: LeftBehind


class UserList(PagedAnswer):
    """A page of users, by name."""

    users: list[UserRecord]
