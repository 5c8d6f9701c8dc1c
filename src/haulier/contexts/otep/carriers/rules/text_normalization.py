"""The plain form of a carrier's words, so that case, spaces, signs, widths and leading zeros make no difference."""

import re
import unicodedata

_SIGNS = re.compile(r"[\W_]+")
_STEPS = re.compile(r"[:/|]+")
_DEEPEST = 4
"""Steps of a status that are read."""
# Why: no vocabulary has more; a longer text is free text, and its length must not cost time.


def normalize_word(text: str) -> str:
    """Letters and digits only, without case: `In Transit`, `IN_TRANSIT` and `InTransit` are one word."""
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text).casefold())


def split_status_path(text: str) -> list[str]:
    """The words of a status that is told from coarse to fine, `status:detail`: at most the four finest."""
    return [word for word in map(normalize_word, _STEPS.split(unicodedata.normalize("NFKC", text))) if word][-_DEEPEST:]


def strip_leading_zeros(word: str) -> str:
    """A number without its leading zeros; any other word as it is."""
    return (word.lstrip("0") or "0") if word.isdecimal() else word
