"""Rules of suite codes: format, generation, and detection in label texts."""

import re
from collections.abc import Iterator

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.one_time_codes import make_public_code

SUITE_TAKEN = declare_error("suite_taken", 409)
SUITE_MIN, SUITE_MAX = 4, 20
SUITE_CODE_PATTERN = "^[A-Za-z0-9-]*([A-Za-z][A-Za-z0-9-]*[0-9]|[0-9][A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9-]*$"
MAX_CANDIDATES = 200
_SIGNS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Characters that are not confused in handwriting."""
_PREFIX, _MADE_SIGNS = "SU", 6
# With a prefix: six characters could be a postal code, which every label has.
_WORD = re.compile(r"[A-Z0-9]+")


def suite_key(code: str) -> str:
    """Return the key that all spellings of a code share."""
    return "".join(_WORD.findall(code.upper()))


def make_suite_code() -> str:
    """Return a new code. It is taken once in some hundred million times."""
    return f"{_PREFIX}{make_public_code('23456789', 1)}-{make_public_code(_SIGNS, _MADE_SIGNS)}"


def suite_candidates(text: str) -> list[str]:
    """Return the keys that a text may contain: words, and two or three joined ones.

    Such as `TOR 1042`.
    """
    words = _WORD.findall(text.upper())
    return list(dict.fromkeys(_joined(words)))[:MAX_CANDIDATES]


def _joined(words: list[str]) -> Iterator[str]:
    for count in (1, 2, 3):
        for start in range(len(words) - count + 1):
            key = "".join(words[start : start + count])
            if SUITE_MIN - 1 <= len(key) <= SUITE_MAX and not (key.isalpha() or key.isdigit()):
                yield key
