"""What a validator can find, one table: how grave it is, what its message shows, and what helps.

Messages are `otep.validate.<code>` and hints `otep.hint.<code>` in the catalogues; both are given the finding's parameters.
"""

import re
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType

_SHOWN_MAX = 60
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f'\\\ud800-\udfff]")


class Severity(StrEnum):
    """Errors make a document unacceptable, warnings do not; notes say why a conformance level was not reached."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(NamedTuple):
    """One row of the table."""

    severity: Severity
    params: tuple[str, ...] = ()
    hint: str | None = None


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

RULES: dict[str, Rule] = {
    "wrong_type": Rule(_ERROR, ("expected",)),
    "null_value": Rule(_ERROR, (), "leave_out"),
    "missing": Rule(_ERROR, ("field",)),
    "empty": Rule(_ERROR, (), "leave_out"),
    "too_long": Rule(_ERROR, ("max",)),
    "too_many": Rule(_ERROR, ("max",), "split"),
    "unstorable_text": Rule(_ERROR),
    "out_of_range": Rule(_ERROR, ("min", "max")),
    "no_identifier": Rule(_ERROR, (), "identifiers"),
    "invalid_time": Rule(_ERROR, (), "time"),
    "time_without_offset": Rule(_ERROR, (), "offset"),
    "time_out_of_range": Rule(_ERROR, ("first", "last")),
    "unknown_profile": Rule(_ERROR, ("value",), "allowed"),
    "unknown_code": Rule(_ERROR, ("value", "profile"), "experimental"),
    "unknown_phase": Rule(_ERROR, ("value",), "allowed"),
    "phase_mismatch": Rule(_ERROR, ("code", "expected")),
    "unknown_source_type": Rule(_ERROR, ("value",), "allowed"),
    "unknown_reason": Rule(_ERROR, ("value",), "allowed"),
    "unknown_correction_reason": Rule(_ERROR, ("value",), "allowed"),
    "unknown_country": Rule(_ERROR, ("value",), "country"),
    "invalid_unlocode": Rule(_ERROR, ("value",), "unlocode"),
    "invalid_sscc": Rule(_ERROR, (), "sscc"),
    "invalid_gln": Rule(_ERROR, (), "gln"),
    "wrong_check_digit": Rule(_ERROR, ("expected",)),
    "invalid_url": Rule(_ERROR, (), "url"),
    "invalid_version": Rule(_ERROR, ("value",), "version"),
    "unsupported_version": Rule(_ERROR, ("value", "supported")),
    "after_terminal": Rule(_ERROR, ("code", "terminal"), "late"),
    "summary_mismatch": Rule(_ERROR, ("field", "expected"), "summary"),
    "unknown_field": Rule(_WARNING, ("field",), "extensions"),
    "newer_version": Rule(_WARNING, ("value", "supported")),
    "alias_used": Rule(_WARNING, ("value", "code")),
    "experimental_code": Rule(_WARNING, ("value",)),
    "duplicate_event": Rule(_WARNING, ("first",)),
    "out_of_order": Rule(_WARNING),
    "step_back": Rule(_WARNING, ("before", "code"), "step_back"),
    "late_event": Rule(_WARNING, ("code", "terminal")),
    "not_late": Rule(_WARNING),
    "recorded_before_occurred": Rule(_WARNING, (), "clock"),
    "half_position": Rule(_WARNING),
    "unexpected_proof": Rule(_WARNING, ("code",)),
    "has_errors": Rule(_NOTE),
    "no_events": Rule(_NOTE),
    "no_registered_code": Rule(_NOTE),
    "invalid_transitions": Rule(_NOTE),
    "no_profile_code": Rule(_NOTE, ("profile",)),
    "no_projection": Rule(_NOTE),
}

HINTS: dict[str, tuple[str, ...]] = {
    "leave_out": (),
    "split": ("max",),
    "identifiers": (),
    "time": (),
    "offset": (),
    "allowed": ("allowed",),
    "experimental": (),
    "did_you_mean": ("suggestion",),
    "other_profile": ("other",),
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
    severity: Severity
    params: dict[str, Any]
    hint_code: str | UnsetType = UNSET


def found(path: str, code: str, /, *, hint: str | None = None, **params: Any) -> Finding:
    """A finding of the table; `hint` replaces the usual one of its row."""
    rule = RULES[code]
    return Finding(
        path=path, code=code, severity=rule.severity, params=params, hint_code=hint or rule.hint or UNSET
    )  # fmt: skip


def member(path: str, name: str) -> str:
    """The path of an object's member."""
    return f"{path}.{name}" if _PLAIN.fullmatch(name) else f"{path}['{shown(name)}']"


def shown(text: str) -> str:
    """Text of a stranger as a message may show it: cut short, on one line, and writable as UTF-8."""
    cut = text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", cut)
