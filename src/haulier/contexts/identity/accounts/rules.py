"""Rules of accounts.

Failures are counted twice. By e-mail address and network the limit is low, so that a guesser is stopped soon. By e-mail
address alone the limit is high: it stops guessers in many places, and a handful of wrong passwords locks no other person out.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Any

from msgspec import Struct

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations.enums import ALL_SCOPES, OFFICE, Account, Feature, PriceFamily, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, SCOPES_EXCEEDED, FieldError, declare_error
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, get_profile_scopes
from haulier.kernel.values.networks import CallerNetwork

CURRENCY_FIXED = declare_error("currency_fixed", 409)


def require_currency_changeable(currency: str, *, traded: bool) -> None:
    """Amounts carry the business's currency, so it cannot change once there are orders. Raises `CURRENCY_FIXED`."""
    if traded:
        raise CURRENCY_FIXED(currency=currency)


MODULE_HOLDS_WORK = declare_error("module_holds_work", 409)
FEATURE_REVOKED = declare_error("feature_revoked", 409, feature_enabled=False)
REVOKED_FEATURES_SETTING = "revoked_features"


def with_switch(names: Iterable[str], name: str, *, on: bool) -> list[str]:
    """A list of switches with one of them switched on or off."""
    return sorted({*names, name} if on else set(names) - {name})


def revoked_features(settings: Mapping[str, Any]) -> list[str]:
    """The opt-in families that the platform's operator revoked for a client."""
    return settings.get(REVOKED_FEATURES_SETTING, [])


def active_features(chosen: Collection[str], settings: Mapping[str, Any]) -> list[str]:
    """The opt-in families that are on: chosen by the client and not revoked."""
    revoked = revoked_features(settings)
    return [name for name in chosen if name not in revoked]


def require_feature_not_revoked(feature: Feature, settings: Mapping[str, Any]) -> None:
    """A client cannot switch on what the platform's operator revoked. Raises `FEATURE_REVOKED`."""
    if feature.value in revoked_features(settings):
        raise FEATURE_REVOKED(feature=feature.value)


LANGUAGE_SETTING = "language"


def client_language(settings: Mapping[str, Any]) -> str:
    """The language of e-mails to people who chose none: the client's, else English."""
    return settings.get(LANGUAGE_SETTING, DEFAULT_LANGUAGE)


_DOUBLINGS_MAX = 10


class BackoffPolicy(Struct, frozen=True):
    """The first `free` failures cause no pause, because people mistype; then pauses begin, and double up to the longest."""

    free: int
    first: timedelta
    longest: timedelta


FAILURES_KEPT = timedelta(days=1)
"""So long after the last one, failures are deleted.

# Why: waiting a day for that gives a guesser fewer tries than the pauses leave.
"""

SPRAY_WINDOW = timedelta(hours=1)
SPRAY_USERS = 10
SPRAY_NOTICE_PAUSE = timedelta(days=1)
"""Admins are notified when sign-in fails for this many users of a business within `SPRAY_WINDOW`, at most once a day."""
PER_NETWORK = BackoffPolicy(8, timedelta(seconds=30), timedelta(minutes=15))
PER_EMAIL = BackoffPolicy(100, timedelta(seconds=30), timedelta(minutes=5))


def failure_keys(email: str, network: CallerNetwork) -> dict[str, BackoffPolicy]:
    """The digests under which failures of an e-mail address from a network are counted, with their policies."""
    return {
        sha256(email.encode()).hexdigest(): PER_EMAIL,
        sha256(f"{email}\n{network}".encode()).hexdigest(): PER_NETWORK,
    }


def pause_after(times: int, policy: BackoffPolicy = PER_NETWORK) -> timedelta:
    """The pause after so many failures in a row."""
    if times <= policy.free:
        return timedelta(0)
    return min(policy.first * 2 ** min(times - policy.free - 1, _DOUBLINGS_MAX), policy.longest)


def is_failure_recorded(times: int, policy: BackoffPolicy = PER_NETWORK) -> bool:
    """Return True if the audit trail gets an entry for this failure in a row: the first one, and each that starts a pause."""
    return times == 1 or times > policy.free


def seconds_until_retry(times: int, last_at: datetime, now: datetime, policy: BackoffPolicy = PER_NETWORK) -> int:
    """How many whole seconds until sign-in may be tried again; 0 when it may be now."""
    remaining = last_at + pause_after(times, policy) - now
    return max(0, -(-remaining // timedelta(seconds=1)))


LENGTH_MIN = 10
PRODUCT = "haulier"
_DISTINCT_CHARACTERS_MIN = 4
_NAME_MIN = 3
_SEPARATORS = re.compile(r"[\W_]+")


def password_weakness(password: str, email: str, name: str, business: Collection[str] = ()) -> str | None:
    """The id of the message that says why a password is too weak for a user, or None when it is strong enough.

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
    """Whether a password is one word again and again, whatever stands between: `freight freight`."""
    word = _SEPARATORS.sub("", folded)
    return bool(word) and word in (word + word)[1:-1]


def _is_made_of_names(folded: str, names: Iterable[str]) -> bool:
    """Whether little but digits and signs is left of a password without these names and their words: `haulier-2026`."""
    words = {word for name in names for word in (name.casefold(), *_SEPARATORS.split(name.casefold()))}
    left = whole = _SEPARATORS.sub("", folded)
    for part in sorted((_SEPARATORS.sub("", each) for each in words), key=len, reverse=True):
        left = left.replace(part, "") if len(part) >= _NAME_MIN else left
    return left != whole and len(left) < LENGTH_MIN and not any(character.isalpha() for character in left)


def require_strong_password(
    password: str, email: str, name: str, *, field: str, business: Collection[str] = ()
) -> None:
    """Refuse a weak password. Raises `INVALID_REQUEST` at the field."""
    if reason := password_weakness(password, email, name, business):
        raise INVALID_REQUEST.for_fields(FieldError(field, reason, {"least": LENGTH_MIN}))


WITHOUT_PRICES = frozenset({Account.CONTRACTOR, Account.DRIVER})
"""Who drives for the client sees what they are paid, never what its customers pay."""


def hidden_price_families(account: Account, hidden: Collection[str]) -> frozenset[PriceFamily]:
    """The price families that a user does not see: every one for who drives, else those that the client hides from them.

    `hidden` are the names stored for the user; a name that only another version of the platform knows is left out.
    """
    return frozenset(family for family in PriceFamily if account in WITHOUT_PRICES or family.value in hidden)


OWN_ACCOUNT_SCOPES = frozenset({Scope.ACCOUNT_READ, Scope.ACCOUNT_WRITE})
_TRACKING = frozenset({Scope.TRACKING_READ, Scope.TRACKING_WRITE})
_ORDERS = frozenset({Scope.ORDERS_READ, Scope.ORDERS_WRITE})
_DATASETS = frozenset({Scope.DATASETS_READ})
"""To read the datasets whose group is open to such accounts."""
_PROPOSE = frozenset({Scope.APPROVALS_READ})
"""To propose writes for approval, and to read their outcome."""
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
"""The scopes of a session of each kind of account. Each operation's audience says for whom a scope opens it."""


def effective_scopes(
    account: Account, stored: Iterable[str] | None, granted: Iterable[str] | None = None
) -> frozenset[Scope]:
    """What a token may do now: a session everything its user may; an API token what it was issued with, never more.

    `granted` is what an admin left to the user, where they withheld anything. Names that are no scope any more are ignored.
    """
    may = permitted_scopes(account, granted)
    return may if stored is None else _known_scopes(tuple(stored)) & may


def permitted_scopes(account: Account, granted: Iterable[str] | None) -> frozenset[Scope]:
    """What a user may do: what the account may, or what an admin left them of it. One's own account is always left."""
    if granted is None or account is Account.CLIENT_ADMIN:
        return SCOPES_BY_ACCOUNT[account]
    return (_known_scopes(tuple(granted)) | OWN_ACCOUNT_SCOPES) & SCOPES_BY_ACCOUNT[account]


def require_scopes_held(given: Iterable[Scope], held: frozenset[Scope]) -> None:
    """No call hands out more than its caller holds. Raises `SCOPES_EXCEEDED`, which names the scopes that are beyond."""
    if exceeding := sorted(frozenset(given) - held):
        raise SCOPES_EXCEEDED(scopes=", ".join(exceeding))


def delegated_scopes(
    named: frozenset[Scope] | None, profile: str | None, limit: frozenset[Scope], *, whole: bool = False
) -> frozenset[Scope]:
    """The scopes of a token issued under a limit: those named, else the profile's, else the default profile's.

    A scope named beyond the limit raises `SCOPES_EXCEEDED`. A profile is cut down to
    the limit, and refused when nothing of it is left; one that does not exist raises `UNKNOWN_PROFILE`. With `whole`, the
    limit itself is the default.
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
    """What a token is: a sign-in of a person, or the key of a program."""

    SESSION = "session"
    API = "api"


class TokenState(StrEnum):
    """The state of a token. A revoked token stays revoked after its time has run out."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


class TokenStateFilter(StrEnum):
    """Which tokens are listed, by their state."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"
    ANY = "any"


class TokenFilter(Struct, frozen=True, kw_only=True):
    """Which tokens to list: of one kind and state, of one user (None: all), with a text in the name, holding all scopes."""

    kind: TokenKind
    owner: int | None
    state: TokenStateFilter
    text: str | None = None
    scopes: Collection[str] = ()


def token_state(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> TokenState:
    """The state of a token now."""
    if revoked_at is not None:
        return TokenState.REVOKED
    return TokenState.ACTIVE if now < expires_at else TokenState.EXPIRED


def require_token_active(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> None:
    """A token that ended gets no new text: issue another. Raises `TOKEN_ENDED`."""
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
    """An account keeps its kind, because orders, routes and prices depend on it. Only admins and employees may swap.

    Raises `ACCOUNT_FIXED`.
    """
    if old != new and not {old, new} <= OFFICE:
        raise ACCOUNT_FIXED(account=old.value)


def require_remaining_admin(user_id: int, active_admins: Collection[int]) -> None:
    """The last active admin of a client is neither disabled nor demoted, because no one else could undo it."""
    if set(active_admins) <= {user_id}:
        raise LAST_ADMIN()
