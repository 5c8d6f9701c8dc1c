"""Profiles: named sets of scopes.

A profile narrows a token's rights and never extends them.
"""

from collections.abc import Mapping

from haulier.kernel.operations.enums import ALL_SCOPES, Scope
from haulier.kernel.operations.errors import FieldError, declare_error

UNKNOWN_PROFILE = declare_error("unknown_profile", 422, fields=("profile",))
UNKNOWN_SCOPE = declare_error("unknown_scope", 422)

_READ_SCOPES = {
    Scope.ORDERS_READ,
    Scope.LABELS_READ,
    Scope.ROUTES_READ,
    Scope.DRIVERS_READ,
    Scope.ANALYTICS_READ,
    Scope.ADDRESS_READ,
    Scope.APPROVALS_READ,
}

PROFILES: Mapping[str, frozenset[Scope]] = {
    "ops-readonly": frozenset(_READ_SCOPES),
    "support": frozenset({Scope.ORDERS_READ, Scope.ANALYTICS_READ, Scope.ADDRESS_READ, Scope.APPROVALS_READ}),
    "ops-write": frozenset(
        _READ_SCOPES | {Scope.ORDERS_WRITE, Scope.LABELS_WRITE, Scope.ROUTES_WRITE, Scope.APPROVALS_WRITE}
    ),
    "wms-readonly": frozenset({Scope.WMS_READ, Scope.ORDERS_READ}),
    "datasets-readonly": frozenset({Scope.DATASETS_READ}),
    "alliance-readonly": frozenset({Scope.ALLIANCE_READ}),
    "full": ALL_SCOPES,
}


def get_profile_scopes(profile: str, field: str = "profile") -> frozenset[Scope]:
    """Return the scopes of a profile.

    Raises `UNKNOWN_PROFILE` for the field or header.
    """
    if profile not in PROFILES:
        known = ", ".join(PROFILES)
        fault = FieldError(field, "field.enum", {"expected": known})
        raise UNKNOWN_PROFILE.for_fields(fault, profile=profile[:60], known=known)
    return PROFILES[profile]


def parse_scopes(text: str) -> frozenset[Scope]:
    """Parse a comma-separated list of scopes; `*` is all of them.

    Raises `UNKNOWN_SCOPE`.
    """
    named = {name for each in text.split(",") if (name := each.strip())}
    if unknown := sorted(named - {*Scope, "*"}):
        known = ", ".join(Scope)
        fault = FieldError("X-MCP-Scopes", "field.enum", {"expected": known})
        raise UNKNOWN_SCOPE.for_fields(fault, scopes=", ".join(unknown)[:60], known=known)
    return ALL_SCOPES if "*" in named else frozenset(Scope(name) for name in named)


DEFAULT_PROFILE = "ops-readonly"
"""Default profile of a new token without a profile or scopes."""
