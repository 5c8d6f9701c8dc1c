"""Switches of a client: the opt-in families it chose, less those that the platform took from it."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from haulier.kernel.declarations import Feature
from haulier.kernel.errors import problem

FEATURE_REVOKED = problem("feature_revoked", 409, feature_enabled=False)
REVOKED = "revoked_features"


def switched(names: Iterable[str], name: str, *, on: bool) -> list[str]:
    """A list of switches with one of them put on or off."""
    return sorted({*names, name} if on else set(names) - {name})


def taken_away(settings: Mapping[str, Any]) -> list[str]:
    """The opt-in families that the platform's operator took from a client."""
    return settings.get(REVOKED, [])


def in_force(chosen: Collection[str], settings: Mapping[str, Any]) -> list[str]:
    """The opt-in families that are on: chosen by the client and not taken away."""
    taken = taken_away(settings)
    return [name for name in chosen if name not in taken] if taken else [*chosen]


def demand_not_revoked(feature: Feature, settings: Mapping[str, Any]) -> None:
    """A client cannot switch on what the platform's operator took away. Raises `FEATURE_REVOKED`."""
    if feature.value in taken_away(settings):
        raise FEATURE_REVOKED(feature=feature.value)
