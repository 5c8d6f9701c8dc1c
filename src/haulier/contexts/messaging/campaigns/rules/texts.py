"""Texts as they are sent: variables filled in, counted in the segments that are paid for."""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.values.gsm7 import BASIC, EXTENSION

_SEPTETS = dict.fromkeys(BASIC, 1) | dict.fromkeys(EXTENSION, 2)
MAX_SEGMENTS = 10
"""A longer text is no text any more, and carriers drop it."""
VARIABLE = re.compile(r"\{([a-z][a-z0-9_]{0,29})(?:\|([^{}|]{0,60}))?\}")
BUILT_IN = frozenset({"name", "business", "link"})


class TextEncoding(StrEnum):
    """How a text goes over the air."""

    GSM_7 = "gsm_7"
    UCS_2 = "ucs_2"


class TextSize(Struct, frozen=True):
    """How long a text is: `units` are septets of GSM-7 or UTF-16 units of UCS-2."""

    encoding: TextEncoding
    units: int
    segments: int
    per_segment: int


class MissingVariable(Exception):
    """A text asks for a variable that a contact has not, and says nothing instead."""


def measure_text(text: str) -> TextSize:
    """Return the size of a text (3GPP TS 23.038 and 23.040): 160 or 153 septets a segment, 70 or 67 UTF-16 units.

    What takes two units is never divided between two segments.
    """
    if all(sign in _SEPTETS for sign in text):
        sizes, encoding, alone, joined = [_SEPTETS[sign] for sign in text], TextEncoding.GSM_7, 160, 153
    else:
        sizes, encoding, alone, joined = [2 if ord(s) > 0xFFFF else 1 for s in text], TextEncoding.UCS_2, 70, 67
    units = sum(sizes)
    if units <= alone:
        return TextSize(encoding, units, 1, alone)
    segments, room = 1, joined
    for size in sizes:
        if size > room:
            segments, room = segments + 1, joined
        room -= size
    return TextSize(encoding, units, segments, joined)


def has_loose_braces(text: str) -> bool:
    """Whether a text has braces that are no variable: a slip that recipients would read."""
    return bool(set("{}") & set(VARIABLE.sub("", text)))


def fill_variables(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its variables filled in; `{name|friend}` says what stands where there is none.

    Raises `MissingVariable`.
    """

    def filled(match: re.Match[str]) -> str:
        value = values.get(match.group(1)) or match.group(2)
        if value is None:
            raise MissingVariable(match.group(1))
        return value

    return VARIABLE.sub(filled, text)


def with_opt_out(text: str, hint: str, business: str) -> str:
    """Return a marketing text that names its sender and how to end it, where it does not do so itself."""
    named = text if business.casefold() in text.casefold() else f"{business}: {text}"
    return named if re.search(r"\bSTOP\b", named) else f"{named} {hint}"
