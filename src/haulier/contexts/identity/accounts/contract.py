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
    """What a program needs to know about the business."""

    code: str
    name: str
    time_zone: Annotated[str, doc("IANA name", "America/Toronto")]
    currency: Annotated[str, doc("ISO 4217", "CAD")]
    country: Annotated[str | UnsetType, doc("ISO 3166-1 alpha-2", "CA")] = UNSET
    modules: Annotated[list[str], doc("Modules that are on")]
    features: Annotated[list[str], doc("Opt-in families that are on")]
    language: Annotated[str, doc("Of e-mails to people who chose none, BCP 47", "en")]


class ClientProfile(Answer):
    """The business that the caller belongs to."""

    result: bool = True
    client: ClientFacts


class ModuleChange(ClientProfile):
    """The business after a module was switched, and what waited for the module."""

    left_behind: LeftBehind


class UpdateClient(Request):
    """What to change about the business; what is left out stays."""

    name: Name | None = None
    """The name that customers see."""
    time_zone: TimeZone | None = None
    """The business's time zone, an IANA name."""
    currency: Currency | None = None
    """The currency of prices, ISO 4217. It stays once the business has orders."""
    country: CountryCode | None = None
    """The home country, ISO 3166-1 alpha-2."""
    language: Language | None = None
    """The language of e-mails to people who chose none."""


class SetModule(Request):
    """A module, on or off."""

    module: Module
    """The module."""
    enabled: bool
    """True switches it on."""
    give_back: bool = False
    """Say true to switch it off although work waits for it, which is then given back."""


class SetFeature(Request):
    """An opt-in family, on or off."""

    feature: Feature
    """The family."""
    enabled: bool
    """True switches it on."""


class CustomerRef(Request):
    """Which customer."""

    customer_id: RecordId
    """The customer's user id."""


class SetPriceVisibility(CustomerRef):
    """Which prices a customer does not see."""

    hidden: Annotated[frozenset[PriceFamily], EachOnce, Field(max_length=len(PriceFamily))]
    """The order families whose prices are hidden from this customer; all others are shown."""


class PriceVisibility(Answer):
    """Which prices a customer does not see."""

    result: bool = True
    customer_id: int
    hidden: list[str]


class IssueApiToken(Request):
    """A new token for a program. Scopes are named one by one or by profile; without either it may read operations only."""

    name: Name
    """What the token is for; shown in the list."""
    profile: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(PROFILES)})] | None = None
    """A named set of scopes; the token gets those of them that the caller has."""
    scopes: Annotated[frozenset[Scope], EachOnce, Field(min_length=1, max_length=len(Scope))] | None = None
    """Scopes, each of which the caller must have. They count before the profile."""
    expires_in_days: Annotated[int, Field(ge=1, le=730)] = 90
    """How long the token works, in days; never longer than the token that issues it."""
    provider_id: RecordId | None = None
    """Client admins only: the provider account that the token is for, instead of the caller."""


class IssuedApiToken(Answer):
    """A new token."""

    result: bool = True
    id: int
    access_token: Annotated[str, doc("Shown once; only its digest is kept")]
    token_type: str = "Bearer"
    scopes: list[str]
    expires_at: datetime


class ListTokens(PageRequest):
    """Which tokens, and which page of them."""

    state: TokenStateFilter = TokenStateFilter.ACTIVE
    """Those that work, those that have expired, those that were revoked, or any."""
    search: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    """Part of a name."""


class ListApiTokens(ListTokens):
    """Whose tokens, and which."""

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
    user_id: Annotated[UserId, doc("In whose name the program acts")]
    user_name: str
    name: str | None
    state: Annotated[TokenState, doc("Whether it works")]
    parent_id: Annotated[
        int | None, doc("The token that issued it, with which it ends; null when a person did, signed in")
    ]
    scopes: list[str]
    created_at: datetime
    expires_at: datetime
    revoked_at: Annotated[datetime | None, doc("Null while it is not revoked")]
    last_used_at: Annotated[datetime | None, doc("To the hour; null when never used")]


class ApiTokenList(PagedAnswer):
    """A page of tokens, newest first."""

    tokens: list[ApiToken]


class ApiTokenRef(Request):
    """Which token."""

    token_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """The token's id."""


class RotateApiToken(ApiTokenRef):
    """Which token gets a new text, and how long the old one goes on working."""

    overlap_minutes: Annotated[int, Field(ge=0, le=1440)] = 0
    """For how many minutes the old text works beside the new one; 0 ends it at once."""
    expires_in_days: Annotated[int, Field(ge=1, le=730)] = 90
    """How long the new text works, in days; with an API token never longer than that token, nor than the one it came from."""


class UserRef(Request):
    """Which user."""

    user_id: UserId
    """The user's id."""


class CreateUser(Request):
    """A new user of the client."""

    name: Name
    """The name that others see."""
    email: Email
    """The e-mail address for sign-in; unique on the whole platform."""
    account: UserAccount
    """The kind of account. It stays, except that client admins and employees may become each other."""
    password: Password | None = None
    """At least ten characters. Without one the user cannot sign in until an admin sets one; providers need none."""


class UpdateUser(UserRef):
    """What to change about a user; what is left out stays."""

    name: Name | None = None
    """The name that others see."""
    email: Email | None = None
    """What the user signs in with."""
    account: UserAccount | None = None
    """Client admin or employee, for a user who is one of the two."""


class ListUsers(PageRequest):
    """Which users."""

    account: UserAccount | None = None
    """Only accounts of this kind."""
    active: bool | None = None
    """Only active or only disabled users."""
    search: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    """Part of a name or e-mail address."""


class UserRecord(Answer):
    """A user of the client."""

    id: Annotated[int, doc("The user's id", 17)]
    name: str
    email: str
    account: Annotated[str, doc("The kind of account", Account.EMPLOYEE.value)]
    active: Annotated[bool, doc("False when the user may no longer sign in")]
    hidden_prices: Annotated[
        list[str], doc("Order families whose prices this customer does not see", [PriceFamily.LABEL_SERVICE.value])
    ]
    created_at: datetime


class UserDetail(Answer):
    """One user."""

    result: bool = True
    user: UserRecord


class DisabledUser(UserDetail):
    """A user who was disabled, and what waited for them."""

    left_behind: LeftBehind


class UserList(PagedAnswer):
    """A page of users, by name."""

    users: list[UserRecord]
