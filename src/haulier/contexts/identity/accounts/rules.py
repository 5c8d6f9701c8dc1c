"""Rules of accounts.

Failures are counted twice. By email address and network the limit is low, so that a guesser is stopped soon. By email
address alone the limit is high: it stops distributed guessing, and a handful of wrong passwords locks out no one else.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from secrets import token_hex
from typing import Any

from msgspec import Struct

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations.enums import (
    ALL_SCOPES,
    OFFICE,
    PART_OF,
    PRODUCT_MODULES,
    Account,
    Feature,
    Module,
    PriceFamily,
    Scope,
)
from haulier.kernel.operations.errors import INVALID_REQUEST, SCOPES_EXCEEDED, FieldError, declare_error
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, get_profile_scopes
from haulier.kernel.values.networks import CallerNetwork

NO_EMAIL_DOMAIN = "no-email.invalid"
"""Domain of the placeholders of users without an email address."""


def make_email_placeholder() -> str:
    """Return a unique placeholder for a user without an email address."""
    return f"{token_hex(8)}@{NO_EMAIL_DOMAIN}"


def make_test_email(user_id: int | str) -> str:
    """Return the placeholder of the test user of a live user.

    It identifies that test user.
    """
    return f"test-user-{user_id}@{NO_EMAIL_DOMAIN}"


_RESERVED_DOMAIN = re.compile(r"(.+\.)?(example(\.(com|net|org))?|test|invalid)")
"""Domains without an owner (RFC 2606)."""


def require_test_email(email: str, *, field: str = "email") -> None:
    """Require an address that no live user can need. Raises `INVALID_REQUEST`."""
    if not _RESERVED_DOMAIN.fullmatch(email.rpartition("@")[2]):
        raise INVALID_REQUEST.for_fields(FieldError(field, "field.test_email"))


def has_email(email: str) -> bool:
    """Return False for the placeholder of a user without an email address."""
    return not email.endswith(f"@{NO_EMAIL_DOMAIN}")


CURRENCY_FIXED = declare_error("currency_fixed", 409)


def require_currency_changeable(currency: str, *, traded: bool) -> None:
    """Require that the currency may change. Raises `CURRENCY_FIXED`.

    Amounts are in the business's currency, so it is fixed once there are orders.
    """
    if traded:
        raise CURRENCY_FIXED(currency=currency)


MODULE_HOLDS_WORK = declare_error("module_holds_work", 409)
FEATURE_REVOKED = declare_error("feature_revoked", 409, feature_enabled=False)
REVOKED_FEATURES_SETTING = "revoked_features"


def with_switch(names: Iterable[str], name: str, *, on: bool) -> list[str]:
    """Return a list of switches with one of them changed."""
    return sorted({*names, name} if on else set(names) - {name})


def revoked_features(settings: Mapping[str, Any]) -> list[str]:
    """Return the opt-in features that the operator revoked for a client."""
    return settings.get(REVOKED_FEATURES_SETTING, [])


SUSPENDED_SETTING = "suspended_at"
"""Client setting with the time at which the operator suspended the client."""


def is_suspended(settings: Mapping[str, Any]) -> bool:
    """Return True if the operator suspended the client."""
    return SUSPENDED_SETTING in settings


DISABLED_MODULES_SETTING = "disabled_modules"


def enabled_modules(chosen: Collection[str], settings: Mapping[str, Any]) -> list[str]:
    """Return the enabled modules: chosen ones and product modules not disabled.

    A module that extends a disabled one is disabled, too.
    """
    disabled = {*settings.get(DISABLED_MODULES_SETTING, [])}
    disabled |= {part.value for part, module in PART_OF.items() if module in disabled}
    return sorted({*chosen, *(module.value for module in PRODUCT_MODULES)} - disabled)


def switched_modules(
    chosen: Collection[str], settings: Mapping[str, Any], module: Module, *, on: bool
) -> dict[str, Any]:
    """Return the changed columns of a client whose module is enabled or disabled.

    Enabling a module enables the one that it extends.
    """
    if module not in PRODUCT_MODULES:
        return {"modules": with_switch(chosen, module.value, on=on)}
    disabled = with_switch(settings.get(DISABLED_MODULES_SETTING, []), module.value, on=not on)
    if on and module in PART_OF:
        disabled = with_switch(disabled, PART_OF[module].value, on=False)
    return {"settings": {**settings, DISABLED_MODULES_SETTING: disabled}}


def settings_for_modules(chosen: Collection[Module] | None) -> dict[str, list[str]]:
    """Return settings of a new client that enable these product modules; None: all."""
    if chosen is None:
        return {}
    return {DISABLED_MODULES_SETTING: sorted(module.value for module in PRODUCT_MODULES.difference(chosen))}


def active_features(chosen: Collection[str], settings: Mapping[str, Any]) -> list[str]:
    """Return the enabled opt-in features: chosen by the client and not revoked."""
    revoked = revoked_features(settings)
    return [name for name in chosen if name not in revoked]


def require_feature_not_revoked(feature: Feature, settings: Mapping[str, Any]) -> None:
    """Require that the operator has not revoked a feature. Raises `FEATURE_REVOKED`."""
    if feature.value in revoked_features(settings):
        raise FEATURE_REVOKED(feature=feature.value)


LANGUAGE_SETTING = "language"


TEST_OF_SETTING = "test_of"
"""Client setting of a test business: the id of the live client that it belongs to."""
TEST_BUSINESS_SETTING = "test_business"
"""Client setting of a live client: the id of its test business."""


COPIED_TO_TEST = (LANGUAGE_SETTING, DISABLED_MODULES_SETTING, REVOKED_FEATURES_SETTING, SUSPENDED_SETTING)
"""Settings that a new test business takes over."""
TEST_CODE_MAX = 24
"""Characters of the live client's code that the code of its test business begins with."""


SAMPLE_DATA_SETTING = "sample_data"
"""Client setting of a test business whose records are sample data."""


def is_test_business(settings: Mapping[str, Any]) -> bool:
    """Return True for the test business of another client."""
    return TEST_OF_SETTING in settings


def client_language(settings: Mapping[str, Any]) -> str:
    """Return the default language of emails: the client's, else English."""
    return settings.get(LANGUAGE_SETTING, DEFAULT_LANGUAGE)


_DOUBLINGS_MAX = 10


class BackoffPolicy(Struct, frozen=True):
    """Backoff after failures: the first `free` cause no pause, later pauses double."""

    free: int
    first: timedelta
    longest: timedelta


FAILURES_KEPT = timedelta(days=1)
"""Time after which failures are deleted. Waiting a day gives a guesser fewer tries than the pauses leave."""

SPRAY_WINDOW = timedelta(hours=1)
SPRAY_USERS = 10
SPRAY_NOTICE_PAUSE = timedelta(days=1)
"""Minimum interval between notices of failed sign-ins for many users within `SPRAY_WINDOW`."""
PER_NETWORK = BackoffPolicy(8, timedelta(seconds=30), timedelta(minutes=15))
PER_EMAIL = BackoffPolicy(100, timedelta(seconds=30), timedelta(minutes=5))


def failure_keys(email: str, network: CallerNetwork) -> dict[str, BackoffPolicy]:
    """Return the digests that count failures of an address, with their policies."""
    return {
        sha256(email.encode()).hexdigest(): PER_EMAIL,
        sha256(f"{email}\n{network}".encode()).hexdigest(): PER_NETWORK,
    }


def pause_after(times: int, policy: BackoffPolicy = PER_NETWORK) -> timedelta:
    """Return the pause after this number of failures in a row."""
    if times <= policy.free:
        return timedelta(0)
    return min(policy.first * 2 ** min(times - policy.free - 1, _DOUBLINGS_MAX), policy.longest)


def is_failure_recorded(times: int, policy: BackoffPolicy = PER_NETWORK) -> bool:
    """Return True if the audit trail records this failure in a row.

    The first one, and each that starts a pause.
    """
    return times == 1 or times > policy.free


def seconds_until_retry(times: int, last_at: datetime, now: datetime, policy: BackoffPolicy = PER_NETWORK) -> int:
    """Return the seconds until the next sign-in attempt is allowed; 0 if it is now."""
    remaining = last_at + pause_after(times, policy) - now
    return max(0, -(-remaining // timedelta(seconds=1)))


LENGTH_MIN = 10
PRODUCT = "haulier"
_DISTINCT_CHARACTERS_MIN = 4
_NAME_MIN = 3
_SEPARATORS = re.compile(r"[\W_]+")


def password_weakness(password: str, email: str, name: str, business: Collection[str] = ()) -> str | None:
    """Return the id of the message why a password is too weak, or None.

    `business` are the names of the user's business.
    """
    folded = password.casefold()
    if len(password) < LENGTH_MIN:
        return "password_too_short"
    if len(set(folded)) < _DISTINCT_CHARACTERS_MIN:
        return "password_too_simple"
    if _is_repetition(folded):
        return "password_repeats"
    if any(len(part) >= 3 and part in folded for part in (email.casefold(), email.casefold().partition("@")[0])):
        return "password_is_personal"
    if len(name) >= 3 and folded == name.casefold():
        return "password_is_personal"
    if _is_made_of_names(folded, (PRODUCT, *business)):
        return "password_is_name"
    return None


def _is_repetition(folded: str) -> bool:
    """Return True if a password repeats one word, such as `freight freight`."""
    word = _SEPARATORS.sub("", folded)
    return bool(word) and word in (word + word)[1:-1]


def _is_made_of_names(folded: str, names: Iterable[str]) -> bool:
    """Return True if a password is mostly made of names, such as `haulier-2026`."""
    words = {word for name in names for word in (name.casefold(), *_SEPARATORS.split(name.casefold()))}
    left = whole = _SEPARATORS.sub("", folded)
    for part in sorted((_SEPARATORS.sub("", each) for each in words), key=len, reverse=True):
        left = left.replace(part, "") if len(part) >= _NAME_MIN else left
    return left != whole and len(left) < LENGTH_MIN and not any(character.isalpha() for character in left)


def require_strong_password(
    password: str, email: str, name: str, *, field: str, business: Collection[str] = ()
) -> None:
    """Require a strong password. Raises `INVALID_REQUEST` at the field."""
    if reason := password_weakness(password, email, name, business):
        raise INVALID_REQUEST.for_fields(FieldError(field, reason, {"least": LENGTH_MIN}))


WITHOUT_PRICES = frozenset({Account.CONTRACTOR, Account.DRIVER})
"""Accounts that see their own pay, but never the prices of customers."""


def hidden_price_families(account: Account, hidden: Collection[str]) -> frozenset[PriceFamily]:
    """Return the price families hidden from a user: all for those who drive.

    `hidden` are the stored names; unknown names of other versions are ignored.
    """
    return frozenset(family for family in PriceFamily if account in WITHOUT_PRICES or family.value in hidden)


OWN_ACCOUNT_SCOPES = frozenset({Scope.ACCOUNT_READ, Scope.ACCOUNT_WRITE})
_TRACKING = frozenset({Scope.TRACKING_READ, Scope.TRACKING_WRITE})
_ORDERS = frozenset({Scope.ORDERS_READ, Scope.ORDERS_WRITE})
_DATASETS = frozenset({Scope.DATASETS_READ})
"""Scope for reading datasets whose group is open to such accounts."""
_PROPOSE = frozenset({Scope.APPROVALS_READ})
"""Scopes for proposing writes, and reading their outcome."""
_ROADWORK = frozenset(
    {Scope.ROUTES_READ, Scope.ROUTES_WRITE, Scope.DRIVERS_READ, Scope.DRIVERS_WRITE, Scope.ADDRESS_READ}
)

SCOPES_BY_ACCOUNT: dict[Account, frozenset[Scope]] = {
    Account.PUBLIC: frozenset(),
    Account.CLIENT_ADMIN: ALL_SCOPES,
    Account.EMPLOYEE: ALL_SCOPES,
    Account.CONTRACTOR: OWN_ACCOUNT_SCOPES
    | _ORDERS
    | _TRACKING
    | _ROADWORK
    | _PROPOSE
    | _DATASETS
    | {Scope.LABELS_READ, Scope.ANALYTICS_READ},
    Account.DRIVER: OWN_ACCOUNT_SCOPES | _ORDERS | _TRACKING | _ROADWORK | _PROPOSE | _DATASETS | {Scope.WMS_READ},
    Account.CUSTOMER: OWN_ACCOUNT_SCOPES
    | _ORDERS
    | _PROPOSE
    | _DATASETS
    | {
        Scope.TRACKING_READ,
        Scope.LABELS_READ,
        Scope.LABELS_WRITE,
        Scope.ADDRESS_READ,
        Scope.ADDRESS_WRITE,
        Scope.ANALYTICS_READ,
        Scope.UNIORDER_READ,
        Scope.UNIORDER_WRITE,
        Scope.CUSTOMER_SHIPPING_READ,
        Scope.CUSTOMER_SHIPPING_WRITE,
        Scope.STORAGE_READ,
        Scope.STORAGE_WRITE,
    },
    Account.PROVIDER: _TRACKING | _ORDERS | _PROPOSE,
}
"""Scopes of a session by account. Each operation's audience decides who can use them."""


def effective_scopes(
    account: Account, stored: Iterable[str] | None, granted: Iterable[str] | None = None
) -> frozenset[Scope]:
    """Return the current scopes of a token, limited to its user's.

    `granted` are the scopes that an admin left to the user. Unknown names are ignored.
    """
    may = permitted_scopes(account, granted)
    return may if stored is None else _known_scopes(tuple(stored)) & may


def permitted_scopes(account: Account, granted: Iterable[str] | None) -> frozenset[Scope]:
    """Return the scopes of a user.

    The account's scopes, or those granted; own-account scopes are always included.
    """
    if granted is None or account is Account.CLIENT_ADMIN:
        return SCOPES_BY_ACCOUNT[account]
    return (_known_scopes(tuple(granted)) | OWN_ACCOUNT_SCOPES) & SCOPES_BY_ACCOUNT[account]


def require_scopes_held(given: Iterable[Scope], held: frozenset[Scope]) -> None:
    """Require that given scopes are among the caller's. Raises `SCOPES_EXCEEDED`.

    The error names the scopes beyond.
    """
    if exceeding := sorted(frozenset(given) - held):
        raise SCOPES_EXCEEDED(scopes=", ".join(exceeding))


def delegated_scopes(
    named: frozenset[Scope] | None, profile: str | None, limit: frozenset[Scope], *, whole: bool = False
) -> frozenset[Scope]:
    """Return the scopes of a new token.

    Those named, else the profile's, else the default profile's. A scope named beyond the limit raises
    `SCOPES_EXCEEDED`. A profile is cut down to the limit, and rejected if nothing of it is left; an unknown one raises
    `UNKNOWN_PROFILE`. With `whole`, the limit itself is the default.
    """
    if named is not None:
        require_scopes_held(named, limit)
        return named
    if whole and profile is None:
        return limit
    requested = get_profile_scopes(profile or DEFAULT_PROFILE)
    if not requested & limit:
        raise SCOPES_EXCEEDED(scopes=", ".join(sorted(requested)))
    return requested & limit


@lru_cache(maxsize=1024)
def _known_scopes(names: tuple[str, ...]) -> frozenset[Scope]:
    return frozenset(scope for scope in Scope if scope.value in names)


TOKEN_ENDED = declare_error("token_ended", 409)


class TokenKind(StrEnum):
    """Kinds of tokens: a user's session, or a program's key."""

    SESSION = "session"
    API = "api"


class TokenState(StrEnum):
    """State of a token. A revoked token stays revoked after its expiry."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


class TokenStateFilter(StrEnum):
    """Filter of tokens by state."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"
    ANY = "any"


class TokenFilter(Struct, frozen=True, kw_only=True):
    """Filter of tokens: kind, state, user (None: all), text in the name, scopes."""

    kind: TokenKind
    owner: int | None
    state: TokenStateFilter
    text: str | None = None
    scopes: Collection[str] = ()


def token_state(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> TokenState:
    """Return the state of a token now."""
    if revoked_at is not None:
        return TokenState.REVOKED
    return TokenState.ACTIVE if now < expires_at else TokenState.EXPIRED


def require_token_active(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> None:
    """Require that a token is active. Raises `TOKEN_ENDED`; issue another instead."""
    if token_state(revoked_at, expires_at, now) is not TokenState.ACTIVE:
        raise TOKEN_ENDED()


CUSTOMER_CODE_MAX = 40
NOTE_MAX = 500

INVALID_CREDENTIALS = declare_error("invalid_credentials", 401)
EMAIL_TAKEN = declare_error("email_taken", 409)
WRONG_PASSWORD = declare_error("wrong_password", 403)
LAST_ADMIN = declare_error("last_admin", 409)
ACCOUNT_FIXED = declare_error("account_fixed", 409)
NOT_A_CUSTOMER = declare_error("not_a_customer", 409)
OWN_PASSWORD = declare_error("own_password", 403)
SESSION_REQUIRED = declare_error("session_required", 403)
NOT_A_PROVIDER = declare_error("not_a_provider", 403)


def require_account_changeable(old: Account, new: Account) -> None:
    """Require that an account may change: only between admin and employee.

    Orders, routes and prices depend on the kind. Raises `ACCOUNT_FIXED`.
    """
    if old != new and not {old, new} <= OFFICE:
        raise ACCOUNT_FIXED(account=old.value)


def require_remaining_admin(user_id: int, active_admins: Collection[int]) -> None:
    """Require that another active admin remains, because no one else could undo it."""
    if set(active_admins) <= {user_id}:
        raise LAST_ADMIN()
