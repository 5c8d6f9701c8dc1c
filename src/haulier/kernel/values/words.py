"""Texts as words to search by: without accents, capitals and punctuation, in any script."""

import re
from unicodedata import category, combining, normalize

MAX_WORD = 40
"""Longer words are cut: nobody types them."""
MAX_WORDS = 60
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h"})
"""Letters that Unicode does not take apart into a plain one and a mark."""
_PLAIN_WORD = re.compile("[a-z0-9]+")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Chinese and Japanese: written without spaces, so each sign is a word."""


def fold(text: str) -> str:
    """A text in lower case and without marks: `Crème-Brûlée` is `creme-brulee`, `Straße` is `strasse`."""
    plain = normalize("NFKD", text.casefold()).translate(_LETTERS)
    return "".join(sign for sign in plain if not combining(sign))


def fold_words(*texts: str | None) -> list[str]:
    """The words of some texts in their order, each once: at most 60, of at most 40 letters."""
    text = " ".join(text for text in texts if text)
    # Why: most addresses are plain letters, for which this takes a twentieth of the time; a search ranks a hundred of them.
    words = _PLAIN_WORD.findall(text.lower()) if text.isascii() else "".join(map(_spaced, fold(text))).split()
    return list(dict.fromkeys(word[:MAX_WORD] for word in words))[:MAX_WORDS]


def _spaced(sign: str) -> str:
    if _IDEOGRAPH.match(sign):
        return f" {sign} "
    return sign if (sign.isascii() and sign.isalnum()) or category(sign)[0] in "LN" else " "
