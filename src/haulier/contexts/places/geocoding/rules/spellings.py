"""Words that are one slip apart: a letter too many, too few, another one, or two that changed places.

Two such words have something in common once one letter is left out of each, or of one of them. So the words of a business are
kept under all that is left of them, and an ordinary index finds those near a word that somebody mistyped, on any database.
"""

from collections.abc import Iterable

MIN_LETTERS, MAX_LETTERS = 4, 24
"""Shorter words are near too many others; longer ones are hardly typed."""


def is_corrected(word: str) -> bool:
    """Whether slips in a word are forgiven: it has letters alone, and enough of them."""
    return word.isalpha() and MIN_LETTERS <= len(word) <= MAX_LETTERS


def spelling_keys(word: str) -> list[str]:
    """The word, and what is left of it without one of its letters."""
    return list(dict.fromkeys([word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]))


def near_words(word: str, others: Iterable[str]) -> list[str]:
    """Those of the others that are one slip away, those that begin alike first."""
    near = {other for other in others if other != word and _is_near(word, other)}
    return sorted(near, key=lambda other: (-_common(word, other), other))


def _common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _is_near(one: str, other: str) -> bool:
    at = _common(one, other)
    a, b = one[at:], other[at:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped
