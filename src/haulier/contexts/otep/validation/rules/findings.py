"""What a validator can find, one table: how grave it is, what its message shows, and what helps.

Messages are `otep.validate.<code>` and hints `otep.hint.<code>` in the catalogues; both are given the finding's parameters.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType

_EXCERPT_MAX = 60
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f'\\\ud800-\udfff]")


class FindingSeverity(StrEnum):
    """Errors make a document unacceptable, warnings do not; notes say why a conformance level was not reached."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingRule(NamedTuple):
    """One row of the table."""

    severity: FindingSeverity
    params: tuple[str, ...] = ()
    hint: str | None = None


_ERROR, _WARNING, _NOTE = FindingSeverity.ERROR, FindingSeverity.WARNING, FindingSeverity.NOTE

FINDING_RULES: dict[str, FindingRule] = {
    "wrong_type": FindingRule(_ERROR, ("expected",)),
    "null_value": FindingRule(_ERROR, (), "leave_out"),
    "missing": FindingRule(_ERROR, ("field",)),
    "empty": FindingRule(_ERROR, (), "leave_out"),
    "too_long": FindingRule(_ERROR, ("max",)),
    "too_many": FindingRule(_ERROR, ("max",), "split"),
    "unstorable_text": FindingRule(_ERROR),
    "out_of_range": FindingRule(_ERROR, ("min", "max")),
    "no_identifier": FindingRule(_ERROR, (), "identifiers"),
    "invalid_time": FindingRule(_ERROR, (), "time"),
    "time_without_offset": FindingRule(_ERROR, (), "offset"),
    "time_out_of_range": FindingRule(_ERROR, ("first", "last")),
    "time_ahead": FindingRule(_ERROR, ("max",), "clock"),
    "unknown_profile": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_code": FindingRule(_ERROR, ("value", "profile"), "experimental"),
    "unknown_phase": FindingRule(_ERROR, ("value",), "allowed"),
    "phase_mismatch": FindingRule(_ERROR, ("code", "expected")),
    "unknown_source_type": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_outcome": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_reason": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_correction_reason": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_country": FindingRule(_ERROR, ("value",), "country"),
    "invalid_unlocode": FindingRule(_ERROR, ("value",), "unlocode"),
    "invalid_sscc": FindingRule(_ERROR, (), "sscc"),
    "invalid_gln": FindingRule(_ERROR, (), "gln"),
    "wrong_check_digit": FindingRule(_ERROR, ("expected",)),
    "invalid_url": FindingRule(_ERROR, (), "url"),
    "invalid_version": FindingRule(_ERROR, ("value",), "version"),
    "unsupported_version": FindingRule(_ERROR, ("value", "supported")),
    "after_terminal": FindingRule(_ERROR, ("code", "terminal"), "late"),
    "summary_mismatch": FindingRule(_ERROR, ("field", "expected"), "summary"),
    "unknown_field": FindingRule(_WARNING, ("field",), "extensions"),
    "newer_version": FindingRule(_WARNING, ("value", "supported")),
    "alias_used": FindingRule(_WARNING, ("value", "code")),
    "experimental_code": FindingRule(_WARNING, ("value",)),
    "duplicate_event": FindingRule(_WARNING, ("first",)),
    "out_of_order": FindingRule(_WARNING),
    "step_back": FindingRule(_WARNING, ("before", "code"), "step_back"),
    "late_event": FindingRule(_WARNING, ("code", "terminal")),
    "not_late": FindingRule(_WARNING),
    "recorded_before_occurred": FindingRule(_WARNING, (), "clock"),
    "half_position": FindingRule(_WARNING),
    "unexpected_proof": FindingRule(_WARNING, ("code",)),
    "has_errors": FindingRule(_NOTE),
    "no_events": FindingRule(_NOTE),
    "no_registered_code": FindingRule(_NOTE),
    "invalid_transitions": FindingRule(_NOTE),
    "no_profile_code": FindingRule(_NOTE, ("profile",)),
    "no_projection": FindingRule(_NOTE),
}

FINDING_HINTS: dict[str, tuple[str, ...]] = {
    "leave_out": (),
    "split": ("max",),
    "identifiers": (),
    "time": (),
    "offset": (),
    "allowed": ("allowed",),
    "experimental": (),
    "did_you_mean": ("suggestion",),
    "other_profile": ("other",),
    "reason_object": (),
    "country": (),
    "unlocode": (),
    "sscc": (),
    "gln": (),
    "url": (),
    "version": (),
    "late": (),
    "summary": (),
    "extensions": (),
    "step_back": (),
    "clock": (),
}
"""Every hint with the parameters that it shows."""


class Finding(Struct, frozen=True, kw_only=True):
    """Something found at a place of the document; `path` is a JSONPath (RFC 9535) such as `$.events[0].status_code`."""

    path: str
    code: str
    severity: FindingSeverity
    params: dict[str, Any]
    hint_code: str | UnsetType = UNSET


def make_finding(path: str, code: str, /, *, hint: str | None = None, **params: Any) -> Finding:
    """A finding of the table; `hint` replaces the usual one of its row."""
    rule = FINDING_RULES[code]
    return Finding(
        path=path, code=code, severity=rule.severity, params=params, hint_code=hint or rule.hint or UNSET
    )  # fmt: skip


def member_path(path: str, name: str) -> str:
    """The path of an object's member."""
    return path + _member_step(name)


@lru_cache(maxsize=1024)
def _member_step(name: str) -> str:
    return f".{name}" if _PLAIN.fullmatch(name) else f"['{printable_excerpt(name)}']"


def printable_excerpt(text: str) -> str:
    """Text from outside as a message may show it: cut short, on one line, and writable as UTF-8."""
    cut = text if len(text) <= _EXCERPT_MAX else f"{text[:_EXCERPT_MAX]}…"
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", cut)
