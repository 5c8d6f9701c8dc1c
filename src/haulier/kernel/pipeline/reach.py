"""Reach of a caller: the operations they can call and the data they can read.

Scopes alone do not define rights, because many operations are limited to some account kinds. Every write that grants
a user, token, address or job access to data compares reach, and every later delivery checks it again
(docs/decisions/authorization.md).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.kernel.i18n.languages import phrase
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account, Effect, Scope
from haulier.kernel.operations.errors import ACCOUNT_NOT_ALLOWED, SCOPES_EXCEEDED, OperationError
from haulier.kernel.operations.registry import Registry
from haulier.kernel.principal import Principal

APPOINTS: dict[Account, frozenset[Account]] = {
    Account.CLIENT_ADMIN: frozenset(Account) - {Account.PUBLIC},
    Account.EMPLOYEE: frozenset(Account) - {Account.PUBLIC, Account.CLIENT_ADMIN},
    Account.CONTRACTOR: frozenset({Account.CONTRACTOR, Account.DRIVER}),
}
"""Account kinds whose rights an account can grant: an admin cannot deliver a parcel, but can appoint drivers."""


class SetUpLapse(StrEnum):
    """Reason why a subscription or export no longer works for its creator."""

    SET_UP_ENDED = "set_up_ended"
    NOT_PERMITTED = "not_permitted"


class CallerReach(Struct, frozen=True):
    """Callable operations, readable families of data, and scopes."""

    operations: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()


NOTHING = CallerReach()


def reach_of(registry: Registry, account: Account, scopes: frozenset[Scope]) -> CallerReach:
    """Return the reach of an account kind with the given scopes."""
    return _reach_of_any(registry, frozenset({account}), scopes)


def reach(registry: Registry, principal: Principal) -> CallerReach:
    """Return the reach of a caller."""
    return reach_of(registry, principal.account, principal.scopes)


def can_call(operation: Operation[Any, Any], principal: Principal) -> bool:
    """Return True if an operation is within a caller's reach.

    Ignores the settings of the business.
    """
    return operation.public or (principal.account in operation.audience and operation.scopes <= principal.scopes)


def find_lapse(principal: Principal | None, operations: Iterable[Operation[Any, Any]]) -> SetUpLapse | None:
    """Return the reason why the creator of a subscription lost access, or None.

    `principal` is None for a disabled user and for a revoked or expired token.
    """
    if principal is None:
        return SetUpLapse.SET_UP_ENDED
    return None if all(can_call(each, principal) for each in operations) else SetUpLapse.NOT_PERMITTED


def read_lapse(stored: str | None) -> SetUpLapse | None:
    """Return the lapse stored in a record, or None."""
    return SetUpLapse(stored) if stored else None


def can_oversee(operation: Operation[Any, Any], principal: Principal) -> bool:
    """Return True if a caller or an account they can appoint may call an operation."""
    kinds = APPOINTS.get(principal.account, frozenset()) | {principal.account}
    return operation.public or (not kinds.isdisjoint(operation.audience) and operation.scopes <= principal.scopes)


def require_can_call(registry: Registry, principal: Principal, name: str) -> None:
    """Refuse a subscription to data that the caller could not read themselves.

    Raises `SCOPES_EXCEEDED` with the missing scopes, or `ACCOUNT_NOT_ALLOWED`.
    """
    operation = registry[name]
    if missing := operation.scopes - principal.scopes:
        raise SCOPES_EXCEEDED(scopes=", ".join(sorted(missing)))
    if not can_call(operation, principal):
        raise account_not_allowed(principal, operation)


def account_not_allowed(principal: Principal, operation: Operation[Any, Any]) -> OperationError:
    """Return the error for an account kind outside an operation's audience.

    It names the allowed kinds.
    """
    audience = [phrase(f"accounts.{account}") for account in sorted(operation.audience)]
    return ACCOUNT_NOT_ALLOWED(account=phrase(f"accounts.{principal.account}"), audience=audience)


def require_within_reach(
    registry: Registry, caller: Principal, after: CallerReach, before: CallerReach = NOTHING
) -> None:
    """Refuse to grant operations and scopes that the caller does not hold.

    Compares those in `after` but not in `before`. Raises `SCOPES_EXCEEDED` with the missing scopes, or
    `ACCOUNT_NOT_ALLOWED` if only other account kinds can call the operations.
    """
    kinds = APPOINTS.get(caller.account, frozenset({caller.account}))
    held = _reach_of_any(registry, kinds, caller.scopes)
    beyond = [registry[name] for name in sorted(after.operations - before.operations - held.operations)]
    missing = frozenset[Scope]().union(*(operation.scopes for operation in beyond)) - caller.scopes
    if missing := missing | (after.scopes - before.scopes - caller.scopes):
        raise SCOPES_EXCEEDED(scopes=", ".join(sorted(missing)))
    if beyond:
        raise account_not_allowed(caller, beyond[0])


def _reach_of_any(registry: Registry, accounts: frozenset[Account], scopes: frozenset[Scope]) -> CallerReach:
    reached = [
        operation
        for operation in registry
        if not operation.public and not accounts.isdisjoint(operation.audience) and operation.scopes <= scopes
    ]
    return CallerReach(
        frozenset(operation.name for operation in reached),
        frozenset(f"{each.context}.{each.family}" for each in reached if each.effect is Effect.READ),
        scopes,
    )
