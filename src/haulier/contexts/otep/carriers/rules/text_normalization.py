"""Normalised carrier words, without case, spaces, signs, widths, leading zeros."""

import re
import unicodedata

_SIGNS = re.compile(r"[\W_]+")
_STEPS = re.compile(r"[:/|]+")
_DEEPEST = 4
"""Steps of a status that are read."""
# No vocabulary has more; a longer text is free text, and its length must not cost time.


def normalize_word(text: str) -> str:
    """Return letters and digits in lower case, so that spellings match.

    `In Transit`, `IN_TRANSIT` and `InTransit` are one word.
    """
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text).casefold())


def split_status_path(text: str) -> list[str]:
    """Return the words of a `status:detail` path: at most the four finest."""
    return [word for word in map(normalize_word, _STEPS.split(unicodedata.normalize("NFKC", text))) if word][-_DEEPEST:]


def strip_leading_zeros(word: str) -> str:
    """Return a number without leading zeros; other words are unchanged."""
    return (word.lstrip("0") or "0") if word.isdecimal() else word
