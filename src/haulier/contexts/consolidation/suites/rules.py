"""What a suite's code looks like, how one is made, and how it is found in what a label says."""

import re
from collections.abc import Iterator

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.one_time_codes import make_public_code

SUITE_TAKEN = declare_error("suite_taken", 409)
SUITE_MIN, SUITE_MAX = 4, 20
SUITE_CODE_PATTERN = "^[A-Za-z0-9-]*([A-Za-z][A-Za-z0-9-]*[0-9]|[0-9][A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9-]*$"
MAX_CANDIDATES = 200
_SIGNS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without those that are taken for each other in handwriting."""
_PREFIX, _MADE_SIGNS = "SU", 6
# Why a prefix: six signs could be a postal code, and one of those stands on every label.
_WORD = re.compile(r"[A-Z0-9]+")


def suite_key(code: str) -> str:
    """What all spellings of a code share."""
    return "".join(_WORD.findall(code.upper()))


def make_suite_code() -> str:
    """A new code. It may be taken, once in some hundred million times."""
    return f"{_PREFIX}{make_public_code('23456789', 1)}-{make_public_code(_SIGNS, _MADE_SIGNS)}"


def suite_candidates(text: str) -> list[str]:
    """Keys that a text may mean: its words, and two or three of them that follow each other, as `TOR 1042` does."""
    words = _WORD.findall(text.upper())
    return list(dict.fromkeys(_joined(words)))[:MAX_CANDIDATES]


def _joined(words: list[str]) -> Iterator[str]:
    for count in (1, 2, 3):
        for start in range(len(words) - count + 1):
            key = "".join(words[start : start + count])
            if SUITE_MIN - 1 <= len(key) <= SUITE_MAX and not (key.isalpha() or key.isdigit()):
                yield key
