"""Roles, and scopes that an admin may withhold."""

from collections.abc import Mapping

from haulier.contexts.identity.accounts.rules import SCOPES_BY_ACCOUNT
from haulier.kernel.operations.enums import ALL_SCOPES, Account, Scope
from haulier.kernel.operations.errors import declare_error

ADMIN_UNLIMITED = declare_error("admin_unlimited", 409)
SCOPES_BEYOND_ACCOUNT = declare_error("scopes_beyond_account", 409)
CUSTOMER_CODE_TAKEN = declare_error("customer_code_taken", 409)

_SEE_ORDERS = {Scope.ORDERS_READ, Scope.TRACKING_READ, Scope.ADDRESS_READ}
_SHIP = {Scope.LABELS_READ, Scope.LABELS_WRITE, Scope.UNIORDER_READ, Scope.UNIORDER_WRITE}

MEMBER_ROLES: Mapping[str, frozenset[Scope]] = {
    "viewer": frozenset(scope for scope in Scope if scope.value.endswith(":read")),
    "support": frozenset(
        {*_SEE_ORDERS, Scope.ORDERS_WRITE, Scope.ANALYTICS_READ, Scope.APPROVALS_READ, Scope.DRIVERS_READ}
    ),
    "dispatcher": frozenset(
        {
            *_SEE_ORDERS,
            Scope.ORDERS_WRITE,
            Scope.TRACKING_WRITE,
            Scope.ADDRESS_WRITE,
            Scope.ROUTES_READ,
            Scope.ROUTES_WRITE,
            Scope.DRIVERS_READ,
            Scope.DRIVERS_WRITE,
            Scope.ANALYTICS_READ,
            Scope.APPROVALS_READ,
            Scope.APPROVALS_WRITE,
            # Dispatchers admit drivers, who have this scope, and no one may grant a scope without holding it.
            Scope.WMS_READ,
        }
    ),
    "shipper": frozenset({*_SEE_ORDERS, *_SHIP, Scope.ORDERS_WRITE, Scope.ADDRESS_WRITE}),
    "warehouse": frozenset(
        {*_SEE_ORDERS, *_SHIP, Scope.TRACKING_WRITE, Scope.WMS_READ, Scope.WMS_WRITE, Scope.STORAGE_READ}
        | {Scope.STORAGE_WRITE}
    ),
    "integrator": frozenset({*_SEE_ORDERS, Scope.WEBHOOKS_READ, Scope.WEBHOOKS_WRITE, Scope.DATASETS_READ}),
    "everything": ALL_SCOPES,
}
"""Named sets of scopes. Everyone keeps their own-account scopes as well."""


def chosen_scopes(account: Account, role: str | None, scopes: frozenset[Scope]) -> frozenset[Scope] | None:
    """Return the scopes granted to a user by role and single scopes; None grants all.

    Raises `ADMIN_UNLIMITED` for an admin, from whom nothing can be withheld, and `SCOPES_BEYOND_ACCOUNT` for a scope
    that no account of the kind has.
    """
    if account is Account.CLIENT_ADMIN:
        raise ADMIN_UNLIMITED()
    if beyond := sorted(scopes - SCOPES_BY_ACCOUNT[account]):
        raise SCOPES_BEYOND_ACCOUNT(account=account.value, scopes=", ".join(beyond))
    if role is None and not scopes:
        return None
    return (MEMBER_ROLES.get(role or "", frozenset()) & SCOPES_BY_ACCOUNT[account]) | scopes
