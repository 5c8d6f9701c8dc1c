"""Descriptions of regular expressions for people.

Every pattern of a request has a description here, which a test checks. For character sets, `allowed` lists the
characters in a language-independent form.
"""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.operations.text_safety import EMAIL_PATTERN

_UNKNOWN = "field.string_pattern_mismatch"

_CHARACTERS: Mapping[str, str] = {
    "^[a-z0-9_]+$": "a–z 0–9 _",
    "^B[A-Za-z0-9_-]{86}=?$": "A–Z a–z 0–9 - _",
    "^[a-z0-9_-]+$": "a–z 0–9 _ -",
    "^[a-z0-9-]+$": "a–z 0–9 -",
    "^[0-9]+$": "0–9",
    "^[0-9.]+$": "0–9 .",
    "^[A-Z0-9_]+$": "A–Z 0–9 _",
    "^[A-Z0-9]+$": "A–Z 0–9",
    "^[A-Za-z0-9_-]+$": "A–Z a–z 0–9 _ -",
    "^[A-Za-z0-9._-]+$": "A–Z a–z 0–9 . _ -",
    "^[A-Za-z0-9/_-]*$": "A–Z a–z 0–9 / _ -",
}
_CHARACTERS_AFTER_THE_FIRST: Mapping[str, str] = {
    r"^[A-Za-z0-9][A-Za-z0-9._-]*$": "A–Z a–z 0–9 . _ -",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]*$": "A–Z a–z 0–9 . _ -",
    r"^[A-Za-z0-9][A-Za-z0-9._:-]*$": "A–Z a–z 0–9 . _ : -",
}
_FORMS: Mapping[str, str] = {
    r"^[a-z][a-z0-9_]*$": "word",
    EMAIL_PATTERN: "email",
    "^[A-Z]{2}$": "country",
    "^[A-Z]{3}$": "currency",
    r"^([01]\d|2[0-3]):[0-5]\d$": "time_of_day",
    r"^https?://[^\s\x00]+$": "web_address",
    r"^https://[^\x00-\x20]+$": "https_address",
    r"^[A-Za-z0-9][A-Za-z0-9 -]*$": "postal_code",
    r"^[A-Za-z0-9 -]*[A-Za-z0-9][A-Za-z0-9 -]*$": "postal_prefix",
    r"^[A-Za-z0-9_-]{43}$": "code_challenge",
    "^[0-9a-fA-F]{32}$": "md5",
    "^[0-9a-fA-F]{64}$": "sha256",
    r"^[0-9]{1,6}([.][0-9]{1,6}){0,3}(-[0-9a-z.]{1,20})?$": "version",
    "^#[0-9a-fA-F]{6}$": "colour",
    "^[a-z]+-[0-9]+$": "fulfilment_id",
    r"^(UN|NA|ID)\d{4}$": "un_number",
    r"^\d{1,6}(-\d{1,2})?$": "nmfc_item",
    "^[0-9]{4}$": "four_digits",
    r"^[0-9]{1,9}(\.[0-9]{1,20})?$": "decimal",
    r"^(\+[1-9][0-9]{6,14}|MG[0-9a-f]{32}|[A-Za-z][A-Za-z0-9 ]{0,10}|[1-9][0-9]{2,7})$": "sms_sender",
    "^[A-Za-z0-9_.-]+(@[a-z0-9-]+)?$": "sms_account",
    r"^[\w.\-/ ]+$": "customer_code",
    r"^[\x21-\x7e]+$": "ascii_without_spaces",
    r"^[\x20-\x7e]*$": "ascii",
    r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$": "ascii",
    "^[A-Za-z0-9-]*([A-Za-z][A-Za-z0-9-]*[0-9]|[0-9][A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9-]*$": "suite",
    r"^[^\x00-\x1f]+$": "one_line",
    r"^[^\x00-\x1f\x7f]+$": "one_line",
    r"^[^\x00-\x1f\x7f]*$": "one_line",
    r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$": "trimmed_line",
    r"^[^\s\x00-\x1f].*$": "trimmed_line",
    r"^[^\x00]*$": "text",
    r"^[^\x00]+$": "text",
}
_VERSION_BEGINS = r"^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)"
"""Start of the long pattern for semantic versions published by semver.org."""


def pattern_words(pattern: str) -> tuple[str, Mapping[str, Any]]:
    """Return the message that describes a pattern, with its parameters.

    Falls back to the pattern itself.
    """
    if pattern in _CHARACTERS:
        return "field.characters.string_pattern_mismatch", {"allowed": _CHARACTERS[pattern]}
    if pattern in _CHARACTERS_AFTER_THE_FIRST:
        allowed = _CHARACTERS_AFTER_THE_FIRST[pattern]
        return "field.characters_after.string_pattern_mismatch", {"allowed": allowed}
    form = _FORMS.get(pattern) or ("version" if pattern.startswith(_VERSION_BEGINS) else None)
    return (f"field.{form}.string_pattern_mismatch", {}) if form else (_UNKNOWN, {"pattern": pattern})
