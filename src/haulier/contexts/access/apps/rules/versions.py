"""Semantic versions (semver.org, 2.0.0): their grammar, their order, and what a client asks of them."""

import re
from collections.abc import Collection
from enum import StrEnum
from functools import total_ordering
from typing import Any

from msgspec import Struct

_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
GRAMMAR = rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRE}(?:\.{_PRE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$"
"""The grammar of semver.org as a pattern; `[0-9]`, because `\\d` knows digits of other scripts."""

VERSION_MAX = 64
_VERSION = re.compile(GRAMMAR)


@total_ordering
class Version:
    """A version with the precedence of semver.org, section 11; build metadata does not count.

    Raises `ValueError` for a text that is none.
    """

    __slots__ = ("_key",)

    def __init__(self, text: str) -> None:
        if not _VERSION.fullmatch(text):
            raise ValueError(f"{text!r} is no semantic version")
        release, _, pre = text.partition("+")[0].partition("-")
        numbers = tuple(int(part) for part in release.split("."))
        self._key: tuple[Any, ...] = (numbers, not pre, tuple(map(_rank, pre.split("."))) if pre else ())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key == other._key

    def __lt__(self, other: "Version") -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _rank(identifier: str) -> tuple[bool, int, str]:
    """Numbers stand before words and are compared as numbers."""
    return (False, int(identifier), "") if identifier.isdecimal() else (True, 0, identifier)


class Standing(StrEnum):
    """What a client says to the version that an app has."""

    CURRENT = "ok"
    OLD = "update_advised"
    REFUSED = "update_required"


class Policy(Struct, frozen=True, kw_only=True):
    """Which versions of an app a client lets in on one platform; without a minimum or recommendation, all."""

    minimum: str | None = None
    recommended: str | None = None
    blocked: tuple[str, ...] = ()


def standing(version: str | None, policy: Policy | None) -> Standing:
    """How a version stands: refused when blocked or below the minimum, old when below the recommended one.

    An app that does not name its version, or whose platform has no policy, is taken as it is.
    """
    if version is None or policy is None:
        return Standing.CURRENT
    own = Version(version)
    if own in set(map(Version, policy.blocked)) or (policy.minimum and own < Version(policy.minimum)):
        return Standing.REFUSED
    if policy.recommended and own < Version(policy.recommended):
        return Standing.OLD
    return Standing.CURRENT


def contradiction(minimum: str | None, recommended: str | None, blocked: Collection[str]) -> str | None:
    """The field of a policy that no app could satisfy, or None: what is recommended must be let in."""
    if recommended is None:
        return None
    if minimum is not None and Version(recommended) < Version(minimum):
        return "recommended"
    return "blocked" if Version(recommended) in set(map(Version, blocked)) else None
