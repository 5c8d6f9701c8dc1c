"""The reach of a caller: the operations they can call and the families of data they can read.

A right is more than a scope: many operations are open to some kinds of account only. Every write that lets a user, a token, an
address or a job receive something compares reach, and every later delivery asks for it again (decision 0165).
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
"""Kinds of account whose rights a kind can hand on: an admin cannot deliver a parcel, but can appoint drivers."""


class SetUpLapse(StrEnum):
    """The reason why a thing that receives or sends data no longer works for the user or token that set it up."""

    SET_UP_ENDED = "set_up_ended"
    NOT_PERMITTED = "not_permitted"


class CallerReach(Struct, frozen=True):
    """The operations that can be called, the families of data that can be read, and the scopes held."""

    operations: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()


NOTHING = CallerReach()


def reach_of(registry: Registry, account: Account, scopes: frozenset[Scope]) -> CallerReach:
    """Return the reach of one kind of account with some scopes."""
    return _reach_of_any(registry, frozenset({account}), scopes)


def reach(registry: Registry, principal: Principal) -> CallerReach:
    """Return the reach of a caller."""
    return reach_of(registry, principal.account, principal.scopes)


def can_call(operation: Operation[Any, Any], principal: Principal) -> bool:
    """Return True if an operation is within the reach of a caller. Switches of the business are not considered."""
    return operation.public or (principal.account in operation.audience and operation.scopes <= principal.scopes)


def find_lapse(principal: Principal | None, operations: Iterable[Operation[Any, Any]]) -> SetUpLapse | None:
    """Return why the one who set something up could not do so now. None: they still can.

    `principal` is None for a disabled user, and for a token that was revoked or has expired.
    """
    if principal is None:
        return SetUpLapse.SET_UP_ENDED
    return None if all(can_call(each, principal) for each in operations) else SetUpLapse.NOT_PERMITTED


def read_lapse(stored: str | None) -> SetUpLapse | None:
    """Return the lapse that a record states; None if it states none."""
    return SetUpLapse(stored) if stored else None


def can_oversee(operation: Operation[Any, Any], principal: Principal) -> bool:
    """Return True if a caller could call an operation, or appoints a kind of account that can, with the scopes for it."""
    kinds = APPOINTS.get(principal.account, frozenset()) | {principal.account}
    return operation.public or (not kinds.isdisjoint(operation.audience) and operation.scopes <= principal.scopes)


def require_can_call(registry: Registry, principal: Principal, name: str) -> None:
    """Refuse a caller who could not read by an operation what they want to receive.

    Raises `SCOPES_EXCEEDED` with the missing scopes, or `ACCOUNT_NOT_ALLOWED`.
    """
    operation = registry[name]
    if missing := operation.scopes - principal.scopes:
        raise SCOPES_EXCEEDED(scopes=", ".join(sorted(missing)))
    if not can_call(operation, principal):
        raise account_not_allowed(principal, operation)


def account_not_allowed(principal: Principal, operation: Operation[Any, Any]) -> OperationError:
    """Return the error that an operation is not open to the account of a caller; it names the accounts that it is for."""
    audience = [phrase(f"accounts.{account}") for account in sorted(operation.audience)]
    return ACCOUNT_NOT_ALLOWED(account=phrase(f"accounts.{principal.account}"), audience=audience)


def require_within_reach(
    registry: Registry, caller: Principal, after: CallerReach, before: CallerReach = NOTHING
) -> None:
    """Refuse to hand on more than the caller holds: the operations and scopes in `after` that are not in `before`.

    Raises `SCOPES_EXCEEDED`, which names the missing scopes, or `ACCOUNT_NOT_ALLOWED` where only another kind of account
    can call the operations.
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
