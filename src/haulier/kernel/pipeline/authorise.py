"""Access checks: account kind, module, opt-in family and scopes, in this order."""

from typing import Any

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account, Feature, Module, Scope
from haulier.kernel.operations.errors import (
    CLIENT_SUSPENDED,
    FEATURE_OFF,
    MODULE_NOT_AVAILABLE,
    MODULE_NOT_ENABLED,
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
    """Return the reason why a caller may not call an operation, or None.

    Pure: interfaces also use it to list the callable operations. A module without tables is not available yet (503).
    An opt-in family without tables counts as disabled (409).
    """
    if not operation.public and principal.account is Account.PUBLIC:
        return UNAUTHENTICATED()
    if not operation.public and principal.account not in operation.audience:
        return account_not_allowed(principal, operation)
    business = principal.business
    if business and business.suspended and not operation.public:
        return CLIENT_SUSPENDED()
    if operation.module in modules_missing:
        return MODULE_NOT_AVAILABLE(module=operation.module)
    if business and (disabled := disabled_module(operation, business.modules)):
        return MODULE_NOT_ENABLED(module=disabled)
    if operation.feature and business and operation.feature not in business.features - modules_missing:
        return FEATURE_OFF(feature=operation.feature)
    return _scope_error(operation.scopes - principal.scopes, principal)


def disabled_module(operation: Operation[Any, Any], enabled: frozenset[Module]) -> Module | None:
    """Return a module that the operation needs and that is not enabled, or None."""
    needed = (operation.module, operation.product_module)
    return next((module for module in needed if module is not None and module not in enabled), None)


def _scope_error(missing: frozenset[Scope], principal: Principal) -> OperationError | None:
    """Return the error for missing scopes.

    Scopes that the token lacks take precedence over narrowed ones.
    """
    if lacking := missing - principal.withheld:
        return SCOPE_MISSING(scopes=", ".join(sorted(lacking)))
    return SCOPE_NARROWED(scopes=", ".join(sorted(missing)), header=principal.narrowed_by) if missing else None
