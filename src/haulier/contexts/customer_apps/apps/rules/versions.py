"""Semantic versions (semver.org, 2.0.0), read and compared by `semver`, and what a client asks of them."""

from collections.abc import Collection
from enum import StrEnum

from msgspec import Struct
from semver import Version

_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
GRAMMAR = rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRE}(?:\.{_PRE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$"
"""The grammar of semver.org as a pattern, for the descriptions; `[0-9]`, because `\\d` knows digits of other scripts."""

VERSION_MAX = 64


class AppVersionState(StrEnum):
    """The status of an app's version at a client."""

    CURRENT = "ok"
    OLD = "update_advised"
    REFUSED = "update_required"


class AppVersionPolicy(Struct, frozen=True, kw_only=True):
    """Which versions of an app a client lets in on one platform; without a minimum or recommendation, all."""

    minimum: str | None = None
    recommended: str | None = None
    blocked: tuple[str, ...] = ()


def version_state(version: str | None, policy: AppVersionPolicy | None) -> AppVersionState:
    """The state of a version: refused when blocked or below the minimum, old when below the recommended one.

    An app that does not name its version, or whose platform has no policy, is taken as it is.
    """
    if version is None or policy is None:
        return AppVersionState.CURRENT
    own = Version.parse(version)
    if own in set(map(Version.parse, policy.blocked)) or (policy.minimum and own < Version.parse(policy.minimum)):
        return AppVersionState.REFUSED
    if policy.recommended and own < Version.parse(policy.recommended):
        return AppVersionState.OLD
    return AppVersionState.CURRENT


def contradicting_field(minimum: str | None, recommended: str | None, blocked: Collection[str]) -> str | None:
    """The field of a policy that no app could satisfy, or None: what is recommended must be let in."""
    if recommended is None:
        return None
    if minimum is not None and Version.parse(recommended) < Version.parse(minimum):
        return "recommended"
    return "blocked" if Version.parse(recommended) in set(map(Version.parse, blocked)) else None
