"""Opt-in features of a client: those it chose, less those that the platform's operator revoked."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.errors import declare_error

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
