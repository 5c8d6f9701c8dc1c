"""Whether a caller may call an operation: account kind, module, opt-in family, scopes, in this order."""

from typing import Any

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account, Feature, Module, Scope
from haulier.kernel.operations.errors import (
    FEATURE_OFF,
    MODULE_NOT_AVAILABLE,
    MODULE_OFF,
    SCOPE_MISSING,
    SCOPE_NARROWED,
    UNAUTHENTICATED,
    OperationError,
)
from haulier.kernel.pipeline.reach import account_not_allowed
from haulier.kernel.principal import Principal


def check_access(
    operation: Operation[Any, Any], principal: Principal, modules_missing: frozenset[Module | Feature]
) -> OperationError | None:
    """Why the caller may not, or None when they may. Pure: doors use it too, to list only what may be called.

    A module without tables is not available yet (503); an opt-in family without tables is off, as if nobody chose it (409).
    """
    if not operation.public and principal.account is Account.PUBLIC:
        return UNAUTHENTICATED()
    if not operation.public and principal.account not in operation.audience:
        return account_not_allowed(principal, operation)
    if operation.module in modules_missing:
        return MODULE_NOT_AVAILABLE(module=operation.module)
    business = principal.business
    if operation.module and business and operation.module not in business.modules:
        return MODULE_OFF(module=operation.module)
    if operation.feature and business and operation.feature not in business.features - modules_missing:
        return FEATURE_OFF(feature=operation.feature)
    return _scope_error(operation.scopes - principal.scopes, principal)


def _scope_error(missing: frozenset[Scope], principal: Principal) -> OperationError | None:
    """Scopes that the token lacks come first: without the narrowing header it would not be enough either."""
    if lacking := missing - principal.withheld:
        return SCOPE_MISSING(scopes=", ".join(sorted(lacking)))
    return SCOPE_NARROWED(scopes=", ".join(sorted(missing)), header=principal.narrowed_by) if missing else None
