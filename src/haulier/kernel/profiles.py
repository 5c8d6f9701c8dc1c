"""Profiles: named sets of scopes, as the interface lists them. A profile narrows what a token may do, never widens it."""

from collections.abc import Mapping

from haulier.kernel.declarations import EVERY_SCOPE, Scope
from haulier.kernel.errors import problem

UNKNOWN_PROFILE = problem("unknown_profile", 422)

_LOOK = {
    Scope.ORDERS_READ,
    Scope.LABELS_READ,
    Scope.ROUTES_READ,
    Scope.DRIVERS_READ,
    Scope.ANALYTICS_READ,
    Scope.ADDRESS_READ,
    Scope.APPROVALS_READ,
}

PROFILES: Mapping[str, frozenset[Scope]] = {
    "ops-readonly": frozenset(_LOOK),
    "support": frozenset({Scope.ORDERS_READ, Scope.ANALYTICS_READ, Scope.ADDRESS_READ, Scope.APPROVALS_READ}),
    "ops-write": frozenset(_LOOK | {Scope.ORDERS_WRITE, Scope.LABELS_WRITE, Scope.ROUTES_WRITE, Scope.APPROVALS_WRITE}),
    "wms-readonly": frozenset({Scope.WMS_READ, Scope.ORDERS_READ}),
    "datasets-readonly": frozenset({Scope.DATASETS_READ}),
    "alliance-readonly": frozenset({Scope.ALLIANCE_READ}),
    "full": EVERY_SCOPE,
}


def scopes_of(profile: str) -> frozenset[Scope]:
    """The scopes of a profile. Raises `UNKNOWN_PROFILE`."""
    if profile not in PROFILES:
        raise UNKNOWN_PROFILE(profile=profile[:60], known=", ".join(PROFILES))
    return PROFILES[profile]
