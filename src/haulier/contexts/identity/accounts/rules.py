"""What each kind of account may be granted, and what a token may do."""

from collections.abc import Iterable
from functools import lru_cache

from haulier.kernel.operations.enums import ALL_SCOPES, Account, Scope
from haulier.kernel.operations.errors import SCOPES_EXCEEDED
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, get_profile_scopes

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
